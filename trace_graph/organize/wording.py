"""New wordings of topics become summary revisions: the old one is superseded, never overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.models import NewId, RevisionId
from trace_graph.organize.lease import Lease
from trace_graph.organize.summaries import Draft, same
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
class Wording:
    """What a topic is to be called and to say."""

    topic: str
    draft: Draft
    current: Current | None
    from_messages: bool
    """Its sources are messages; otherwise revisions of the children."""

    @property
    def due(self) -> bool:
        """Whether it says anything new."""
        return self.current is None or not same(self.draft, self.current.title, self.current.text)


async def write_wordings(
    store: Store, space: Space, wordings: Sequence[Wording], lease: Lease, *, actor: Actor, new_id: NewId
) -> int:
    """Add the revisions that are due and mark all these topics as up to date; returns how many were added.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    event_id = new_id()
    due = [(new_id(), wording) for wording in wordings if wording.due]

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space.id, event_id, lease.owner)
        if locked.done:
            return
        lease.check(locked)
        clock = locked.next(lease.clock())
        settled = [{"id": wording.topic, "properties": {"stale_in": None}} for wording in wordings]
        await transaction.run("update_topics", topics=settled)
        if not due:
            await transaction.run("update_space", space=space.id, properties=lease.renewed())
            return
        records = await _write(transaction, space, due, clock)
        await transaction.run("append_event", event=event(
            clock, id=event_id, space=space.id, actor=actor, action="summaries.revised",
            targets=[id for id, _ in due], records=records))
        await transaction.run("update_space", space=space.id, properties={**moved(clock), **lease.renewed()})

    await store.write(work, "write_wordings", space=space.id)
    return len(due)


async def _write(
    transaction: Transaction, space: Space, due: Sequence[tuple[str, Wording]], clock: Clock
) -> list[Record]:
    retired: list[dict[str, Any]] = [
        {"id": wording.current.id, "retired_at": clock.recorded_at, "retired_seq": clock.change_seq}
        for _, wording in due if wording.current is not None]
    revisions: list[dict[str, Any]] = [
        {"topic": wording.topic, "properties": _revision(id, wording, space, clock)} for id, wording in due]
    superseded: list[dict[str, Any]] = [
        {"new": id, "old": wording.current.id, "properties": {
            "recorded_at": clock.recorded_at, "change_seq": clock.change_seq, "reason": "content changed",
            "decided_by": "extractive"}}
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


def _revision(id: str, wording: Wording, space: Space, clock: Clock) -> dict[str, Any]:
    return {
        "id": id, "space": space.id, "topic": wording.topic, "current_key": wording.topic,
        "number": 1 if wording.current is None else wording.current.number + 1, "title": wording.draft.title,
        "text": wording.draft.text, "method": "extractive", "tokens": count_tokens(wording.draft.text),
        "recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
