"""What the caches of a space and of its topics should hold, by what is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from trace_graph.store.rows import Row

TOGETHER = 40
"""Topics whose messages are read in one query. Guess: 40 leaves hold up to 3,840 messages."""

TOLERANCE = 1e-6
"""Share of the number of vectors by which a number of their sum may differ: sums of floats depend on their order.
Guess: 64-bit sums of 100,000 unit vectors differ by less than 1e-9 of it."""

MOST_AUTHORS = 1000
"""Names that a space keeps; the same number as where messages are written."""

Total = npt.NDArray[np.float64]


class Reading(Protocol):
    """Runs a reading query: through a store, or inside a transaction."""

    def __call__(self, name: str, **parameters: Any) -> Awaitable[list[Row]]:
        """The rows of the query."""


@dataclass(frozen=True)
class Caches:
    """What differs from what it should be: only the properties that do, with the values that they should have."""

    space: dict[str, Any]
    topics: dict[str, dict[str, Any]]
    """By id; only topics in which something differs."""
    wrong_sums: list[str]
    """Ids of topics, or of the space, whose sum of vectors differs."""


@dataclass
class _Lying:
    """What lies in a topic and below it."""

    messages: int = 0
    vectors: int = 0
    children: int = 0
    segments: set[str] = field(default_factory=set)
    total: Total | None = None
    last: datetime | None = None

    def add(self, segment: str, vector: Sequence[float] | None, occurred_at: datetime) -> None:
        self.messages += 1
        self.segments.add(segment)
        self.last = max(occurred_at, self.last or occurred_at)
        if vector is not None:
            self.vectors += 1
            self.total = _sum(self.total, np.asarray(vector, dtype=np.float64))

    def take_in(self, child: _Lying) -> None:
        self.children += 1
        self.messages += child.messages
        self.vectors += child.vectors
        self.segments |= child.segments
        self.total = _sum(self.total, child.total)
        self.last = max((last for last in (self.last, child.last) if last is not None), default=None)


async def expected_caches(read: Reading, space: str) -> Caches:
    """Count and add up everything that is filed in a space, and compare."""
    topics = {row["id"]: row for row in await read("doctor_topics", spaces=[space])}
    lying: dict[str, _Lying] = defaultdict(_Lying)
    ids = sorted(topics)
    for start in range(0, len(ids), TOGETHER):
        for row in await read("doctor_contents", topics=ids[start:start + TOGETHER], spaces=[space]):
            lying[row["topic"]].add(row["segment"], row["vector"], row["occurred_at"])
    everything = _Lying()
    for own in lying.values():
        everything.take_in(own)
    depths = _depths(topics)
    for id in sorted(depths, key=lambda topic: -depths[topic]):
        parent = topics[id]["parent"]
        if parent is not None:
            lying[parent].take_in(lying[id])
    differing = {id: _topic_differences(topics[id], lying[id], depths[id]) for id in depths}
    of_space = _space_differences((await read("doctor_space_caches", spaces=[space]))[0], everything)
    wrong_sums = [id for id, different in {**differing, space: of_space}.items() if "vector_sum" in different]
    return Caches(of_space, {id: different for id, different in differing.items() if different}, wrong_sums)


def _depths(topics: Mapping[str, Row]) -> dict[str, int]:
    """How deep each topic lies below its root; those that no root is above are left out."""
    below: dict[str | None, list[str]] = defaultdict(list)
    for id, row in topics.items():
        below[row["parent"]].append(id)
    depths = {id: 0 for id in below[None] if topics[id]["kind"] == "root"}
    queue = list(depths)
    for id in queue:
        for child in below[id]:
            if child not in depths:
                depths[child] = depths[id] + 1
                queue.append(child)
    return depths


def _topic_differences(row: Row, lying: _Lying, depth: int) -> dict[str, Any]:
    should = {
        "depth": depth, "message_count": lying.messages, "segment_count": len(lying.segments),
        "child_count": lying.children, "last_message_at": lying.last}
    different = {name: value for name, value in should.items() if row[name] != value}
    return different | _vector_differences(row, lying)


def _space_differences(row: Row, everything: _Lying) -> dict[str, Any]:
    different: dict[str, Any] = {}
    if row["message_count"] != row["messages"]:
        different["message_count"] = row["messages"]
    if row["passage_count"] != row["passages"]:
        different["passage_count"] = row["passages"]
    known, speakers = row["authors"] or [], row["speakers"]
    kept = [name for name in known if name in set(speakers)]
    authors = list(dict.fromkeys([*kept, *speakers]))[:MOST_AUTHORS]
    if sorted(authors) != sorted(known) and not (len(known) == MOST_AUTHORS and kept == known):
        different["authors"] = authors
    return different | _vector_differences(row, everything)


def _vector_differences(row: Row, lying: _Lying) -> dict[str, Any]:
    """The sum and the count belong together: both are given where one is wrong."""
    stored = np.asarray(row["vector_sum"] or [0.0], dtype=np.float64)
    total = np.zeros_like(stored) if lying.total is None else lying.total
    if not row["vector_sum"] and not lying.vectors:
        return {} if not row["vector_count"] else {"vector_count": 0}
    same = stored.shape == total.shape and bool(
        np.max(np.abs(stored - total)) <= TOLERANCE * max(1, lying.vectors))
    if same and (row["vector_count"] or 0) == lying.vectors:
        return {}
    return {"vector_count": lying.vectors} | ({} if same else {"vector_sum": total.tolist()})


def _sum(one: Total | None, other: Total | None) -> Total | None:
    if one is None or other is None:
        return other if one is None else one
    # Of two lengths one is a fault that another check names.
    return one + other if one.shape == other.shape else one
