"""Titles and summaries of the topics that changed: leaves first, parents after, each change a new revision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.models import NewId, RevisionId, TopicId
from trace_graph.organize.lease import Lease
from trace_graph.organize.state import read_messages
from trace_graph.organize.summaries import ChildSummary, leaf_draft, parent_draft
from trace_graph.organize.titles import Background, Phrases, leaf_phrases, parent_phrases, title
from trace_graph.organize.values import Total
from trace_graph.organize.wording import Current, Wording, write_wordings
from trace_graph.organize.words import Lexicon
from trace_graph.store.connection import Row, Store, Transaction
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import lock_space

TOGETHER = 40
"""Topics whose wording is written in one transaction. Guess: 40 leaves hold up to 3,840 messages."""


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
        await self._keep_leaf_phrases(leaves)
        revised = await self._revise_leaves(leaves)
        inner = defaultdict(list)
        for row in stale:
            if row["child_count"] > 0 or row["kind"] == "root":
                inner[row["depth"]].append(row)
        for depth in sorted(inner, reverse=True):
            revised += await self._revise_parents(inner[depth])
        return revised

    async def _keep_leaf_phrases(self, leaves: Sequence[Row]) -> None:
        for group in _groups(leaves):
            messages = await read_messages(self.store, self.space.id, [row["id"] for row in group])
            phrases = {topic: leaf_phrases(said, self.lexicon) for topic, said in messages.items()}
            await self._keep_phrases(phrases)

    async def _keep_phrases(self, phrases: dict[TopicId, Phrases]) -> None:
        rows = [{"id": topic, "properties": {"phrases": kept}} for topic, kept in phrases.items()]

        async def work(transaction: Transaction) -> None:
            self.lease.check(await lock_space(transaction, self.space.id, self.lease.owner, self.lease.owner))
            await transaction.run("update_topics", topics=rows)
            await transaction.run("update_space", space=self.space.id, properties=self.lease.renewed())

        await self.store.write(work, "keep_phrases", space=self.space.id)

    async def _revise_leaves(self, leaves: Sequence[Row]) -> int:
        if not leaves:
            return 0
        phrases = await self._phrases_of_depth(None)
        background = Background.of(phrases.values())
        taken = await self._sibling_titles([row["id"] for row in leaves])
        revised = 0
        for group in _groups(leaves):
            messages = await read_messages(self.store, self.space.id, [row["id"] for row in group])
            wordings = []
            for row in group:
                said, own = messages[row["id"]], phrases.get(row["id"], [])
                name = title(
                    own, background.less(own), self.lexicon, taken=taken.others(row["id"]),
                    otherwise=said[0].text if said else "")
                taken.now(row["id"], name)
                draft = leaf_draft(name, said, own, self.mean, self.lexicon)
                wordings.append(Wording(row["id"], draft, _current(row), from_messages=True))
            revised += await self._write(wordings)
        return revised

    async def _revise_parents(self, rows: Sequence[Row]) -> int:
        """Topics of one depth; their children have their wording already."""
        revised = 0
        for group in _groups(rows):
            children = await self._children([row["id"] for row in group])
            phrases = {
                row["id"]: parent_phrases(
                    [(child["title"], child["phrases"] or []) for child in children[row["id"]]], self.lexicon)
                for row in group}
            await self._keep_phrases(phrases)
        others = await self._phrases_of_depth(rows[0]["depth"])
        background = Background.of(others.values())
        taken = await self._sibling_titles([row["id"] for row in rows])
        for group in _groups(rows):
            children = await self._children([row["id"] for row in group])
            wordings = []
            for row in group:
                name = self.space.name
                if row["kind"] != "root":
                    own = others.get(row["id"], [])
                    name = title(
                        own, background.less(own), self.lexicon, taken=taken.others(row["id"]),
                        otherwise=children[row["id"]][0]["title"] if children[row["id"]] else "")
                    taken.now(row["id"], name)
                worded = [child for child in children[row["id"]] if child["revision"]]
                draft = parent_draft(name, [_child_summary(child) for child in worded])
                wordings.append(Wording(row["id"], draft, _current(row), from_messages=False))
            revised += await self._write(wordings)
        return revised

    async def _write(self, wordings: Sequence[Wording]) -> int:
        return await write_wordings(
            self.store, self.space, wordings, self.lease, actor=self.actor, new_id=self.new_id)

    async def _phrases_of_depth(self, depth: int | None) -> dict[str, Phrases]:
        """Phrases by topic, of all leaves (None) or of the inner topics of one depth."""
        rows = await self.store.read("topic_phrases", spaces=[self.space.id])
        return {
            row["id"]: row["phrases"] for row in rows
            if row["phrases"] and (row["child_count"] == 0 if depth is None else (
                row["child_count"] > 0 and row["depth"] == depth))}

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


def _groups(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[start:start + TOGETHER] for start in range(0, len(rows), TOGETHER)]


def _current(row: Row) -> Current | None:
    if row["revision"] is None:
        return None
    return Current(RevisionId(row["revision"]), row["number"], row["title"], row["text"])


def _child_summary(row: dict[str, Any]) -> ChildSummary:
    return ChildSummary(
        TopicId(row["id"]), RevisionId(row["revision"]), row["title"], row["text"], row["message_count"])
