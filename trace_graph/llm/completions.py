"""What an endpoint's answer says, whole or as a stream. Nothing is taken for granted: every field may be missing."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

REASONING = ("reasoning", "reasoning_content")
"""Where servers put what a model thought: vLLM and Ollama, DeepSeek and older vLLM."""

MOST_TOKENS = 100_000_000
"""A count over it is not believed. Guess: far over the window of any model, and so that sums of a day can be kept."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Unreadable(Exception):
    """An answer with HTTP 200 that is no chat completion; says why, without its text."""


@dataclass(frozen=True)
class Completion:
    """One reply, before anything is read from it."""

    content: str | None
    reasoning: str | None
    finish: str | None
    """finish_reason."""
    tokens_in: int | None
    tokens_out: int | None
    """As the endpoint counts them; None where it does not."""
    requests: int = 1
    """HTTP requests that it took."""
    milliseconds: int = 0
    """From the first try to the reply, pauses included."""

    def after(self, requests: int, milliseconds: int) -> Completion:
        """The same, with what it took."""
        return replace(self, requests=requests, milliseconds=milliseconds)


def read(body: bytes) -> Completion:
    """Read the body of a chat completion.

    Raises: Unreadable for a body that is none.
    """
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice.get("message") or {}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable("did not answer with a chat completion") from error
    if not isinstance(message, dict):
        raise Unreadable("did not answer with a chat completion")
    usage = answer.get("usage")
    return Completion(
        _text(message.get("content")), _reasoning(message), _finish(choice.get("finish_reason")),
        _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


async def collect(stream: AsyncIterable[Any], content: list[str], on_text: Callable[[str], None]) -> Completion:
    """Read a stream of the SDK to its end; `content` gets the pieces of the reply, also where it breaks off.

    Raises: Unreadable where it ended without a finish_reason: it was cut.
    """
    reasoning: list[str] = []
    finish: str | None = None
    usage: Any = None
    async for chunk in _whole_chunks(stream):
        usage = getattr(chunk, "usage", None) or usage
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            delta = choice.delta
            if piece := _text(getattr(delta, "content", None)):
                content.append(piece)
                on_text(piece)
            reasoning.append(_reasoning(delta.model_dump() if delta is not None else {}) or "")
            finish = _finish(choice.finish_reason) or finish
    if finish is None:
        raise Unreadable("broke off its reply")
    counted = usage.model_dump() if hasattr(usage, "model_dump") else None
    return Completion(
        "".join(content) if content else None, "".join(reasoning) or None, finish,
        _count(counted, "prompt_tokens"), _count(counted, "completion_tokens"))


async def _whole_chunks(stream: AsyncIterable[Any]) -> AsyncIterator[Any]:
    chunks = aiter(stream)
    while True:
        try:
            chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except ValueError as error:  # half a line of JSON
            raise Unreadable("broke off its reply") from error
        yield chunk


def _text(value: Any) -> str | None:
    """A text, also where it comes as a list of parts: without NUL, with U+FFFD for halves of surrogate pairs, since
    neither can be sent or kept."""
    if isinstance(value, list):
        parts = [one["text"] for one in value if isinstance(one, dict) and isinstance(one.get("text"), str)]
        value = "".join(parts)
    return _SURROGATE.sub("\ufffd", value.replace("\0", "")) if isinstance(value, str) else None


def _reasoning(message: Mapping[str, Any]) -> str | None:
    return next((text for name in REASONING if (text := _text(message.get(name)))), None)


def _finish(value: Any) -> str | None:
    text = _text(value) if isinstance(value, str) else None
    return None if text is None else text[:40]


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None
