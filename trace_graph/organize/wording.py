"""New wordings of topics become summary revisions: the old one is superseded, never overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.models import NewId, RevisionId
from trace_graph.models.calls import ModelCall
from trace_graph.organize.due import Again
from trace_graph.organize.lease import Lease
from trace_graph.organize.summaries import Draft, same
from trace_graph.store.calls import link_made, write_calls
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Clock, Record, event
from trace_graph.store.spaces import lock_space, moved
from trace_graph.text.tokens import count_tokens


@dataclass(frozen=True)
class Current:
    """The revision that holds now."""

    id: RevisionId
    number: int
    title: str
    text: str


@dataclass(frozen=True)
class Made:
    """By which model a wording was made."""

    model: str
    prompt_version: int


@dataclass(frozen=True)
class Wording:
    """What a topic is to be called and to say."""

    topic: str
    draft: Draft
    current: Current | None
    from_messages: bool
    """Its sources are messages; otherwise revisions of the children."""
    message_count: int
    """Messages in the topic and below it, of which the wording knows."""
    made: Made | None = None
    """None for one that quotes."""

    @property
    def due(self) -> bool:
        """Whether it says anything new; what a model wrote is kept in any case, with what it was made from."""
        return self.made is not None or self.current is None or not same(
            self.draft, self.current.title, self.current.text)


@dataclass(frozen=True)
class Settled:
    """Topics that are not stale any more, written together."""

    wordings: Sequence[Wording]
    again: Mapping[str, Again | None]
    """Every topic that is settled, also those whose wording stays; when the model is to be asked for it again."""
    calls: Sequence[ModelCall] = field(default=())
    """What was asked for them; the last one gave the wordings that a model made."""


async def write_wordings(
    store: Store, space: Space, settled: Settled, lease: Lease, *, actor: Actor, new_id: NewId
) -> int:
    """Add the revisions that are due and mark all these topics as settled; returns how many were added.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    event_id = new_id()
    calls = [(new_id(), call) for call in settled.calls]
    due = [(new_id(), wording) for wording in settled.wordings if wording.due]

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space.id, event_id, lease.owner)
        if locked.done:
            return
        lease.check(locked)
        clock = locked.next(lease.stamp())
        await transaction.run("update_topics", topics=[_mark(topic, again) for topic, again in settled.again.items()])
        if not due and not calls:
            await transaction.run("update_space", space=space.id, properties=lease.renewed())
            return
        records = await _write(transaction, space, due, clock, calls[-1][0] if calls else None) if due else []
        if calls:
            records += await write_calls(transaction, space.id, calls, clock)
            records += await link_made(
                transaction, [(calls[-1][0], id) for id, wording in due if wording.made], clock)
        await transaction.run("append_event", event=event(
            clock, id=event_id, space=space.id, actor=actor,
            action="summaries.revised" if due else "summaries.tried",
            targets=[id for id, _ in due or calls], records=records))
        await transaction.run("update_space", space=space.id, properties={**moved(clock), **lease.renewed()})

    await store.write(work, "write_wordings", space=space.id)
    return len(due)


def _mark(topic: str, again: Again | None) -> dict[str, Any]:
    return {"id": topic, "properties": {
        "stale_in": None, "word_at": again.at if again else None,
        "failed_wordings": (again.failed or None) if again else None}}


async def _write(
    transaction: Transaction, space: Space, due: Sequence[tuple[str, Wording]], clock: Clock, call: str | None
) -> list[Record]:
    retired: list[dict[str, Any]] = [
        {"id": wording.current.id, "retired_at": clock.recorded_at, "retired_seq": clock.change_seq}
        for _, wording in due if wording.current is not None]
    revisions: list[dict[str, Any]] = [
        {"topic": wording.topic, "properties": _revision(id, wording, space, clock, call)} for id, wording in due]
    superseded: list[dict[str, Any]] = [
        {"new": id, "old": wording.current.id, "properties": {
            "recorded_at": clock.recorded_at, "change_seq": clock.change_seq, "reason": "content changed",
            "decided_by": "model" if wording.made else "extractive"}}
        for id, wording in due if wording.current is not None]
    stamp = {"recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
    links = {
        kind: [
            {"revision": id, "source": source, "properties": stamp}
            for id, wording in due if wording.from_messages is kind for source in wording.draft.sources]
        for kind in (True, False)}
    if retired:
        await transaction.run("retire_revisions", revisions=retired)
    await transaction.run("add_revisions", revisions=revisions)
    if superseded:
        await transaction.run("link_superseded", links=superseded)
    if links[True]:
        await transaction.run("derive_from_messages", links=links[True])
    if links[False]:
        await transaction.run("derive_from_revisions", links=links[False])
    return [
        *(Record("SummaryRevision closed", row) for row in retired),
        *(Record("SummaryRevision", row["properties"]) for row in revisions),
        *(Record("HAS_REVISION", {"from": row["topic"], "to": row["properties"]["id"]}) for row in revisions),
        *(Record("SUPERSEDES", {"from": row["new"], "to": row["old"], **row["properties"]}) for row in superseded),
        *(Record("DERIVED_FROM", {"from": row["revision"], "to": row["source"], **stamp})
          for row in (*links[True], *links[False]))]


def _revision(id: str, wording: Wording, space: Space, clock: Clock, call: str | None) -> dict[str, Any]:
    properties = {
        "id": id, "space": space.id, "topic": wording.topic, "current_key": wording.topic,
        "number": 1 if wording.current is None else wording.current.number + 1, "title": wording.draft.title,
        "text": wording.draft.text, "method": "extractive", "tokens": count_tokens(wording.draft.text),
        "message_count": wording.message_count, "recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
    if wording.made is not None:
        properties |= {
            "method": "llm", "model": wording.made.model, "prompt_version": wording.made.prompt_version, "call": call}
    return properties
