"""One request to an OpenAI-compatible embeddings endpoint: what came back, or why not."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray
from tenacity import AsyncRetrying, RetryCallState, stop_before_delay

from trace_graph.embed.retries import may_retry, pause_asked, seconds_to_wait
from trace_graph.errors import EmbeddingFailed

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

REFUSING = frozenset({400, 413, 422, 500})
"""HTTP statuses that can mean one of the texts. 500 among them: llama.cpp's server answers so to a long text."""

NO_KEY = "no-key"
"""Sent to an endpoint that was given no key, because the SDK will not start without one."""

Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class Refusal:
    """The endpoint answered that it will not embed these texts, or one of them."""

    reason: str
    """Status and code of the answer."""


class EmbeddingsEndpoint:
    """A model behind `POST {base_url}/embeddings`. The SDK is imported and connected on the first request."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None, *,
        timeout_seconds: float, deadline_seconds: float, sleep: Sleep,
    ) -> None:
        self.model = model
        self.host = urlsplit(base_url).netloc.rpartition("@")[2]
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout_seconds
        self._deadline = deadline_seconds
        self._sleep = sleep
        self._client: AsyncOpenAI | None = None
        self._opening = threading.Lock()

    async def vectors_of(self, texts: list[str]) -> NDArray[np.float64] | Refusal:
        """Embed one batch: shape (texts, dimension), in the order of the texts, not scaled, perhaps not finite.

        Raises: EmbeddingFailed where the endpoint cannot be used, or does not answer within the deadline.
        """
        # In a thread: importing the SDK takes up to a second.
        client = self._client or await asyncio.to_thread(self._opened)
        from openai import APIError

        retrying = AsyncRetrying(
            sleep=self._sleep, retry=_worth_another, wait=_pause, stop=stop_before_delay(self._deadline), reraise=True
        )
        try:
            async with asyncio.timeout(self._deadline):
                content: bytes = await retrying(self._send, client, texts)
        except TimeoutError as error:
            raise self._failed(f"did not answer within {self._deadline:g} s") from error
        except APIError as error:
            if _status(error) in REFUSING:
                return Refusal(_in_words(error))
            raise self._failure(error) from error
        return await asyncio.to_thread(self._matrix, content, len(texts))

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _send(self, client: AsyncOpenAI, texts: list[str]) -> bytes:
        # As floats: not every server knows base64. Raw: the SDK would check a hundred thousand numbers one by one.
        answer = await client.embeddings.with_raw_response.create(
            model=self.model, input=texts, encoding_format="float"
        )
        return answer.http_response.content

    def _opened(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        with self._opening:
            if self._client is None:
                client = AsyncOpenAI(
                    api_key=self._api_key or NO_KEY, base_url=self._base_url, max_retries=0, timeout=self._timeout
                )
                # The SDK takes these from OPENAI_* in the environment, which may be meant for another server.
                client.organization = client.project = client.admin_api_key = None
                client._custom_headers = {}
                self._client = client
            return self._client

    def _matrix(self, content: bytes, count: int) -> NDArray[np.float64]:
        try:
            entries = json.loads(content)["data"]
            rows = {int(entry["index"]): np.asarray(entry["embedding"], dtype=np.float64) for entry in entries}
        except (ValueError, KeyError, TypeError) as error:
            raise self._failed("did not answer with a list of embeddings") from error
        if len(entries) != count or sorted(rows) != list(range(count)):
            raise self._failed(f"answered {count} texts with {len(entries)} embeddings, or numbered them wrongly")
        shapes = {row.shape for row in rows.values()}
        if len(shapes) != 1 or len(min(shapes)) != 1 or min(shapes) == (0,):
            raise self._failed("answered with embeddings of different lengths")
        return np.array([rows[place] for place in range(count)])

    def _failure(self, error: APIError) -> EmbeddingFailed:
        status = _status(error)
        if status in (401, 403):
            return self._failed(
                f"does not accept the API key ({_in_words(error)})",
                "Set TRACE_GRAPH_EMBEDDER_API_KEY, or OPENAI_API_KEY, to a key of that endpoint.",
            )
        if status == 404:
            return self._failed(
                "serves no such model, or no embeddings at this address (HTTP 404)",
                "Check the name in TRACE_GRAPH_EMBEDDER, and the base URL, which mostly ends in /v1.",
            )
        if status is None:
            return self._failed("does not answer", "Check the base URL, and that the server runs.")
        pause = _asked(error)
        wish = "" if pause is None else f", and asks to wait {pause:.0f} s"
        return self._failed(f"answered {_in_words(error)}{wish}", "Try again later, or see the endpoint's log.")

    def _failed(self, what: str, fix: str | None = None) -> EmbeddingFailed:
        return EmbeddingFailed(f"The embedding endpoint {self.host} (model {self.model}) {what}.", fix=fix)


def _worth_another(state: RetryCallState) -> bool:
    from openai import APIError

    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, APIError):
        return False
    return may_retry(_status(error), error.code, state.attempt_number, _asked(error))


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return seconds_to_wait(state.attempt_number, _asked(error))


def _status(error: BaseException | None) -> int | None:
    return getattr(error, "status_code", None)


def _asked(error: BaseException | None) -> float | None:
    response = getattr(error, "response", None)
    return None if response is None else pause_asked(response.headers)


def _in_words(error: APIError) -> str:
    """Name status and code; never the endpoint's message, which may repeat the text or part of the key."""
    code = error.code or error.type or ""
    known = f", {code}" if re.fullmatch(r"[A-Za-z_]{3,60}", code) else ""
    return f"HTTP {_status(error)}{known}"
