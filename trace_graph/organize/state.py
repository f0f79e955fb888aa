"""What the organiser reads from the graph before it plans."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

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
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

# Rows become vectors and messages in a thread: a thousand of them would hold up the event loop for 20 ms.
# The place of a message is written as SPACE/SESSION-DIGEST/SEQ: what stands before it has the same key with SEQ - 1.


async def read_topics(store: Store, space: str, dimension: int) -> dict[TopicId, TopicState]:
    """All topics of a space, as routing sees them."""
    rows = await store.read("tree_state", spaces=[space])
    return {TopicId(row["id"]): _topic_state(row, dimension) for row in rows}


async def read_waiting(store: Store, space: str, limit: int) -> tuple[list[WaitingMessage], dict[str, str]]:
    """The first waiting messages, and for each of their sessions the key of the place before its first one."""
    rows = await store.read_lists("waiting_messages", spaces=[space], limit=limit)
    return await asyncio.to_thread(_waiting, rows)


def _waiting(rows: Sequence[Sequence[Any]]) -> tuple[list[WaitingMessage], dict[str, str]]:
    before: dict[str, tuple[int, str]] = {}
    for _, session, seq, *_, place_key in rows:
        place = (seq, f"{place_key.rpartition('/')[0]}/{seq - 1}")
        before[session] = min(before.get(session, place), place)
    return [_waiting_message(row) for row in rows], {session: key for session, (_, key) in before.items()}


async def read_tails(store: Store, space: str, before: Mapping[str, str]) -> dict[str, FiledSegment]:
    """The filed segment of each session that ends right before its first waiting message."""
    rows = await store.read("segments_before", keys=sorted(before.values()), spaces=[space])
    by_session: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_session[row["session"]].append(row)
    return {session: _segment(parts) for session, parts in by_session.items()}


async def read_contents(
    store: Store, space: str, topics: Sequence[TopicId], *, margins: bool = False
) -> dict[TopicId, list[FiledSegment]]:
    """The filed segments of leaf topics; with the margins of those that vectors put there, where that is asked for."""
    rows = await store.read_lists("topic_contents", topics=list(topics), spaces=[space])
    contents = await asyncio.to_thread(_filed, rows, topics)
    if not margins:
        return contents
    kept = {row["segment"]: row["margin"] for row in await store.read(
        "segment_margins", topics=list(topics), spaces=[space])}
    return {topic: [replace(one, margin=kept.get(one.id)) for one in segments] for topic, segments in contents.items()}


def _filed(rows: Sequence[Sequence[Any]], topics: Sequence[TopicId]) -> dict[TopicId, list[FiledSegment]]:
    parts: dict[tuple[str, str], list[WaitingMessage]] = defaultdict(list)
    for row in rows:
        topic, segment = row[-2:]
        parts[topic, segment].append(_waiting_message(row))
    contents: dict[TopicId, list[FiledSegment]] = {topic: [] for topic in topics}
    for (topic, segment), said in sorted(parts.items()):
        said.sort(key=lambda message: message.seq)
        contents[TopicId(topic)].append(FiledSegment(
            id=SegmentId(segment), topic=TopicId(topic),
            messages=tuple(FiledMessage(one.id, one.vector, one.occurred_at) for one in said)))
    return contents


async def read_messages(store: Store, space: str, topics: Sequence[TopicId]) -> dict[TopicId, list[WaitingMessage]]:
    """The messages of leaf topics in order of time, as summaries need them."""
    rows = await store.read_lists("topic_contents", topics=list(topics), spaces=[space])
    return await asyncio.to_thread(_said, rows, topics)


def _said(rows: Sequence[Sequence[Any]], topics: Sequence[TopicId]) -> dict[TopicId, list[WaitingMessage]]:
    messages: dict[TopicId, list[WaitingMessage]] = {topic: [] for topic in topics}
    for row in rows:
        messages[TopicId(row[-2])].append(_waiting_message(row))
    return messages


def _waiting_message(row: Sequence[Any]) -> WaitingMessage:
    """A message with the text and vector that organising works on; the first columns of both queries of messages."""
    id, session, seq, author, text, embedding, occurred_at = row[:7]
    return WaitingMessage(
        id=MessageId(id), session=session, seq=seq, author=author, text=text, vector=_vector(embedding),
        occurred_at=occurred_at)


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
