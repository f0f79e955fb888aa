"""The embedder behind an OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, LM Studio, anything else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_graph.config import OPENAI
from trace_graph.embed.endpoint import EmbeddingsEndpoint, Refusal, Sleep
from trace_graph.embed.protocol import Embedded, Vector
from trace_graph.embed.vectors import NO_VECTOR, embeddable, unit
from trace_graph.embed.windows import combine, halve
from trace_graph.errors import ConfigError, EmbeddingFailed

TEXTS_A_REQUEST = 128
"""Source: guess; OpenAI takes 2,048, small local servers far fewer at a useful speed."""

CHARACTERS_A_REQUEST = 200_000
"""Keeps a request below OpenAI's 300,000 tokens, at up to 1.5 tokens a character."""

SHORT = 1000
"""Characters. A refused text up to this length is not too long for any model, so dividing it is no cure. Source:
models read 512 tokens at least, about 2,000 characters of English and 700 of Chinese."""

PLAIN = "The weather is nice today."
"""Sent when texts are refused: an endpoint that refuses this too is broken, and the texts are not to blame."""

log = logging.getLogger(__name__)


@dataclass
class _Call:
    """What one `embed` has found out so far."""

    texts: Sequence[str]
    vectors: list[Vector | None]
    refused: dict[int, str]
    split: int = 0
    works: bool = False
    """The endpoint gave a usable vector in this call."""
    requests: int = field(default=0)


class OpenAIEmbedder:
    """Embeds over HTTP, with retries under a deadline; the dimension is whatever the endpoint's first vector has.

    One refused text does not fail the others: a refused batch is halved until the text is found, and the text has
    no vector. A refused text that may be too long is halved too, and has the mean of its parts' vectors, weighted by
    characters. Nothing is taken from the environment, the SDK's own OPENAI_* variables included.
    """

    def __init__(
        self, model: str, base_url: str | None = None, api_key: str | None = None, *,
        timeout_seconds: float = 30.0, deadline_seconds: float = 120.0, sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Open without connecting.

        `base_url` is OpenAI's own where there is none; `timeout_seconds` limits one try of a request,
        `deadline_seconds` all tries of it with the pauses between them.

        Raises: ConfigError where OpenAI is meant and there is no key, or the address is not one.
        """
        address = (base_url or "").strip().rstrip("/") or OPENAI
        if not address.startswith(("http://", "https://")):
            raise ConfigError(
                "The base URL of the embedding endpoint must begin with http:// or https://.",
                fix="Set TRACE_GRAPH_EMBEDDER_BASE_URL, or OPENAI_BASE_URL, such as http://localhost:11434/v1.",
            )
        if address == OPENAI and not (api_key or "").strip():
            raise ConfigError(
                f"TRACE_GRAPH_EMBEDDER=openai:{model} needs an API key, and none is set.",
                fix="Set OPENAI_API_KEY, or OPENAI_BASE_URL where a server of your own is meant.",
            )
        self.name = f"openai:{model}"
        self._dimension: int | None = None
        self._endpoint = EmbeddingsEndpoint(
            model, address, (api_key or "").strip() or None,
            timeout_seconds=timeout_seconds, deadline_seconds=deadline_seconds, sleep=sleep,
        )

    @property
    def dimension(self) -> int:
        """Numbers of a vector; known after the first `embed`."""
        if self._dimension is None:
            raise EmbeddingFailed(
                f"The dimension of {self.name} is not known before the first text is embedded.",
                fix="Await fingerprint(embedder) first.",
            )
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed the texts; see `Embedder.embed`. Blank ones are never sent."""
        places, refused = embeddable(texts)
        call = _Call(texts, [None] * len(texts), refused)
        for batch in _batches(places, texts):
            await self._embed_batch(call, batch)
        facts = {"texts": len(texts), "refused": len(call.refused), "split": call.split, "requests": call.requests}
        log.debug("embedded", extra=facts)
        return Embedded(call.vectors, refused=call.refused, split=call.split)

    async def close(self) -> None:
        """Close the connections; a later `embed` opens new ones."""
        await self._endpoint.close()

    async def _embed_batch(self, call: _Call, places: list[int]) -> None:
        answer = await self._ask(call, [call.texts[place] for place in places])
        if not isinstance(answer, Refusal):
            await self._keep(call, places, answer)
            return
        await self._blame_text(call, answer.reason)
        if len(places) > 1:
            middle = len(places) // 2
            await self._embed_batch(call, places[:middle])
            await self._embed_batch(call, places[middle:])
        else:
            await self._embed_refused(call, places[0])

    async def _keep(self, call: _Call, places: list[int], rows: NDArray[np.float64]) -> None:
        for place, row in zip(places, rows, strict=True):
            call.vectors[place] = unit(row)
            if call.vectors[place] is None:
                await self._blame_text(call, "vectors that are zero or not finite")
                call.refused[place] = NO_VECTOR

    async def _embed_refused(self, call: _Call, place: int) -> None:
        """Ask once more (some endpoints refuse at random), then in parts."""
        text = call.texts[place]
        answer = await self._ask(call, [text])
        if not isinstance(answer, Refusal):
            await self._keep(call, [place], answer)
            return
        call.vectors[place] = await self._embed_halves(call, text)
        if call.vectors[place] is None:
            call.refused[place] = f"the endpoint refused it ({answer.reason})"
        else:
            call.split += 1

    async def _embed_halves(self, call: _Call, text: str) -> Vector | None:
        """Take the mean of the parts that the endpoint accepts; None where one is refused although it is short."""
        if len(text) <= SHORT:
            return None
        parts = halve(text)
        vectors: list[Vector | None] = []
        for part in parts:
            answer = await self._ask(call, [part])
            vector = await self._embed_halves(call, part) if isinstance(answer, Refusal) else unit(answer[0])
            if vector is None:
                return None
            vectors.append(vector)
        return combine(vectors, [len(part) for part in parts])

    async def _blame_text(self, call: _Call, answer: str) -> None:
        """Make sure that the endpoint works, once a call, before a text is blamed for a bad answer."""
        if call.works:
            return
        plain = await self._ask(call, [PLAIN])
        if isinstance(plain, Refusal) or unit(plain[0]) is None:
            raise EmbeddingFailed(
                f"The embedder {self.name} answers whatever text with {answer}.",
                fix="Check that TRACE_GRAPH_EMBEDDER names an embedding model that the endpoint serves.",
            )

    async def _ask(self, call: _Call, texts: list[str]) -> NDArray[np.float64] | Refusal:
        call.requests += 1
        answer = await self._endpoint.vectors_of(texts)
        if isinstance(answer, Refusal):
            return answer
        if answer.shape[1] != (self._dimension or answer.shape[1]):
            raise EmbeddingFailed(
                f"The embedder {self.name} gave vectors of {self._dimension} numbers, and now of {answer.shape[1]}.",
                fix="The endpoint serves another model under the same name: name the model that was used before.",
            )
        if any(unit(row) is not None for row in answer):
            self._dimension, call.works = answer.shape[1], True
        return answer


def _batches(places: list[int], texts: Sequence[str]) -> Iterator[list[int]]:
    batch: list[int] = []
    characters = 0
    for place in places:
        length = len(texts[place])
        if batch and (len(batch) == TEXTS_A_REQUEST or characters + length > CHARACTERS_A_REQUEST):
            yield batch
            batch, characters = [], 0
        batch.append(place)
        characters += length
    if batch:
        yield batch
