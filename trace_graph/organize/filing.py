"""A plan is carried out: topics opened, messages filed and moved, in one transaction with its ledger event."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.models import NewId, TopicId
from trace_graph.organize.lease import Lease
from trace_graph.organize.routing import KeptCall
from trace_graph.organize.values import Decision, MovedPlacement, Placement, Plan, TopicState, Total
from trace_graph.store.calls import link_made, write_calls
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Clock, Record, event
from trace_graph.store.spaces import lock_space, moved


@dataclass(frozen=True)
class Filing:
    """One plan, and what the space's running mean becomes by it."""

    plan: Plan
    vector_sum: Total
    """Of all filed messages of the space, these included."""
    vector_count: int
    calls: tuple[KeptCall, ...] = ()
    """What a model was asked for it, in order."""


async def carry_out(
    store: Store, space: Space, filing: Filing, lease: Lease, *, actor: Actor, new_id: NewId,
    tries: int | None = None,
) -> None:
    """Write a plan, all or nothing; a second try after a lost answer finds its event and does nothing.

    After `tries` conflicts with other writers it gives up with EngineTimeout or Conflict.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    event_id = new_id()

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space.id, event_id, lease.owner)
        if locked.done:
            return
        lease.check(locked)
        clock = locked.next(lease.stamp())
        written = await _write_plan(transaction, space, filing.plan, clock)
        records = [*written.records, *await _keep_calls(transaction, space, filing, clock)]
        await transaction.run("append_event", event=await asyncio.to_thread(
            event, clock, id=event_id, space=space.id, actor=actor, action="messages.filed", targets=written.targets,
            records=records))
        await transaction.run("update_space", space=space.id, properties={
            **moved(clock), **lease.renewed(), "vector_sum": filing.vector_sum.tolist(),
            "vector_count": filing.vector_count})

    await store.write(work, "carry_out_plan", space=space.id, tries=tries)


async def keep_unfiled(
    store: Store, space: Space, calls: Sequence[KeptCall], lease: Lease, *, actor: Actor, event_id: str
) -> None:
    """Keep calls whose batch was not filed: they were paid for, and count against the allowance of the day.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space.id, event_id, lease.owner)
        if locked.done:
            return
        lease.check(locked)
        clock = locked.next(lease.stamp())
        records = await write_calls(transaction, space.id, [(kept.id, kept.call) for kept in calls], clock)
        await transaction.run("append_event", event=event(
            clock, id=event_id, space=space.id, actor=actor, action="calls.kept",
            targets=[kept.id for kept in calls], records=records))
        await transaction.run("update_space", space=space.id, properties={**moved(clock), **lease.renewed()})

    await store.write(work, "keep_unfiled_calls", space=space.id)


async def _keep_calls(transaction: Transaction, space: Space, filing: Filing, clock: Clock) -> list[Record]:
    """The calls of a plan, and what they made: topics that they named, messages that they put somewhere."""
    if not filing.calls:
        return []
    made: list[tuple[str | None, str]] = [(topic.model_call, topic.id) for topic in filing.plan.new_topics]
    places: list[Placement | MovedPlacement] = [*filing.plan.placements, *filing.plan.moved]
    made += [(place.decision.model_call, place.message) for place in places]
    return [
        *await write_calls(transaction, space.id, [(kept.id, kept.call) for kept in filing.calls], clock),
        *await link_made(transaction, [(call, id) for call, id in made if call is not None], clock)]


@dataclass(frozen=True)
class _Written:
    """What the ledger says of a plan."""

    targets: list[str]
    records: list[Record]


async def _write_plan(transaction: Transaction, space: Space, plan: Plan, clock: Clock) -> _Written:
    topics = [
        {"id": new.id, "space": space.id, "kind": new.kind, "recorded_at": clock.recorded_at,
         "change_seq": clock.change_seq, "title": new.title, "status": "active"}
        for new in plan.new_topics]
    closed_topics = _closed([(move.old_parent, move.topic) for move in plan.topic_moves], clock)
    closed_messages = _closed([(move.old_topic, move.message) for move in plan.moved], clock)
    topic_edges, message_edges = _topic_edges(plan, clock), _message_edges(plan, clock)
    if topics:
        await transaction.run("create_topics", topics=topics)
    if closed_topics:
        await transaction.run("close_placements_of_topics", closed=closed_topics)
    if closed_messages:
        await transaction.run("close_placements_of_messages", closed=closed_messages)
    if topic_edges:
        await transaction.run("place_topics", placements=topic_edges)
    await transaction.run("place_messages", placements=message_edges)
    await transaction.run("update_topics", topics=_caches(plan.states, set(plan.stale), space.id))
    records = [
        *(Record("Topic", topic) for topic in topics),
        *(Record("PARENT_OF closed", row) for row in (*closed_topics, *closed_messages)),
        *(Record("PARENT_OF", {"from": row["parent"], "to": row["child"], **row["properties"]})
          for row in (*topic_edges, *message_edges))]
    targets = [*(topic["id"] for topic in topics), *(row["child"] for row in message_edges)]
    return _Written(targets, records)


def _closed(pairs: Sequence[tuple[str, str]], clock: Clock) -> list[dict[str, Any]]:
    """How the placements of these pairs of parent and child end."""
    return [
        {"parent": parent, "child": child, "retired_at": clock.recorded_at, "retired_seq": clock.change_seq}
        for parent, child in pairs]


def _topic_edges(plan: Plan, clock: Clock) -> list[dict[str, Any]]:
    return [
        *(_edge(new.parent, new.id, clock, Decision(
            new.reason, decided_by="vector" if new.model_call is None else "model", model_call=new.model_call))
          for new in plan.new_topics),
        *(_edge(move.new_parent, move.topic, clock, Decision(move.reason)) for move in plan.topic_moves)]


def _message_edges(plan: Plan, clock: Clock) -> list[dict[str, Any]]:
    places: list[Placement | MovedPlacement] = [*plan.placements, *plan.moved]
    return [_edge(place.topic, place.message, clock, place.decision, place.segment) for place in places]


def _edge(
    parent: str, child: str, clock: Clock, decision: Decision, segment: str | None = None
) -> dict[str, Any]:
    return {"parent": parent, "child": child, "properties": {
        "recorded_at": clock.recorded_at, "change_seq": clock.change_seq, "decided_by": decision.decided_by,
        "reason": decision.reason, "model_call": decision.model_call, "score": decision.score,
        "margin": decision.margin, "runner_up": decision.runner_up, "segment": segment, "live_key": child}}


def _caches(states: Mapping[TopicId, TopicState], stale: set[TopicId], space: str) -> list[dict[str, Any]]:
    """The caches of every topic that changed; a stale one is marked for the summaries that follow."""
    marked = {topic: {"stale_in": space} for topic in stale}
    for topic, state in states.items():
        marked.setdefault(topic, {}).update(_cache(state))
    return [{"id": topic, "properties": properties} for topic, properties in marked.items()]


def _cache(state: TopicState) -> dict[str, Any]:
    return {
        "depth": state.depth, "vector_sum": state.vector_sum.tolist(),
        "vector_count": state.vector_count, "message_count": state.message_count,
        "segment_count": state.segment_count, "child_count": state.child_count,
        "last_message_at": state.last_message_at}
