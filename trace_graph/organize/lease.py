"""The lease of a space: one organiser at a time, and one that was killed blocks the next only until it expires."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from trace_graph.errors import Conflict, TraceGraphError
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.spaces import LockedSpace, lock_space

log = logging.getLogger(__name__)

LENGTH = timedelta(seconds=60)
"""How long a lease holds without being renewed. Guess: each step of an organiser renews it and takes about a second."""
LOOK_AGAIN = (0.2, 0.6)
"""Seconds between two looks at a lease that another organiser holds, at random."""


class LeaseLost(Conflict):
    """Another organiser has taken over this space."""

    code = "lease_lost"
    default_fix = "Nothing is lost; run organize again if messages still wait."


@dataclass(frozen=True)
class Lease:
    """Held by one run of the organiser; every write of the run checks and renews it."""

    space: str
    owner: str
    """The run's id, then the name of who runs it, where there is one."""
    clock: Callable[[], datetime]
    """By which it is seen whether the run lives."""
    stamps: Callable[[], datetime] | None = None
    """The clock of what the run writes, where it is another one: a cassette's stands still."""

    def stamp(self) -> datetime:
        """The time of what is written now."""
        return (self.stamps or self.clock)()

    def renewed(self) -> dict[str, object]:
        """The properties of the space that renew the lease."""
        return {"lease_owner": self.owner, "lease_until": self.clock() + LENGTH}

    def may_take(self, owner: str | None, until: datetime | None) -> bool:
        """Whether the space is free, ours already, or held by one whose lease has expired."""
        return owner in (None, self.owner) or until is None or until < self.clock()

    def check(self, locked: LockedSpace) -> None:
        """Raises: LeaseLost when another run holds the space by now."""
        if locked.lease_owner != self.owner:
            raise LeaseLost


async def take_lease(store: Store, lease: Lease) -> None:
    """Wait until no other organiser holds the space, and take it."""

    async def claim(transaction: Transaction) -> bool:
        locked = await lock_space(transaction, lease.space, lease.owner, lease.owner)
        free = lease.may_take(locked.lease_owner, locked.lease_until)
        if free:
            await transaction.run("update_space", space=lease.space, properties=lease.renewed())
        return free

    # The holder may be on another machine: there is nothing to wait on but another look, which only reads.
    told = None
    while True:
        row = (await store.read("read_lease", spaces=[lease.space]))[0]
        if lease.may_take(row["owner"], row["until"]) and await store.write(claim, "take_lease", space=lease.space):
            return
        if row["owner"] != told:
            told = row["owner"]
            log.info("another organiser holds the space", extra={
                "space": lease.space, "holder": str(told).partition(" ")[2], "until": row["until"]})
        await asyncio.sleep(random.uniform(*LOOK_AGAIN))


@contextlib.asynccontextmanager
async def renewed(store: Store, lease: Lease) -> AsyncIterator[None]:
    """Renews the lease meanwhile: an answer of a model may take longer than a lease holds. A lease that was lost, or
    an engine that does not answer, is left for the next write to find."""

    async def renew(transaction: Transaction) -> None:
        locked = await lock_space(transaction, lease.space, lease.owner, lease.owner)
        lease.check(locked)
        await transaction.run("update_space", space=lease.space, properties=lease.renewed())

    over = asyncio.Event()

    async def go_on() -> None:
        with contextlib.suppress(TraceGraphError):
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), LENGTH.total_seconds() / 3)
                    return
                await store.write(renew, "renew_lease", space=lease.space)

    renewing = asyncio.create_task(go_on())
    try:
        yield
    finally:
        over.set()
        await renewing


async def release_lease(store: Store, lease: Lease) -> None:
    """Give the space free for the next organiser; nothing happens where another holds it by now."""

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, lease.space, lease.owner, lease.owner)
        if locked.lease_owner == lease.owner:
            await transaction.run(
                "update_space", space=lease.space, properties={"lease_owner": None, "lease_until": None})

    await store.write(work, "release_lease", space=lease.space)
