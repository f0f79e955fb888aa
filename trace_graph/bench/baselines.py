"""What trace-graph is compared with: rankings of the same messages without a graph, a tree or neighbours.

Each gives places in the list of messages, best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from trace_graph.bench.scoring import BUDGETS, CUTS, Shown, tokens_of
from trace_graph.embed.protocol import Embedder
from trace_graph.models import MessageInput

Places = NDArray[np.intp]

RRF_K = 60
"""Source: Cormack, Clarke and Buettcher 2009, reciprocal rank fusion."""
EMBEDDED_AT_ONCE = 500
"""Messages; as `write_chunk`."""


class Head:
    """The beginning of a ranking: what the figures look at."""

    def __init__(self, messages: Sequence[MessageInput]) -> None:
        self._shown = [Shown(str(message.external_id), tokens_of(message.text)) for message in messages]
        self._tokens = np.array([shown.tokens for shown in self._shown])
        self.tokens = float(self._tokens.sum())
        """Of all messages: the full context."""

    def of(self, places: Places) -> list[Shown]:
        """As many messages as R@k and T<B> need."""
        within = int(np.searchsorted(np.cumsum(self._tokens[places]), max(BUDGETS), side="right"))
        return [self._shown[place] for place in places[: max(*CUTS, within + 1)]]


def last_messages(times: Sequence[datetime]) -> Places:
    """The messages from the latest back, whatever is asked; `times` is when each was said."""
    return np.array(sorted(range(len(times)), key=lambda place: (times[place], place), reverse=True), dtype=np.intp)


class Vectors:
    """Messages by the cosine of their vectors with the question's."""

    def __init__(self, matrix: NDArray[np.float32], embedder: Embedder) -> None:
        self._matrix = matrix
        self._embedder = embedder

    @classmethod
    async def of(cls, messages: Sequence[MessageInput], embedder: Embedder) -> Vectors:
        """Embed the messages whole; one without a vector comes last. Raises: EmbeddingFailed, ConfigError."""
        rows: list[NDArray[np.float32]] = []
        for first in range(0, len(messages), EMBEDDED_AT_ONCE):
            chunk = [message.text for message in messages[first: first + EMBEDDED_AT_ONCE]]
            for vector in await embedder.embed(chunk):
                rows.append(np.zeros(embedder.dimension, np.float32) if vector is None else vector)
        return cls(np.stack(rows), embedder)

    async def places(self, question: str) -> Places:
        """All messages, the nearest first; none where the question has no vector."""
        vector = (await self._embedder.embed([question]))[0]
        if vector is None:
            return np.empty(0, np.intp)
        return np.argsort(-(self._matrix @ vector), kind="stable")


def fused(rankings: Sequence[Places], count: int) -> Places:
    """Reciprocal rank fusion of rankings of `count` messages; what none of them holds is left out."""
    scores = np.zeros(count)
    for places in rankings:
        scores[places] += 1 / (RRF_K + np.arange(1, len(places) + 1))
    order = np.argsort(-scores, kind="stable")
    return order[scores[order] > 0]
