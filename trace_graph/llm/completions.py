"""What an endpoint's answer says, whole or as a stream. Nothing is taken for granted: every field may be missing."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from trace_graph.llm.arriving import Unreadable, after, bounded, events
from trace_graph.llm.reading_json import read_whole

REASONING = ("reasoning", "reasoning_content")
"""Where servers put what a model thought: vLLM and Ollama, DeepSeek and older vLLM."""

MOST_TOKENS = 100_000_000
"""A count over it is not believed. Guess: far over the window of any model, and so that sums of a day can be kept."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")


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


async def collect(chunks: AsyncIterable[bytes], content: list[str], on_text: Callable[[str], None]) -> Completion:
    """Read a streamed answer to its end; `content` gets the pieces of the reply, also where it breaks off.

    A server that ignores `stream` sends one JSON body: it is read as that. A stream that ends with [DONE] and names no
    finish_reason is taken where its reply is JSON from end to end, since one that was cut is not.
    Raises: Unreadable for what is no chat completion, and for a stream that was cut.
    """
    arriving = bounded(chunks)
    head = b""
    async for chunk in arriving:
        head += chunk
        if head.strip():
            break
    rest = after(head, arriving)
    if head.lstrip().startswith((b"{", b"[")):
        completion = read(b"".join([chunk async for chunk in rest]))
        _give(completion.content, content, on_text)
        return completion
    return await _streamed(events(rest), content, on_text)


async def _streamed(
    arriving: AsyncIterable[bytes], content: list[str], on_text: Callable[[str], None]
) -> Completion:
    reasoning: list[str] = []
    finish: str | None = None
    usage: Any = None
    done = False
    async for event in arriving:
        done = event.startswith(b"[DONE]")
        if done:
            break
        chunk = _chunk(event)
        usage = chunk.get("usage") or usage
        choice, delta = _first_choice(chunk)
        _give(_text(delta.get("content")), content, on_text)
        reasoning.append(_reasoning(delta) or "")
        finish = _finish(choice.get("finish_reason")) or finish
    if finish is None and not (done and _is_json("".join(content))):
        raise Unreadable("broke off its reply")
    return Completion(
        "".join(content) if content else None, "".join(reasoning) or None, finish,
        _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _give(text: str | None, content: list[str], on_text: Callable[[str], None]) -> None:
    if text:
        content.append(text)
        on_text(text)


def _chunk(event: bytes) -> dict[str, Any]:
    try:
        chunk = json.loads(event)
    except (ValueError, RecursionError) as error:  # half a line of JSON
        raise Unreadable("broke off its reply") from error
    if not isinstance(chunk, dict):
        raise Unreadable("did not answer with a chat completion")
    if chunk.get("error"):
        raise Unreadable("reports an error within its reply")
    return chunk


def _first_choice(chunk: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first choice and its delta; both empty in a chunk that has none, as the one with the usage."""
    choices = chunk.get("choices") or [{}]
    choice = choices[0] if isinstance(choices, list) else None
    delta = (choice.get("delta") or {}) if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(delta, dict):
        raise Unreadable("did not answer with a chat completion")
    return choice, delta


def _is_json(text: str) -> bool:
    try:
        return isinstance(read_whole(text), dict)
    except ValueError:
        return False


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
