"""Titles and summaries of the topics that changed: leaves first, parents after, each change a new revision.

Without a model they quote. With one they are written by it, several topics a call, once enough has changed; until then,
and where a model fails, the wording stays that is there.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from trace_graph.access.scopes import Space
from trace_graph.llm.purposes.summarise import Kind, SummariseReply
from trace_graph.llm.values import Answered, Model
from trace_graph.llm_settings import SummarySettings
from trace_graph.models import NewId, TopicId
from trace_graph.organize.due import (
    Again,
    change_of_leaf,
    change_of_parent,
    is_due,
    left_behind,
    not_asked,
    refused,
)
from trace_graph.organize.lease import Lease
from trace_graph.organize.model_wording import (
    Batch,
    Before,
    Job,
    batched,
    current_texts,
    in_order,
    leaf_job,
    parent_job,
    was_asked,
)
from trace_graph.organize.quoting import (
    Below,
    Read,
    Titles,
    current_of,
    leaf_wordings,
    parent_wordings,
    standing_of,
)
from trace_graph.organize.state import read_messages
from trace_graph.organize.summaries import PARENT_TOKENS, ROOT_TOKENS, Draft, leaf_draft
from trace_graph.organize.titles import Background, Phrases, leaf_phrases, parent_phrases
from trace_graph.organize.values import Total, WaitingMessage
from trace_graph.organize.wording import Made, Settled, Wording, write_wordings
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
class Revised:
    """What one round did."""

    revisions: int = 0
    calls: int = 0
    """To a model."""

    def __add__(self, other: Revised) -> Revised:
        return Revised(self.revisions + other.revisions, self.calls + other.calls)


@dataclass(frozen=True)
class _Sources:
    """What a wording was made from."""

    ids: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    """Of a parent's wording: the children."""


_Quote = Callable[[Sequence[Row]], list[Wording]]
"""Words topics without a model."""


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
    model: Model | None = None
    settings: SummarySettings = field(default_factory=SummarySettings)
    """How calls are kept; None: they are not."""

    async def run(self) -> Revised:
        """Word anew what is due. May be killed and run again: no call is paid twice for what was written.

        First the phrases of all stale leaves are kept, then titles are chosen from them: so a run that goes on after
        a kill sees the same phrases as one that was not disturbed.
        """
        stale = await self.store.read("stale_topics", spaces=[self.space.id])
        if self.model is not None and self.model.resting is None:
            stale += await self.store.read("topics_to_word_again", spaces=[self.space.id], now=self.lease.stamp())
        sources = await self._sources(stale)
        leaves = [row for row in stale if row["child_count"] == 0 and row["kind"] == "topic"]
        revised = await self._revise_leaves(leaves, await self._read_leaves(leaves, sources))
        inner = defaultdict(list)
        for row in stale:
            if row["child_count"] > 0 or row["kind"] == "root":
                inner[row["depth"]].append(row)
        for depth in sorted(inner, reverse=True):
            revised += await self._revise_parents(inner[depth], sources)
        return revised

    async def _sources(self, rows: Sequence[Row]) -> dict[str, _Sources]:
        """By topic, what the wording of a model was made from."""
        topics = {row["revision"]: row["id"] for row in rows if standing_of(row).by_model}
        if not topics:
            return {}
        found = await self.store.read("wording_sources", revisions=sorted(topics), spaces=[self.space.id])
        return {
            topics[row["id"]]: _Sources(frozenset(row["sources"]), frozenset(row["topics"])) for row in found}

    async def _read_leaves(
        self, leaves: Sequence[Row], sources: Mapping[str, _Sources]
    ) -> dict[TopicId, Read]:
        """Read each leaf's messages, once, and keep its phrases."""
        read: dict[TopicId, Read] = {}
        for group in grouped(leaves, READ_TOGETHER, lambda row: int(row["message_count"])):
            messages = await read_messages(self.store, self.space.id, [row["id"] for row in group])
            # Reading text is work for the processor: it must not hold up the adds and recalls of this process.
            found = await asyncio.to_thread(self._read, group, messages, sources)
            await self._keep_phrases({topic: one.phrases for topic, one in found.items()})
            read |= found
        return read

    def _read(
        self, rows: Sequence[Row], messages: Mapping[TopicId, Sequence[WaitingMessage]], sources: Mapping[str, _Sources]
    ) -> dict[TopicId, Read]:
        found = {}
        for row in rows:
            topic = TopicId(row["id"])
            said = messages[topic]
            phrases = leaf_phrases(said, self.lexicon)
            found[topic] = Read(
                phrases, leaf_draft("", said, phrases, self.mean, self.lexicon), said[0].text if said else "",
                self._leaf_job(row, said, sources.get(topic, _Sources())))
        return found

    def _leaf_job(self, row: Row, said: Sequence[WaitingMessage], sources: _Sources) -> Job | None:
        standing = standing_of(row)
        if self.model is None or not said or not is_due(
                standing, change_of_leaf(standing, sources.ids, said, self.mean), self.lease.stamp(), self.settings):
            return None
        before = Before(row["revision"], row["title"], row["text"], sources.ids) if standing.by_model else None
        return leaf_job(row["id"], said, before, self.mean, self.lexicon, most=self.settings.tokens_a_call)

    async def _keep_phrases(self, phrases: dict[TopicId, Phrases]) -> None:
        rows = [{"id": topic, "properties": {"phrases": kept}} for topic, kept in phrases.items()]

        async def work(transaction: Transaction) -> None:
            self.lease.check(await lock_space(transaction, self.space.id, self.lease.owner, self.lease.owner))
            await transaction.run("update_topics", topics=rows)
            await transaction.run("update_space", space=self.space.id, properties=self.lease.renewed())

        await self.store.write(work, "keep_phrases", space=self.space.id)

    async def _revise_leaves(self, leaves: Sequence[Row], read: Mapping[TopicId, Read]) -> Revised:
        if not leaves:
            return Revised()
        background = await self._background(None)
        taken = await self._sibling_titles([row["id"] for row in leaves])

        def quote(rows: Sequence[Row]) -> list[Wording]:
            return leaf_wordings(rows, read, background, taken, self.lexicon)

        jobs = {topic: one.job for topic, one in read.items() if one.job is not None}
        return await self._revise("leaves", leaves, jobs, quote=quote, taken=taken)

    async def _revise_parents(self, rows: Sequence[Row], sources: Mapping[str, _Sources]) -> Revised:
        """Topics of one depth; their children have their wording already."""
        below: dict[TopicId, Below] = {}
        for group in _groups(rows):
            children = await self._children([row["id"] for row in group])
            found = await asyncio.to_thread(self._below, group, children, sources)
            await self._keep_phrases({topic: one.phrases for topic, one in found.items()})
            below |= found
        background = await self._background(rows[0]["depth"])
        taken = await self._sibling_titles([row["id"] for row in rows])

        def quote(rows: Sequence[Row]) -> list[Wording]:
            return parent_wordings(
                rows, below, background, taken, lexicon=self.lexicon, space_name=self.space.name)

        jobs = {topic: one.job for topic, one in below.items() if one.job is not None}
        return await self._revise("parents", rows, jobs, quote=quote, taken=taken)

    def _below(
        self, rows: Sequence[Row], children: Mapping[str, Sequence[Row]], sources: Mapping[str, _Sources]
    ) -> dict[TopicId, Below]:
        found = {}
        for row in rows:
            below = children[row["id"]]
            phrases = parent_phrases([(child["title"], child["phrases"] or []) for child in below], self.lexicon)
            found[TopicId(row["id"])] = Below(
                below, phrases, self._parent_job(row, below, sources.get(row["id"], _Sources())))
        return found

    def _parent_job(self, row: Row, children: Sequence[Row], sources: _Sources) -> Job | None:
        standing, worded = standing_of(row), current_texts(children)
        counts = {child["id"]: int(child["message_count"]) for child in children}
        if self.model is None or not worded or not is_due(
                standing, change_of_parent(standing, sources.topics, counts), self.lease.stamp(), self.settings):
            return None
        is_root = row["kind"] == "root"
        return parent_job(
            row["id"], worded, self.lexicon, tokens=ROOT_TOKENS if is_root else PARENT_TOKENS,
            name=self.space.name if is_root else None)

    async def _revise(
        self, kind: Kind, rows: Sequence[Row], jobs: Mapping[TopicId, Job], *, quote: _Quote, taken: Titles
    ) -> Revised:
        """Word some topics: those with a job by the model, of the others those that no model has worded."""
        revised = Revised()
        if self.model is not None and jobs:
            due = [row for row in rows if row["id"] in jobs]
            revised += await self._ask(self.model, kind, due, jobs, quote=quote, taken=taken)
        for group in _groups([row for row in rows if row["id"] not in jobs]):
            quoted = [row for row in group if not standing_of(row).by_model]
            wordings = await asyncio.to_thread(quote, quoted)
            revised += await self._write(Settled(wordings, {row["id"]: self._left(row) for row in group}))
        return revised

    def _left(self, row: Row) -> Again | None:
        """When the model is to be asked for a topic that it does not word now."""
        standing = standing_of(row)
        if standing.by_model:
            return left_behind(standing, self.lease.stamp(), self.settings)
        return None if standing.word_at is None else Again(standing.word_at, standing.failed)

    async def _ask(
        self, model: Model, kind: Kind, rows: Sequence[Row], jobs: Mapping[TopicId, Job], *, quote: _Quote,
        taken: Titles,
    ) -> Revised:
        """Ask for several topics at a time; what comes is written in the order of the topics, call by call."""
        by_id = {row["id"]: row for row in rows}
        # Topics of one parent stand together: what tells them apart is then seen.
        ordered = sorted(rows, key=lambda row: (row["parent"] or "", row["id"]))
        batches = batched(
            kind, [jobs[TopicId(row["id"])] for row in ordered], topics=self.settings.topics_a_call,
            tokens=self.settings.tokens_a_call)
        requests = await asyncio.to_thread(lambda: [batch.request(taken.others) for batch in batches])
        left, revised = iter(batches), Revised()
        async with aclosing(in_order(model, requests)) as answers:
            async for answered in answers:
                settled = await asyncio.to_thread(
                    self._settled, next(left), answered, by_id, quote=quote, taken=taken, model=model.name)
                revised += await self._write(settled)
        return revised

    def _settled(
        self, batch: Batch, answered: Answered[SummariseReply], rows: Mapping[str, Row], *, quote: _Quote,
        taken: Titles, model: str,
    ) -> Settled:
        """What becomes of the topics of one call: the model's wording, or else the one there is, or one that quotes."""
        worded = batch.worded(answered.value, taken.others) if answered.value is not None else {}
        made = Made(model, answered.calls[-1].prompt_version) if answered.calls else None
        wordings: list[Wording] = []
        again: dict[str, Again | None] = {}
        for job in batch.jobs:
            row, one = rows[job.topic], worded.get(job.topic)
            standing, now = standing_of(row), self.lease.stamp()
            again[job.topic] = None
            if one is not None:
                quoted = None if one.title and one.title not in taken.others(job.topic) else quote([row])[0]
                name = quoted.draft.title if quoted else str(one.title)
                taken.now(job.topic, name)
                draft = Draft(name, one.text, job.sources)
                wordings.append(Wording(
                    job.topic, draft, current_of(row), from_messages=batch.kind == "leaves",
                    message_count=row["message_count"], made=made))
                continue
            asked = was_asked(answered)
            again[job.topic] = refused(standing, now, self.settings) if asked else not_asked(standing, now)
            if not standing.by_model:
                wordings += quote([row])
        figures = {"topics": len(batch.jobs), "worded": sum(one is None for one in again.values())}
        return Settled(wordings, again, answered.with_figures(figures).calls)

    async def _write(self, settled: Settled) -> Revised:
        revisions = await write_wordings(
            self.store, self.space, settled, self.lease, actor=self.actor, new_id=self.new_id)
        return Revised(revisions, len(settled.calls))

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

    async def _sibling_titles(self, topics: Sequence[str]) -> Titles:
        rows = await self.store.read("sibling_titles", topics=list(topics), spaces=[self.space.id])
        return Titles({row["id"]: row["parent"] for row in rows}, {row["id"]: row["title"] for row in rows})


def _groups(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[start:start + TOGETHER] for start in range(0, len(rows), TOGETHER)]
