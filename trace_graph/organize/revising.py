"""Titles and summaries of the topics that changed: leaves first, parents after, each change a new revision."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.models import NewId, RevisionId, TopicId
from trace_graph.organize.lease import Lease
from trace_graph.organize.state import read_messages
from trace_graph.organize.summaries import ChildSummary, Draft, leaf_draft, parent_draft
from trace_graph.organize.titles import Background, Phrases, leaf_phrases, parent_phrases, title
from trace_graph.organize.values import Total, WaitingMessage
from trace_graph.organize.wording import Current, Wording, write_wordings
from trace_graph.organize.words import Lexicon
from trace_graph.store.batches import grouped
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor
from trace_graph.store.rows import Row
from trace_graph.store.spaces import lock_space

TOGETHER = 40
"""Topics whose wording is written in one transaction (guess)."""
READ_TOGETHER = 300
"""Messages of stale leaves that are read at once. To unpack their vectors holds up the event loop: 10 ms (measured)."""


@dataclass(frozen=True)
class _Read:
    """What is known of a stale leaf once its messages were read: all of its wording but the title."""

    phrases: Phrases
    draft: Draft
    said_first: str


_Below = tuple[Sequence[Row], Phrases]
"""The children of a topic, and the phrases that follow from theirs."""


@dataclass(frozen=True)
class Reviser:
    """One round of revising the stale topics of a space."""

    store: Store
    space: Space
    lease: Lease
    mean: Total
    lexicon: Lexicon
    actor: Actor
    new_id: NewId

    async def run(self) -> int:
        """Word every stale topic anew; returns how many revisions that made. May be killed and run again.

        First the phrases of all stale leaves are kept, then titles are chosen from them: so a run that goes on after
        a kill sees the same phrases as one that was not disturbed.
        """
        stale = await self.store.read("stale_topics", spaces=[self.space.id])
        leaves = [row for row in stale if row["child_count"] == 0 and row["kind"] == "topic"]
        revised = await self._revise_leaves(leaves, await self._read_leaves(leaves))
        inner = defaultdict(list)
        for row in stale:
            if row["child_count"] > 0 or row["kind"] == "root":
                inner[row["depth"]].append(row)
        for depth in sorted(inner, reverse=True):
            revised += await self._revise_parents(inner[depth])
        return revised

    async def _read_leaves(self, leaves: Sequence[Row]) -> dict[TopicId, _Read]:
        """Read each leaf's messages, once, and keep its phrases."""
        read: dict[TopicId, _Read] = {}
        for group in grouped(leaves, READ_TOGETHER, lambda row: int(row["message_count"])):
            messages = await read_messages(self.store, self.space.id, [row["id"] for row in group])
            # Reading text is work for the processor: it must not hold up the adds and recalls of this process.
            found = await asyncio.to_thread(_read, messages, self.mean, self.lexicon)
            await self._keep_phrases({topic: one.phrases for topic, one in found.items()})
            read |= found
        return read

    async def _keep_phrases(self, phrases: dict[TopicId, Phrases]) -> None:
        rows = [{"id": topic, "properties": {"phrases": kept}} for topic, kept in phrases.items()]

        async def work(transaction: Transaction) -> None:
            self.lease.check(await lock_space(transaction, self.space.id, self.lease.owner, self.lease.owner))
            await transaction.run("update_topics", topics=rows)
            await transaction.run("update_space", space=self.space.id, properties=self.lease.renewed())

        await self.store.write(work, "keep_phrases", space=self.space.id)

    async def _revise_leaves(self, leaves: Sequence[Row], read: Mapping[TopicId, _Read]) -> int:
        if not leaves:
            return 0
        background = await self._background(None)
        taken = await self._sibling_titles([row["id"] for row in leaves])
        revised = 0
        for group in _groups(leaves):
            revised += await self._write(await asyncio.to_thread(
                _leaf_wordings, group, read, background, taken, self.lexicon))
        return revised

    async def _revise_parents(self, rows: Sequence[Row]) -> int:
        """Topics of one depth; their children have their wording already."""
        below: dict[TopicId, _Below] = {}
        for group in _groups(rows):
            children = await self._children([row["id"] for row in group])
            found = await asyncio.to_thread(_below, children, self.lexicon)
            await self._keep_phrases({topic: phrases for topic, (_, phrases) in found.items()})
            below |= found
        background = await self._background(rows[0]["depth"])
        taken = await self._sibling_titles([row["id"] for row in rows])
        revised = 0
        for group in _groups(rows):
            revised += await self._write(await asyncio.to_thread(
                _parent_wordings, group, below, background, taken, lexicon=self.lexicon, space_name=self.space.name))
        return revised

    async def _write(self, wordings: Sequence[Wording]) -> int:
        return await write_wordings(
            self.store, self.space, wordings, self.lease, actor=self.actor, new_id=self.new_id)

    async def _background(self, depth: int | None) -> Background:
        """Of the phrases of all leaves (None), or of the inner topics of one depth."""
        rows = await self.store.read("topic_phrases", spaces=[self.space.id])
        return await asyncio.to_thread(Background.of, [
            row["phrases"] for row in rows
            if row["phrases"] and (row["child_count"] == 0 if depth is None else (
                row["child_count"] > 0 and row["depth"] == depth))])

    async def _children(self, topics: Sequence[str]) -> dict[str, list[Row]]:
        children: dict[str, list[Row]] = {topic: [] for topic in topics}
        for row in await self.store.read("children_of", topics=list(topics), spaces=[self.space.id]):
            children[row["parent"]].append(row)
        return children

    async def _sibling_titles(self, topics: Sequence[str]) -> _Titles:
        rows = await self.store.read("sibling_titles", topics=list(topics), spaces=[self.space.id])
        return _Titles({row["id"]: row["parent"] for row in rows}, {row["id"]: row["title"] for row in rows})


class _Titles:
    """Titles that siblings have, so that no two of one parent read the same."""

    def __init__(self, parent_of: dict[str, str], titles: dict[str, str]) -> None:
        self._parent_of = parent_of
        self._titles = titles

    def others(self, topic: str) -> list[str]:
        """The titles of the topic's siblings."""
        parent = self._parent_of.get(topic)
        return [
            name for other, name in sorted(self._titles.items())
            if other != topic and name and self._parent_of[other] == parent]

    def now(self, topic: str, name: str) -> None:
        """This topic is called so from now on."""
        self._titles[topic] = name


def _read(
    messages: Mapping[TopicId, Sequence[WaitingMessage]], mean: Total, lexicon: Lexicon
) -> dict[TopicId, _Read]:
    found = {}
    for topic, said in messages.items():
        phrases = leaf_phrases(said, lexicon)
        found[topic] = _Read(phrases, leaf_draft("", said, phrases, mean, lexicon), said[0].text if said else "")
    return found


def _leaf_wordings(
    rows: Sequence[Row], read: Mapping[TopicId, _Read], background: Background, taken: _Titles, lexicon: Lexicon
) -> list[Wording]:
    wordings = []
    for row in rows:
        one = read[row["id"]]
        name = title(
            one.phrases, background.less(one.phrases), lexicon, taken=taken.others(row["id"]), otherwise=one.said_first)
        taken.now(row["id"], name)
        wordings.append(Wording(row["id"], replace(one.draft, title=name), _current(row), from_messages=True))
    return wordings


def _below(children: Mapping[str, Sequence[Row]], lexicon: Lexicon) -> dict[TopicId, _Below]:
    return {
        TopicId(topic): (below, parent_phrases([(child["title"], child["phrases"] or []) for child in below], lexicon))
        for topic, below in children.items()}


def _parent_wordings(
    rows: Sequence[Row], below_of: Mapping[TopicId, _Below], background: Background, taken: _Titles, *,
    lexicon: Lexicon, space_name: str,
) -> list[Wording]:
    wordings = []
    for row in rows:
        below, own = below_of[row["id"]]
        name = space_name
        if row["kind"] != "root":
            name = title(
                own, background.less(own), lexicon, taken=taken.others(row["id"]),
                otherwise=below[0]["title"] if below else "")
            taken.now(row["id"], name)
        draft = parent_draft(name, [_child_summary(child) for child in below if child["revision"]])
        wordings.append(Wording(row["id"], draft, _current(row), from_messages=False))
    return wordings


def _groups(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[start:start + TOGETHER] for start in range(0, len(rows), TOGETHER)]


def _current(row: Row) -> Current | None:
    if row["revision"] is None:
        return None
    return Current(RevisionId(row["revision"]), row["number"], row["title"], row["text"])


def _child_summary(row: dict[str, Any]) -> ChildSummary:
    return ChildSummary(
        TopicId(row["id"]), RevisionId(row["revision"]), row["title"], row["text"], row["message_count"],
        inner=(row["child_count"] or 0) > 0)
