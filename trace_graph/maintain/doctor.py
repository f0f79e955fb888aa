"""The doctor: every invariant is tried, the offenders are named, and what is safe is mended if that is wanted."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from trace_graph.access.scopes import Scope
from trace_graph.errors import EmbeddingFailed
from trace_graph.maintain.doctor_checks import CHECKS, EMBEDDER, EVERY, LEASE, Check
from trace_graph.maintain.doctor_database import wrong_indexes
from trace_graph.maintain.doctor_deep import DEEP, look_deeper
from trace_graph.maintain.doctor_findings import Finding, merged, problem
from trace_graph.maintain.doctor_mending import Mender
from trace_graph.models import DoctorReport, NewId, Problem, SpaceHealth
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor

ROUNDS = 5
"""Times that a space to which others write is asked again before what was found each time counts. A query is not one
state of the graph while others write, so that it may find faults that are none. Guess."""


@dataclass(frozen=True)
class Doctor:
    """One visit to the spaces of a scope."""

    store: Store
    scope: Scope
    embedder_fault: Callable[[], Awaitable[str | None]]
    """Says what keeps the configured embedder from the vectors that are there; None where nothing does."""
    actor: Actor
    clock: Callable[[], datetime]
    new_id: NewId

    async def visit(self, *, fix: bool = False, deep: bool = False) -> DoctorReport:
        """Try every invariant, and mend what is safe with `fix`.

        With `deep` the contents are read as well: hashes of messages and of the ledger, and sums of vectors.
        Raises: EngineUnavailable, EngineTimeout, StoreFailed.
        """
        started = time.monotonic()
        found = await self._examine(deep)
        left = found
        if fix and any(finding.check.mending for finding in found):
            await Mender(self.store, self.actor, self.clock, self.new_id).mend(found)
            left = await self._examine(deep)
        still = {(finding.check, finding.space) for finding in left}
        mended = [finding for finding in found if (finding.check, finding.space) not in still] if fix else []
        return DoctorReport(
            ok=not left, problems=self._problems(left), fixed=self._problems(mended), spaces=await self._health(),
            checks=len(EVERY) if deep else len(EVERY) - len(DEEP), seconds=round(time.monotonic() - started, 3))

    async def _examine(self, deep: bool) -> list[Finding]:
        """All that is wrong now."""
        found = await self._settled(CHECKS, self.scope.ids)
        found += await self._expired_leases()
        found += await wrong_indexes(self.store)
        found += await self._embedder()
        if deep:
            for space in self.scope.ids:
                found += await self._deeper(space)
        return found

    async def _settled(self, checks: Sequence[Check], spaces: Sequence[str]) -> list[Finding]:
        """What the checks find; asked again where somebody wrote to the space meanwhile, and something was found."""
        found: list[Finding] = []
        asked = {check: list(spaces) for check in checks} if spaces else {}
        for turn in range(1, ROUNDS + 1):
            before = await self._change_seqs(spaces)
            suspected = [finding for check, ids in asked.items() for finding in await self._ask(check, ids)]
            after = await self._change_seqs(spaces)
            moving = {space for space in spaces if before.get(space) != after.get(space)} if turn < ROUNDS else set()
            found += [finding for finding in suspected if finding.space not in moving]
            asked = {}
            for finding in suspected:
                if finding.space is not None and finding.space in moving:
                    asked.setdefault(finding.check, []).append(finding.space)
            if not asked:
                break
        order = {check: place for place, check in enumerate(checks)}
        return sorted(found, key=lambda finding: order[finding.check])

    async def _ask(self, check: Check, spaces: Sequence[str]) -> list[Finding]:
        rows = await self.store.read(check.query, spaces=list(spaces))
        return merged(Finding(check, row["space"], row["count"], tuple(row["ids"])) for row in rows)

    async def _change_seqs(self, spaces: Sequence[str]) -> dict[str, int]:
        rows = await self.store.read("doctor_lease", spaces=list(spaces))
        return {row["space"]: row["change_seq"] for row in rows}

    async def _deeper(self, space: str) -> list[Finding]:
        for _ in range(ROUNDS):
            before = await self._change_seqs([space])
            found = await look_deeper(self.store, space)
            if not found or before == await self._change_seqs([space]):
                break
        return found

    async def _embedder(self) -> list[Finding]:
        try:
            fault = await self.embedder_fault()
        except EmbeddingFailed as error:
            fault = error.message
        return [] if fault is None else [Finding(EMBEDDER, None, 0, (), fault)]

    async def _expired_leases(self) -> list[Finding]:
        rows = await self.store.read("doctor_lease", spaces=self.scope.ids)
        return [
            Finding(LEASE, row["space"], 1, (row["owner"],), f"{LEASE.says} Its lease {_ended(row['until'])}.")
            for row in rows
            if row["owner"] is not None and (row["until"] is None or row["until"] < self.clock())]

    async def _health(self) -> list[SpaceHealth]:
        """What else there is to say of each space, by name."""
        unfinished = {
            row["space"]: row for row in await self.store.read("doctor_unfinished", spaces=self.scope.ids)}
        stale = {
            row["space"]: row["topics"] for row in await self.store.read("doctor_stale_topics", spaces=self.scope.ids)}
        held = {row["space"]: row["until"] for row in await self.store.read("doctor_lease", spaces=self.scope.ids)}
        health = []
        for space in sorted(self.scope.spaces, key=lambda one: one.name):
            counts = unfinished.get(space.id, {})
            health.append(SpaceHealth(
                space=space.name, messages=counts.get("messages", 0), waiting=counts.get("waiting", 0),
                waiting_since=counts.get("since"), stale_topics=stale.get(space.id, 0),
                without_vector=counts.get("without_vector", 0), organiser_until=held.get(space.id)))
        return health

    def _problems(self, findings: Sequence[Finding]) -> list[Problem]:
        names = {str(space.id): space.name for space in self.scope.spaces}
        return [problem(finding, names) for finding in findings]


def _ended(until: datetime | None) -> str:
    return "has no end" if until is None else f"ended at {until.isoformat(timespec='seconds')}"
