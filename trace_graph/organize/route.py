"""Which topic is nearest to a segment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from trace_graph.models.ids import TopicId
from trace_graph.organize.values import Decision, ShapeSettings, Total, Zone

_UNKNOWN = -2.0
# Below every cosine: a topic of which no message has a vector is near to nothing.


class LeafIndex:
    """The centred centroids of all leaf topics as one matrix (leaves, dimension)."""

    def __init__(self, centroids: Iterable[tuple[TopicId, Total]], dimension: int) -> None:
        self._ids: list[TopicId] = []
        self._rows: dict[TopicId, int] = {}
        self._matrix = np.zeros((16, dimension), dtype=np.float32)
        self._known = np.zeros(16, dtype=bool)
        for topic, centroid in centroids:
            self.put(topic, centroid)

    def put(self, topic: TopicId, centroid: Total) -> None:
        """Adds the leaf, or gives it another centroid; of unit length, or zero where it has none."""
        row = self._rows.get(topic)
        if row is None:
            row = len(self._ids)
            if row == len(self._matrix):
                self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
                self._known = np.concatenate([self._known, np.zeros_like(self._known)])
            self._ids.append(topic)
            self._rows[topic] = row
        self._matrix[row] = centroid
        self._known[row] = bool(np.any(centroid))

    def cosines(self, vector: Total) -> dict[TopicId, float]:
        """The cosine of each leaf that has a centroid to a vector of unit length."""
        values = self._scores(vector)
        return {topic: float(value) for topic, value in zip(self._ids, values, strict=True) if value > _UNKNOWN}

    def nearest(
        self, vector: Total, without: Collection[TopicId] = (), *, most: int = 2,
    ) -> list[tuple[float, TopicId]]:
        """The leaves most similar to a vector of unit length, as (cosine, leaf), best first; ties to the older leaf.
        Fewer than `most` where there are fewer."""
        values = self._scores(vector)
        for topic in without:
            values[self._rows[topic]] = _UNKNOWN
        best: list[tuple[float, TopicId]] = []
        for _ in range(min(most, len(values))):
            row = int(np.argmax(values))
            if values[row] == _UNKNOWN:
                break
            best.append((float(values[row]), self._ids[row]))
            values[row] = _UNKNOWN
        return best

    def _scores(self, vector: Total) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        count = len(self._ids)
        values = self._matrix[:count] @ vector.astype(np.float32)
        values[~self._known[:count]] = _UNKNOWN
        return values


def decide(best: list[tuple[float, TopicId]], threshold: float) -> tuple[TopicId | None, Decision]:
    """The topic to file to, or None for a new one, and why; `best` as `LeafIndex.nearest` returns it."""
    if not best:
        return None, Decision("new topic")
    score, topic = best[0]
    if score < threshold:
        return None, Decision("new topic", score, threshold - score, topic)
    if len(best) == 1:
        return topic, Decision("near", score)
    return topic, Decision("near", score, score - best[1][0], best[1][1])


def zone_of(best: Sequence[tuple[float, TopicId]], settings: ShapeSettings) -> Zone:
    """How sure vectors are; `best` as `LeafIndex.nearest` returns it."""
    if not best or best[0][0] < settings.nothing_near:
        return "nothing"
    ahead = best[0][0] - (best[1][0] if len(best) > 1 else 0.0)
    return "clear" if best[0][0] >= settings.clear_score and ahead >= settings.clear_margin else "grey"
