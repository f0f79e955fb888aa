"""What a prompt of the organiser shows of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone

from trace_graph.llm.texts import MessageText, Named, RevisionText, Texts
from trace_graph.models import TopicId
from trace_graph.organize.offering import LATEST, Shown
from trace_graph.store.connection import Store


@dataclass(frozen=True)
class GraphShelf:
    """The topics and texts of one space."""

    store: Store
    space: str
    """Its id."""

    async def topics(self, topics: Sequence[TopicId]) -> Mapping[TopicId, Shown]:
        """How these topics are shown; one that is gone is left out."""
        if not topics:
            return {}
        rows = await self.store.read("shown_topics", topics=list(topics), spaces=[self.space])
        return {TopicId(row["id"]): Shown(row["title"], row["revision"], _longest(row["latest"])) for row in rows}

    async def texts(self, named: Named) -> Texts:
        """The texts of these ids, as far as they are there."""
        return await read_texts(self.store, [self.space], named)


async def read_texts(store: Store, spaces: Sequence[str], named: Named) -> Texts:
    """The texts of these ids, as far as they are there and lie in spaces with these ids."""
    messages, revisions = {}, {}
    if named.messages:
        for row in await store.read("texts_of_messages", ids=sorted(named.messages), spaces=list(spaces)):
            there = timezone(timedelta(minutes=row["occurred_offset"] or 0))
            messages[row["id"]] = MessageText(
                row["author"], row["role"], row["occurred_at"].astimezone(there), row["text"])
    if named.revisions:
        for row in await store.read("texts_of_revisions", ids=sorted(named.revisions), spaces=list(spaces)):
            revisions[row["id"]] = RevisionText(row["title"], row["text"])
    return Texts(messages, revisions)


def _longest(latest: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """The ids of the longest of these messages, the oldest first."""
    longest = {id for id, _ in sorted(latest, key=lambda one: -one[1])[:LATEST]}
    return tuple(id for id, _ in reversed(latest) if id in longest)
