"""One chat request to an OpenAI-compatible endpoint: what came back, or why nothing did."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tenacity import AsyncRetrying, RetryCallState, stop_before_delay

from trace_graph.endpoints.retries import LONGEST_PAUSE, may_retry, seconds_to_wait
from trace_graph.endpoints.sdk import code_of, host_of, in_words, opened, pause_of, status_of
from trace_graph.llm.arriving import Unreadable, bounded
from trace_graph.llm.completions import Completion, collect, read
from trace_graph.llm.sending import Sent
from trace_graph.llm.values import OnText

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

REFUSING = frozenset({400, 405, 415, 422, 501})
"""HTTP statuses by which an endpoint says that it does not take a form of request."""

TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length"})
"""Error codes of a request that is too long, in whatever form."""

WRONG_SETTING = frozenset({"model_not_found", "invalid_api_key"})
"""Error codes that some endpoints send with HTTP 400."""

MOST_BUSY = 6
"""Tries of a request that ends with HTTP 429 and no Retry-After of a second or more: a quarter of a minute."""

LOOK = "See the endpoint's log."

Why = Literal["form", "request", "setting", "later", "failed"]
"""Why there is no reply: the endpoint does not take this form (try another); it does not take this request (too long);
a setting is wrong; it asks to wait too long, or the quota is spent; it fails."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class NoReply:
    """A request that got no reply."""

    why: Why
    reason: str
    """A sentence that names endpoint, status and what to do; no text of the memory, none of the endpoint's own."""
    requests: int
    """HTTP requests that were made."""
    failures: int
    """Those of them that count as failures of the endpoint: all but the ones that were told to wait."""
    milliseconds: int
    partial: str | None = None
    """What had arrived when a stream broke off."""


class Endpoint(Protocol):
    """Something that takes chat requests of one model."""

    @property
    def model(self) -> str:
        """The model's name, as the endpoint knows it."""

    @property
    def host(self) -> str:
        """With its port, never with a key."""

    async def send(self, sent: Sent, *, most_failures: int, on_text: OnText | None = None) -> Completion | NoReply:
        """Send one request, again where that can mend a failure, until so many HTTP requests have failed. Raises
        nothing for what the endpoint does. `on_text` is given the reply's raw text as it arrives."""

    async def close(self) -> None:
        """Give back connections."""


@dataclass
class _Tries:
    """What one `send` has used so far."""

    most_failures: int
    started: float
    requests: int = 0
    failures: int = 0
    shown: bool = False
    """A part of a reply has been given on: a second try is not shown."""
    partial: list[str] = field(default_factory=list)


class OpenAIEndpoint:
    """A model behind `POST {base_url}/chat/completions`. The SDK is imported and connected on the first request."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None, *,
        timeout_seconds: float, deadline_seconds: float, sleep: Sleep = asyncio.sleep,
    ) -> None:
        """`timeout_seconds` limits one try, `deadline_seconds` all tries of a request with the pauses between."""
        self.model = model
        self.host = host_of(base_url)
        self._base_url, self._api_key = base_url, api_key
        self._timeout, self._deadline = timeout_seconds, deadline_seconds
        self._sleep = sleep
        self._client: AsyncOpenAI | None = None
        self._opening = threading.Lock()
        self._not_taken: set[str] = set()
        """Parameters that the endpoint said it does not take."""

    async def send(self, sent: Sent, *, most_failures: int, on_text: OnText | None = None) -> Completion | NoReply:
        """See `Endpoint.send`."""
        # In a thread: importing the SDK takes up to a second.
        client = self._client or await asyncio.to_thread(self._opened)
        from openai import APIError

        tries = _Tries(most_failures, time.monotonic())
        retrying = AsyncRetrying(
            sleep=self._sleep, retry=lambda state: _worth_another(state, tries), wait=_pause,
            stop=stop_before_delay(self._deadline), reraise=True)
        try:
            async with asyncio.timeout(self._deadline):
                completion: Completion = await retrying(self._try, client, sent, tries, on_text)
        except TimeoutError:
            tries.failures = max(tries.failures, 1)
            return self._no_reply(tries, "failed", f"did not answer within {self._deadline:g} s", LOOK)
        except (APIError, Unreadable) as error:
            return self._failure(error, tries, sent)
        return completion.after(tries.requests, _milliseconds(tries))

    async def close(self) -> None:
        """Close the connections; a later `send` opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _opened(self) -> AsyncOpenAI:
        with self._opening:
            if self._client is None:
                self._client = opened(self._base_url, self._api_key, self._timeout)
            return self._client

    async def _try(self, client: AsyncOpenAI, sent: Sent, tries: _Tries, on_text: OnText | None) -> Completion:
        from openai import APIError, BadRequestError

        tries.requests += 1
        try:
            return await self._create(client, sent, tries, on_text)
        except asyncio.CancelledError:  # by the deadline, or by who asked
            tries.failures += 1
            raise
        except BadRequestError as error:
            if not self._gives_up(error.param):
                tries.failures += 1
                raise
        except (APIError, Unreadable) as error:
            tries.failures += status_of(error) != 429
            raise
        return await self._try(client, sent, tries, on_text)

    async def _create(self, client: AsyncOpenAI, sent: Sent, tries: _Tries, on_text: OnText | None) -> Completion:
        arguments = self._arguments(sent, streamed=on_text is not None)
        tries.partial.clear()
        show = None if tries.shown else on_text
        # Read here and not by the SDK, which takes any number of bytes and breaks at JSON that it does not expect.
        async with client.chat.completions.with_streaming_response.create(**arguments) as answer:
            if on_text is None:
                return read(b"".join([chunk async for chunk in bounded(answer.iter_bytes())]))
            return await collect(answer.iter_bytes(), tries.partial, lambda text: _show(text, show, tries))

    def _arguments(self, sent: Sent, *, streamed: bool) -> dict[str, Any]:
        longest = "max_completion_tokens" if "max_tokens" in self._not_taken else "max_tokens"
        arguments: dict[str, Any] = {
            "model": sent.model, "messages": [{"role": one.role, "content": one.text} for one in sent.messages],
            longest: sent.max_tokens}
        if streamed:
            arguments["stream"] = True
            if "stream_options" not in self._not_taken:
                arguments["stream_options"] = {"include_usage": True}
        if "temperature" not in self._not_taken:
            arguments["temperature"] = sent.temperature
        if sent.form == "schema":
            arguments["response_format"] = {"type": "json_schema", "json_schema": {
                "name": sent.schema_name, "strict": True, "schema": sent.schema}}
        elif sent.form == "json":
            arguments["response_format"] = {"type": "json_object"}
        return arguments

    def _gives_up(self, parameter: str | None) -> bool:
        """Whether the endpoint names a parameter that can be left out, or be called by its newer name."""
        if parameter not in ("max_tokens", "temperature", "stream_options") or parameter in self._not_taken:
            return False
        self._not_taken.add(parameter)
        return True

    def _failure(self, error: APIError | Unreadable, tries: _Tries, sent: Sent) -> NoReply:
        if isinstance(error, Unreadable):
            return self._no_reply(tries, "failed", str(error), LOOK)
        if wrong := self._wrong_setting(error, tries):
            return wrong
        status = status_of(error)
        if status == 413 or code_of(error) in TOO_LONG:
            return self._no_reply(
                tries, "request", f"finds the request too long ({in_words(error)})",
                "Give the server a larger window (8,192 tokens do), or ask for less (summaries.tokens_a_call, budget).")
        if status in REFUSING:
            return self._no_reply(
                tries, "form", f"refuses a request in the form {sent.form} ({in_words(error)})", LOOK)
        return self._busy_or_failing(error, tries)

    def _wrong_setting(self, error: APIError, tries: _Tries) -> NoReply | None:
        status, code = status_of(error), code_of(error)
        if status is not None and 300 <= status < 400:
            return self._no_reply(
                tries, "setting", f"sends requests elsewhere ({in_words(error)}), where no text of a memory goes",
                "Set the base URL (TRACE_GRAPH_LLM__BASE_URL or OPENAI_BASE_URL) to where the server really is.")
        if status in (401, 403) or code == "invalid_api_key":
            return self._no_reply(
                tries, "setting", f"does not accept the API key ({in_words(error)})",
                "Set TRACE_GRAPH_LLM__API_KEY, or OPENAI_API_KEY, to a key of that endpoint.")
        if status == 404 or code in WRONG_SETTING:
            return self._no_reply(
                tries, "setting", f"serves no such model, or no chat at this address ({in_words(error)})",
                "Check the name in TRACE_GRAPH_MODEL, and the base URL (TRACE_GRAPH_LLM__BASE_URL or "
                "OPENAI_BASE_URL), which mostly ends in /v1.")
        return None

    def _busy_or_failing(self, error: APIError, tries: _Tries) -> NoReply:
        if code_of(error) == "insufficient_quota":
            spent = f"says that the quota is spent ({in_words(error)})"
            return self._no_reply(tries, "later", spent, "Look at the account behind the key.")
        pause = pause_of(error)
        wish = "" if pause is None else f", and asks to wait {pause:.0f} s"
        late = status_of(error) == 429 or (pause is not None and pause > LONGEST_PAUSE)
        if status_of(error) is None:
            words = "broke off its reply" if tries.partial else "does not answer"
            return self._no_reply(tries, "failed", words, "Check the base URL, and that the server runs.")
        return self._no_reply(
            tries, "later" if late else "failed", f"answered {in_words(error)}{wish}", "Try again later.")

    def _no_reply(self, tries: _Tries, why: Why, what: str, fix: str) -> NoReply:
        return NoReply(
            why, f"The model endpoint {self.host} (model {self.model}) {what}. {fix}", tries.requests, tries.failures,
            _milliseconds(tries), "".join(tries.partial) or None)


def _show(text: str, on_text: OnText | None, tries: _Tries) -> None:
    tries.shown = True
    if on_text is not None:
        on_text(text)


def _worth_another(state: RetryCallState, tries: _Tries) -> bool:
    from openai import APIError

    error = state.outcome.exception() if state.outcome else None
    if tries.failures >= tries.most_failures:
        return False
    if isinstance(error, Unreadable):
        return True
    if not isinstance(error, APIError):
        return False
    if status_of(error) == 429 and (pause_of(error) or 0) < 1 and state.attempt_number >= MOST_BUSY:
        return False
    return may_retry(status_of(error), code_of(error), state.attempt_number, pause_of(error))


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return seconds_to_wait(state.attempt_number, pause_of(error))


def _milliseconds(tries: _Tries) -> int:
    return round((time.monotonic() - tries.started) * 1000)
