"""One request to an OpenAI-compatible embeddings endpoint: what came back, or why not."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from tenacity import AsyncRetrying, RetryCallState, stop_before_delay

from trace_graph.endpoints.retries import may_retry, seconds_to_wait
from trace_graph.endpoints.sdk import host_of, in_words, opened, pause_of, status_of
from trace_graph.errors import EmbeddingFailed

if TYPE_CHECKING:
    from openai import APIError, AsyncOpenAI

REFUSING = frozenset({400, 413, 422, 500})
"""HTTP statuses that can mean one of the texts. 500 among them: llama.cpp's server answers so to a long text."""

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
        self.host = host_of(base_url)
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
            if status_of(error) in REFUSING:
                return Refusal(in_words(error))
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
        with self._opening:
            if self._client is None:
                self._client = opened(self._base_url, self._api_key, self._timeout)
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
        status = status_of(error)
        if status in (401, 403):
            return self._failed(
                f"does not accept the API key ({in_words(error)})",
                "Set TRACE_GRAPH_EMBEDDER_API_KEY, or OPENAI_API_KEY, to a key of that endpoint.",
            )
        if status == 404:
            return self._failed(
                "serves no such model, or no embeddings at this address (HTTP 404)",
                "Check the name in TRACE_GRAPH_EMBEDDER, and the base URL, which mostly ends in /v1.",
            )
        if status is None:
            return self._failed("does not answer", "Check the base URL, and that the server runs.")
        pause = pause_of(error)
        wish = "" if pause is None else f", and asks to wait {pause:.0f} s"
        return self._failed(f"answered {in_words(error)}{wish}", "Try again later, or see the endpoint's log.")

    def _failed(self, what: str, fix: str | None = None) -> EmbeddingFailed:
        return EmbeddingFailed(f"The embedding endpoint {self.host} (model {self.model}) {what}.", fix=fix)


def _worth_another(state: RetryCallState) -> bool:
    from openai import APIError

    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, APIError):
        return False
    return may_retry(status_of(error), error.code, state.attempt_number, pause_of(error))


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return seconds_to_wait(state.attempt_number, pause_of(error))
