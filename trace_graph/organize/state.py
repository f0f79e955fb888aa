"""What the organiser reads from the graph before it plans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from trace_graph.models import MessageId, TopicId
from trace_graph.organize.values import (
    FiledMessage,
    FiledSegment,
    SegmentId,
    TopicState,
    Vector,
    WaitingMessage,
)
from trace_graph.store.connection import Row, Store

# The place of a message is written as SPACE/SESSION-DIGEST/SEQ: what stands before it has the same key with SEQ - 1.


async def read_topics(store: Store, space: str, dimension: int) -> dict[TopicId, TopicState]:
    """All topics of a space, as routing sees them."""
    rows = await store.read("tree_state", spaces=[space])
    return {TopicId(row["id"]): _topic_state(row, dimension) for row in rows}


async def read_waiting(store: Store, space: str, limit: int) -> tuple[list[WaitingMessage], dict[str, str]]:
    """The first waiting messages, and for each of their sessions the key of the place before its first one."""
    rows = await store.read("waiting_messages", spaces=[space], limit=limit)
    before: dict[str, tuple[int, str]] = {}
    for row in rows:
        stem, _, seq = row["place_key"].rpartition("/")
        place = (row["seq"], f"{stem}/{int(seq) - 1}")
        before[row["session"]] = min(before.get(row["session"], place), place)
    return [waiting_message(row) for row in rows], {session: key for session, (_, key) in before.items()}


async def read_tails(store: Store, space: str, before: Mapping[str, str]) -> dict[str, FiledSegment]:
    """The filed segment of each session that ends right before its first waiting message."""
    rows = await store.read("segments_before", keys=sorted(before.values()), spaces=[space])
    by_session: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_session[row["session"]].append(row)
    return {session: _segment(parts) for session, parts in by_session.items()}


async def read_contents(
    store: Store, space: str, topics: Sequence[TopicId]
) -> dict[TopicId, list[FiledSegment]]:
    """The filed segments of leaf topics."""
    rows = await store.read("topic_contents", topics=list(topics), spaces=[space])
    parts: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        parts[row["topic"], row["segment"]].append(row)
    contents: dict[TopicId, list[FiledSegment]] = {topic: [] for topic in topics}
    for (topic, _), rows_of_segment in sorted(parts.items()):
        contents[TopicId(topic)].append(_segment(sorted(rows_of_segment, key=lambda row: row["seq"])))
    return contents


async def read_messages(store: Store, space: str, topics: Sequence[TopicId]) -> dict[TopicId, list[WaitingMessage]]:
    """The messages of leaf topics in order of time, as summaries need them."""
    rows = await store.read("topic_contents", topics=list(topics), spaces=[space])
    messages: dict[TopicId, list[WaitingMessage]] = {topic: [] for topic in topics}
    for row in rows:
        messages[TopicId(row["topic"])].append(waiting_message(row))
    return messages


def waiting_message(row: Row) -> WaitingMessage:
    """A message with the text and vector that organising works on."""
    return WaitingMessage(
        id=MessageId(row["id"]), session=row["session"], seq=row["seq"], author=row["author"], text=row["text"],
        vector=_vector(row["embedding"]), occurred_at=row["occurred_at"])


def _segment(rows: Sequence[Row]) -> FiledSegment:
    return FiledSegment(
        id=SegmentId(rows[0]["segment"]), topic=TopicId(rows[0]["topic"]),
        messages=tuple(
            FiledMessage(MessageId(row["id"]), _vector(row["embedding"]), row["occurred_at"]) for row in rows))


def _topic_state(row: Row, dimension: int) -> TopicState:
    total = np.zeros(dimension) if row["vector_sum"] is None else np.array(row["vector_sum"], dtype=np.float64)
    return TopicState(
        id=TopicId(row["id"]), parent=TopicId(row["parent"]) if row["parent"] else None, depth=row["depth"],
        vector_sum=total, vector_count=row["vector_count"] or 0, message_count=row["message_count"],
        segment_count=row["segment_count"], child_count=row["child_count"], last_message_at=row["last_message_at"])


def _vector(values: list[float] | None) -> Vector | None:
    return None if values is None else np.array(values, dtype=np.float32)
