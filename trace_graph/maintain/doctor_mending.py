"""What the doctor may mend: caches, marks, expired leases, indexes. Each under the space's lock, with its event."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from trace_graph.errors import Conflict, EngineUnavailable, StoreFailed
from trace_graph.maintain.doctor_caches import expected_caches
from trace_graph.maintain.doctor_checks import Mending
from trace_graph.maintain.doctor_findings import Finding
from trace_graph.models import NewId
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Record, event
from trace_graph.store.schema import renew_schema
from trace_graph.store.spaces import LockedSpace, lock_space, moved

log = logging.getLogger(__name__)

ORDER: tuple[Mending, ...] = ("lease", "waiting", "filed_in", "titles", "caches", "wording")
"""What is mended first: the marks, then what is counted by them, then what looks at the counts."""

Step = Callable[[Transaction, LockedSpace], Awaitable[list[str]]]
"""Mends in a transaction that holds the lock of the space; returns the ids of what it changed."""


@dataclass(frozen=True)
class Mender:
    """Mends findings, as one actor."""

    store: Store
    actor: Actor
    clock: Callable[[], datetime]
    new_id: NewId

    async def mend(self, findings: Sequence[Finding]) -> None:
        """Mend what is safe of what was found; a space that an organiser holds is left to it.

        Raises: EngineUnavailable, EngineTimeout.
        """
        if any(finding.check.mending == "schema" for finding in findings):
            # A constraint that the data break, or an engine without the door for it: the index is named again.
            with contextlib.suppress(StoreFailed, EngineUnavailable):
                await self._renew_schema()
        wanted = {(finding.space, finding.check.mending) for finding in findings if finding.space is not None}
        # What waits again lies nowhere and is counted nowhere.
        wanted |= {(space, then) for space, first in wanted if first == "waiting" for then in ("filed_in", "caches")}
        for space in sorted({space for space, _ in wanted}):
            for mending in ORDER:
                if (space, mending) in wanted:
                    await self._mend_one(space, mending)

    async def _renew_schema(self) -> None:
        meta = await self.store.read("read_meta")
        await renew_schema(self.store, meta[0]["dimension"] if meta[0]["indexed"] else None)

    async def _mend_one(self, space: str, mending: Mending) -> None:
        event_id, token = self.new_id(), self.new_id()
        step = _STEPS[mending]

        async def work(transaction: Transaction) -> None:
            locked = await lock_space(transaction, space, event_id, token)
            now = self.clock()
            if locked.done or (locked.lease_owner and locked.lease_until and locked.lease_until >= now):
                return
            changed = await step(transaction, locked)
            if not changed:
                return
            clock = locked.next(now)
            # What is mended is no content: the event names it, and hashes nothing but that.
            await transaction.run("append_event", event=event(
                clock, id=event_id, space=space, actor=self.actor, action="doctor.mended", targets=changed,
                records=[Record("Mended", {"what": mending, "id": id}) for id in changed], reason=mending))
            await transaction.run("update_space", space=space, properties=moved(clock))

        try:
            await self.store.write(work, "doctor_mend", space=space)
        except Conflict:
            log.warning("not mended", extra={"query": "doctor_mend", "space": space, "mending": mending})


async def _lease(transaction: Transaction, locked: LockedSpace) -> list[str]:
    if locked.lease_owner is None:
        return []
    await transaction.run(
        "update_space", space=locked.id, properties={"lease_owner": None, "lease_until": None})
    return [locked.lease_owner]


async def _waiting(transaction: Transaction, locked: LockedSpace) -> list[str]:
    return _ids(await transaction.run("doctor_mend_waiting", space=locked.id))


async def _filed_in(transaction: Transaction, locked: LockedSpace) -> list[str]:
    return [
        *_ids(await transaction.run("doctor_mend_filed_in", space=locked.id)),
        *_ids(await transaction.run("doctor_mend_unfiled", space=locked.id)),
        *_ids(await transaction.run("doctor_mend_root", space=locked.id))]


async def _titles(transaction: Transaction, locked: LockedSpace) -> list[str]:
    return _ids(await transaction.run("doctor_mend_titles", space=locked.id))


async def _caches(transaction: Transaction, locked: LockedSpace) -> list[str]:
    caches = await expected_caches(transaction.run, locked.id)
    if caches.topics:
        await transaction.run("update_topics", topics=[
            {"id": id, "properties": properties} for id, properties in caches.topics.items()])
    if caches.space:
        await transaction.run("update_space", space=locked.id, properties=caches.space)
    return [*sorted(caches.topics), *([locked.id] if caches.space else [])]


async def _wording(transaction: Transaction, locked: LockedSpace) -> list[str]:
    return _ids(await transaction.run("doctor_mend_wording", space=locked.id))


def _ids(rows: Sequence[dict[str, str]]) -> list[str]:
    return [row["id"] for row in rows]


_STEPS: dict[Mending, Step] = {
    "lease": _lease, "waiting": _waiting, "filed_in": _filed_in, "titles": _titles, "caches": _caches,
    "wording": _wording}
