"""Spaces: found, created, locked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.errors import Conflict, Refused
from trace_graph.models import NewId, SpaceId
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Clock, Record, event
from trace_graph.store.rows import Row


async def find_spaces(store: Store, names: Sequence[str]) -> list[Space]:
    """Those of the named spaces that exist. Raises: Refused where one is being restored and not whole yet."""
    rows = await store.read("find_spaces", names=list(names))
    for row in rows:
        if row["restoring"] is not None:
            raise Refused(
                f"The space {row['name']!r} is being restored, or its restore broke off.",
                fix="Wait, or import the same file again: that goes on from where it broke off.")
    return [_space(row) for row in rows]


async def all_spaces(store: Store) -> list[Space]:
    """Every space, by name; without those that are being restored."""
    return [_space(row) for row in await store.read("list_spaces")]


async def obtain_space(
    store: Store, name: str, *, actor: Actor, now: datetime, new_id: NewId, time_zone: str = "UTC"
) -> tuple[Space, bool]:
    """The space of this name, created with the root of its tree when there is none, and whether it was created."""
    found = await find_spaces(store, [name])
    if found:
        return found[0], False
    space_id, topic_id, event_id = new_id(), new_id(), new_id()

    async def work(transaction: Transaction) -> None:
        if await transaction.run("find_spaces", names=[name]):
            return
        space = {
            "id": space_id, "name": name, "key": await new_key(transaction), "time_zone": time_zone, "root": topic_id,
            "recorded_at": now, "change_seq": 1, "last_recorded_at": now, "event_seq": 1, "message_count": 0,
            "passage_count": 0, "authors": [],
        }
        topic = {
            "id": topic_id, "space": space_id, "kind": "root", "recorded_at": now, "change_seq": 1, "title": name,
            "status": "active", "depth": 0, "message_count": 0, "segment_count": 0, "child_count": 0,
        }
        await transaction.run("create_space", space=space, topic=topic)
        await transaction.run("append_event", event=event(
            Clock(1, now, 1), id=event_id, space=space_id, actor=actor, action="space.created",
            targets=[space_id, topic_id], records=[_identity(space), Record("Topic", topic)]))

    try:
        await store.write(work, "create_space")
    except Conflict:
        # Another process created it in between, or our own first try was committed and its answer lost.
        found = await find_spaces(store, [name])
        if not found:
            raise
    space = (await find_spaces(store, [name]))[0]
    return space, space.id == space_id


async def new_key(transaction: Transaction) -> str:
    """A key that no space of this database has had."""
    return f"s{_base36((await transaction.run('next_space_key'))[0]['number'])}"


def _identity(space: dict[str, Any]) -> Record:
    """What of a space is no counter, and the same in every database."""
    return Record("Space", {name: space[name] for name in ("id", "name", "root", "recorded_at", "time_zone")})


@dataclass(frozen=True)
class LockedSpace:
    """A space's counters, read under its lock."""

    id: str
    change_seq: int
    last_recorded_at: datetime
    event_seq: int
    messages: int
    passages: int
    authors: tuple[str, ...]
    lease_owner: str | None
    lease_until: datetime | None
    vector_sum: list[float] | None
    """Sum of the vectors of all filed messages, and how many they are; a cache for centring."""
    vector_count: int
    done: bool
    """The event that this write was going to append stands already: an earlier try was committed."""

    def next(self, now: datetime) -> Clock:
        """The reading of the clock for the next write."""
        return Clock.after(self.change_seq, self.last_recorded_at, self.event_seq, now)


async def lock_space(transaction: Transaction, space: str, event_id: str, token: str) -> LockedSpace:
    """Take the lock of a space: written first, so that a second writer waits or fails, and read afterwards."""
    row = (await transaction.run("lock_space", space=space, event=event_id, token=token))[0]
    return LockedSpace(
        id=row["id"], change_seq=row["change_seq"], last_recorded_at=row["last_recorded_at"],
        event_seq=row["event_seq"], messages=row["messages"], passages=row["passages"],
        authors=tuple(row["authors"] or ()), lease_owner=row["lease_owner"], lease_until=row["lease_until"],
        vector_sum=row["vector_sum"], vector_count=row["vector_count"] or 0, done=row["event"] is not None)


def _space(row: Row) -> Space:
    return Space(
        id=SpaceId(row["id"]), name=row["name"], key=row["key"], time_zone=row["time_zone"], root=row["root"],
        messages=row["messages"], passages=row["passages"], authors=tuple(row["authors"] or ()),
        change_seq=row["change_seq"])


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


async def set_time_zone(
    store: Store, space: Space, time_zone: str, *, actor: Actor, now: datetime, new_id: NewId
) -> None:
    """Set the zone in which times without an offset are read."""
    event_id, token = new_id(), new_id()

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space.id, event_id, token)
        if locked.done:
            return
        clock = locked.next(now)
        await transaction.run("set_time_zone", space=space.id, time_zone=time_zone)
        await transaction.run("append_event", event=event(
            clock, id=event_id, space=space.id, actor=actor, action="space.time_zone_set", targets=[space.id],
            reason=f"{space.time_zone} -> {time_zone}",
            records=[Record("Space", {"id": space.id, "time_zone": time_zone})]))
        await transaction.run("update_space", space=space.id, properties=moved(clock))

    await store.write(work, "set_time_zone", space=space.id)


def moved(clock: Clock) -> dict[str, Any]:
    """The counters of a space after a write."""
    return {"change_seq": clock.change_seq, "last_recorded_at": clock.recorded_at, "event_seq": clock.event_seq}
