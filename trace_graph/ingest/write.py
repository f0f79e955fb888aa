"""The write path: messages appended to their sessions with their ledger events, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.ingest.prepare import Prepared, external_key, message_properties, passage_properties, session_key
from trace_graph.models import NewId, Receipt
from trace_graph.store.batches import batches
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Clock, Record, event
from trace_graph.store.rows import Row
from trace_graph.store.spaces import LockedSpace, lock_space, moved

MOST_AUTHORS = 1000
"""Speakers' names kept on a space for recognising them in questions; further ones are found by their words."""


@dataclass(frozen=True)
class WriteRequest:
    """What one caller wants stored together."""

    messages: tuple[Prepared, ...]
    actor: Actor
    event_id: str
    """Made before the transaction, so that a repeated try recognises its own work."""


@dataclass
class _Draft:
    """What one transaction is going to write."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    passages: list[dict[str, Any]] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    known: dict[str, tuple[Receipt, str]] = field(default_factory=dict)
    """Receipts and content hashes by external key, of messages stored before or earlier in this transaction."""
    mine: dict[str, Receipt] = field(default_factory=dict)
    """Receipts by id, of messages that an earlier try of this very write has stored."""
    authors: dict[str, None] = field(default_factory=dict)
    clock: Clock | None = None


async def append(
    store: Store, space: Space, requests: Sequence[WriteRequest], *, now: datetime, new_id: NewId
) -> list[list[Receipt]]:
    """Store the messages of several callers in one transaction; receipts for each caller, in order.

    A message whose `external_id` is known in the space is not stored; its receipt names the one that was there.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed; then nothing of any request is stored, or all of it.
    """
    session_ids = {message.session: new_id() for request in requests for message in request.messages}
    token = new_id()

    tries = 0

    async def work(transaction: Transaction) -> list[list[Receipt]]:
        nonlocal tries
        tries += 1
        locked = await lock_space(transaction, space.id, requests[0].event_id, token)
        draft = await _read_state(transaction, space, requests, session_ids)
        if tries > 1 or locked.done:
            draft.mine = await _stored_by_earlier_try(transaction, requests)
        draft.authors = dict.fromkeys(locked.authors)
        clock = locked.next(now)
        receipts = []
        for request in requests:
            before = len(draft.events)
            receipts.append(_place(draft, space, request, clock))
            if len(draft.events) > before:
                draft.clock = clock
                clock = Clock.after(clock.change_seq, clock.recorded_at, clock.event_seq, now)
        await _write(transaction, space, locked, draft)
        return receipts

    receipts = await store.write(work, "append_messages", space=space.id)
    bookmark = await store.last_bookmark()
    return [[receipt.model_copy(update={"bookmark": bookmark}) for receipt in part] for part in receipts]


async def _stored_by_earlier_try(transaction: Transaction, requests: Sequence[WriteRequest]) -> dict[str, Receipt]:
    """Receipts by id of those messages that a try before this one has stored: its commit's answer was lost."""
    ids = [message.id for request in requests for message in request.messages]
    rows = await transaction.run("messages_by_id", ids=ids)
    return {row["id"]: _receipt(row, duplicate=False) for row in rows}


async def _read_state(
    transaction: Transaction, space: Space, requests: Sequence[WriteRequest], session_ids: dict[str, str]
) -> _Draft:
    draft = _Draft()
    for name, id in session_ids.items():
        draft.sessions[name] = {
            "key": session_key(space.id, name), "id": id, "space": space.id, "name": name, "last_seq": 0,
            "last_id": None, "grown": False}
    by_key = {row["key"]: row for row in draft.sessions.values()}
    keys = [
        key for request in requests for message in request.messages
        if (key := external_key(space.id, message.external_id)) is not None]
    for row in await transaction.run("before_adding", sessions=list(by_key), keys=keys):
        if row["kind"] == "session":
            by_key[row["key"]].update(last_seq=row["seq"], last_id=row["id"])
        else:
            draft.known[row["key"]] = _receipt(row, duplicate=True), row["content_hash"]
    return draft


def _place(draft: _Draft, space: Space, request: WriteRequest, clock: Clock) -> list[Receipt]:
    """Give one request's messages their places; adds to the draft what is to be written for them."""
    receipts: list[Receipt] = []
    records: list[Record] = []
    for message in request.messages:
        key = external_key(space.id, message.external_id)
        if (mine := draft.mine.get(message.id)) is not None:
            receipts.append(mine.model_copy(update={"without_vector": message.without_vector}))
            continue
        if key is not None and key in draft.known:
            stored, content_hash = draft.known[key]
            receipts.append(stored.model_copy(update={"differs": content_hash != message.content_hash}))
            continue
        receipt = _place_one(draft, space, message, clock, records)
        receipts.append(receipt.model_copy(update={"without_vector": message.without_vector}))
        if key is not None:
            draft.known[key] = receipt.model_copy(update={"duplicate": True}), message.content_hash
    if records:
        draft.events.append(event(
            clock, id=request.event_id, space=space.id, actor=request.actor, action="messages.added",
            targets=[record.properties["id"] for record in records if record.kind == "Message"], records=records))
    return receipts


def _place_one(draft: _Draft, space: Space, message: Prepared, clock: Clock, records: list[Record]) -> Receipt:
    """The next place of its session; what is written for the message goes into the draft and into the records."""
    session = draft.sessions[message.session]
    seq = session["last_seq"] + 1
    stamp = {"recorded_at": clock.recorded_at, "change_seq": clock.change_seq}
    properties = message_properties(message, space=space.id, key=space.key, seq=seq, clock=stamp)
    parts = [passage_properties(part, message, space=space.id, key=space.key) for part in message.passages]
    records.append(Record("Message", properties))
    records.extend(Record("Passage", part) for part in parts)
    draft.messages.append(properties)
    draft.passages.extend({"message": message.id, "properties": part} for part in parts)
    if seq == 1:
        records.append(Record("Session", {name: session[name] for name in ("id", "key", "space", "name")}))
    if session["last_id"] is not None:
        draft.links.append([session["last_id"], message.id])
        records.append(Record("NEXT", {"from": session["last_id"], "to": message.id}))
    session.update(last_seq=seq, last_id=message.id, grown=True)
    if len(draft.authors) < MOST_AUTHORS:
        draft.authors.setdefault(message.author)
    return _receipt(properties, duplicate=False)


async def _write(transaction: Transaction, space: Space, locked: LockedSpace, draft: _Draft) -> None:
    if draft.clock is None:
        return
    grown = [
        {name: value for name, value in session.items() if name != "grown"}
        for session in draft.sessions.values() if session["grown"]]
    for messages in batches(draft.messages):
        await transaction.run("append_messages", messages=messages)
    for passages in batches(draft.passages):
        await transaction.run("append_passages", passages=passages)
    await transaction.run(
        "finish_adding", links=draft.links, sessions=grown, events=draft.events, space=space.id, properties={
            **moved(draft.clock), "message_count": locked.messages + len(draft.messages),
            "passage_count": locked.passages + len(draft.passages), "authors": list(draft.authors)})


def _receipt(row: Row, *, duplicate: bool) -> Receipt:
    return Receipt(
        id=row["id"], seq=row["seq"], duplicate=duplicate, session=row["session"], occurred_at=row["occurred_at"])
