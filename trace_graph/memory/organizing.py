"""Organising a space of one open memory: with the model of the settings, from a cassette, or without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from trace_graph.access.scopes import Space
from trace_graph.config import Settings
from trace_graph.errors import UsageError
from trace_graph.ingest.adding import Adding
from trace_graph.ingest.copying import copy_messages
from trace_graph.llm.values import Model
from trace_graph.memory.modelling import Modelling, cassette_of
from trace_graph.memory.opening import Opened
from trace_graph.models import NewId, OrganizeReport, Progress, RebuildReport
from trace_graph.organize.organizing import ModelUse, Routing, organize
from trace_graph.organize.trust import Evidence, evidence_of
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces

EVIDENCE_CALLS = 20
"""Earlier calls that tell how a model routes. Guess: with up to 5 controls each, more than are remembered."""


@dataclass(frozen=True)
class Organized:
    """How a space is to be organised."""

    use_model: bool = True
    """Ask the model of the settings, if there is one."""
    model: str | None = None
    """Another model at the same endpoint."""
    routing: Routing = "cascade"
    record: Path | str | None = None
    """A new file for what the model replies."""
    replay: Path | str | None = None
    """A cassette to be replayed in its place."""

    def check(self) -> None:
        """Raises: UsageError where these do not go together."""
        if self.routing not in ("cascade", "descent", "vectors"):
            raise UsageError(
                f"There is no way of routing {self.routing!r}.", fix="Use cascade, descent or vectors.")
        if self.use_model:
            return
        if self.record is not None or self.replay is not None:
            raise UsageError("Without a model there is nothing to record or to replay.", fix="Leave out --no-model.")
        if self.model is not None:
            raise UsageError("A model was named, and none is to be asked.", fix="Leave out --model or --no-model.")


@dataclass(frozen=True)
class Organizing:
    """Carries a run of the organiser out."""

    opened: Opened
    modelling: Modelling
    settings: Settings
    actor: Actor
    clock: Callable[[], datetime]
    new_id: NewId

    async def organize(self, space: Space, how: Organized, progress: Progress | None) -> OrganizeReport:
        """See `Memory.organize`."""
        how.check()
        cassette = cassette_of(how.record, how.replay, self.clock())
        if not how.use_model:
            return await self._run(space, None, how, progress)
        async with self.modelling.for_run(self.opened.store, name=how.model, cassette=cassette) as model:
            if cassette is None:
                return await self._run(space, model, how, progress)
            pinned = cassette.pinned(space.id)
            return await self._run(space, model, how, progress, clock=pinned.clock, new_id=pinned.new_id)

    async def rebuild(
        self, source: Space, into: str, adding: Adding, how: Organized, progress: Progress | None
    ) -> RebuildReport:
        """See `Memory.rebuild`."""
        how.check()
        copied = await copy_messages(
            self.opened.store, source, adding, into, actor=self.actor, progress=progress)
        target, = await find_spaces(self.opened.store, [into])
        return RebuildReport(
            space=source.name, into=into, copied=copied, organized=await self.organize(target, how, progress))

    async def _run(
        self, space: Space, model: Model | None, how: Organized, progress: Progress | None, *,
        clock: Callable[[], datetime] | None = None, new_id: NewId | None = None,
    ) -> OrganizeReport:
        store = self.opened.store
        evidence = await _evidence(store, space, model.name) if model is not None else Evidence()
        return await organize(
            store, space, embedder=await self.opened.embedder.ready(), actor=self.actor, clock=clock or self.clock,
            new_id=new_id or self.new_id, progress=progress, model=model,
            use=ModelUse(how.routing, evidence, self.settings.summaries), lease_clock=self.clock)


async def _evidence(store: Store, space: Space, model: str) -> Evidence:
    rows = await store.read("routing_figures", spaces=[space.id], model=model, most=EVIDENCE_CALLS)
    return evidence_of(json.loads(row["figures"] or "{}") for row in rows)
