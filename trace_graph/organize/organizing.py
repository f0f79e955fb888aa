"""Organise a space, with a model or without: waiting messages are filed in batches, then summaries are revised."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

import numpy as np

from trace_graph.access.scopes import Space
from trace_graph.embed.background import background_mean
from trace_graph.embed.protocol import Embedder, Vector
from trace_graph.errors import Conflict, EngineTimeout, TraceGraphError
from trace_graph.llm.values import Model
from trace_graph.llm_settings import SummarySettings
from trace_graph.models import NewId, OrganizeReport, Progress, TopicId
from trace_graph.organize.descending import Descent
from trace_graph.organize.filing import Filing, carry_out, keep_unfiled
from trace_graph.organize.lease import Lease, LeaseLost, release_lease, renewed, take_lease
from trace_graph.organize.plan import plan
from trace_graph.organize.revising import Reviser
from trace_graph.organize.routing import RECONSIDERED, Cascade, Routed, Router
from trace_graph.organize.segments import cut
from trace_graph.organize.showing import GraphShelf
from trace_graph.organize.state import read_contents, read_tails, read_topics, read_waiting
from trace_graph.organize.trust import NO_EVIDENCE, Evidence
from trace_graph.organize.values import (
    Choice,
    FiledSegment,
    Plan,
    Segment,
    SegmentId,
    ShapeSettings,
    Total,
    WaitingMessage,
)
from trace_graph.organize.vectors import space_mean, vector_total
from trace_graph.organize.words import shipped_lexicon
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor

Routing = Literal["cascade", "descent", "vectors"]
"""How a model is asked where segments belong: about those that vectors are not sure of, with the nearest topics to
choose from; about all, level by level from the root; or not at all, so that it only words the topics."""

BATCH = 1000
"""Messages filed in one transaction. Guess: about a second of work on both engines."""
MODEL_BATCH = 150
"""Messages of a batch with a model: a kill loses the calls of one batch at most, and a topic that one batch opens has a
title and messages when the next one asks. Figures: docs/decisions/0009-routing-with-a-model.md."""
SMALLEST_BATCH = 25
"""Messages below which a batch is not cut smaller when others write to the space meanwhile. Guess: 50 ms of work."""
TRIES_OF_A_BATCH = 3
"""Conflicts with other writers after which a batch is halved. ArcadeDB is optimistic: a transaction of seconds loses
to each short one (measured: with one add a second, 1,000 messages were never filed)."""


@dataclass(frozen=True)
class _Mean:
    """The running sum of the vectors of all filed messages."""

    total: Total
    count: int
    prior: Vector

    def with_more(self, messages: list[WaitingMessage]) -> _Mean:
        """The sum once these messages are filed as well."""
        vectors = [message.vector for message in messages if message.vector is not None]
        return _Mean(self.total + vector_total(vectors, len(self.total)), self.count + len(vectors), self.prior)

    def value(self, settings: ShapeSettings) -> Total:
        """What vectors are centred by."""
        return space_mean(self.prior, settings.prior_weight, self.total, self.count)


@dataclass(frozen=True)
class ModelUse:
    """How a model is used."""

    routing: Routing = "cascade"
    evidence: Evidence = NO_EVIDENCE
    """How it did before."""
    summaries: SummarySettings = field(default_factory=SummarySettings)


async def organize(
    store: Store, space: Space, *, embedder: Embedder, actor: Actor, clock: Callable[[], datetime], new_id: NewId,
    progress: Progress | None = None, settings: ShapeSettings = ShapeSettings(),  # noqa: B008 (frozen)
    model: Model | None = None, use: ModelUse = ModelUse(),
    lease_clock: Callable[[], datetime] | None = None,
) -> OrganizeReport:
    """File what waits and word anew what changed. May be killed at any point and run again.

    A model is asked where segments belong and what topics say. Without one, and where it fails or proves worse than
    vectors, these decide, and topics quote their messages. `clock` may stand still (a cassette pins it); `lease_clock`
    goes on, by which other organisers see whether this one lives.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    started = time.monotonic()
    lease = Lease(space.id, f"{new_id()} {actor.name}", lease_clock or clock, clock)
    router = _router(model, store, space, new_id, use)
    try:
        await take_lease(store, lease)
        run = _Run(store, space, lease, actor, new_id, _shape(settings, router), model, use, router)
        async with renewed(store, lease) if model is not None else contextlib.nullcontext():
            report = await run.carry_through(embedder, progress)
    except BaseException:
        # What went wrong is what the caller must hear; a lease that cannot be given back expires by itself.
        with contextlib.suppress(TraceGraphError):
            if router is not None and router.unfiled:
                await keep_unfiled(store, space, router.unfiled, lease, actor=actor, event_id=new_id())
            await release_lease(store, lease)
        raise
    await release_lease(store, lease)
    return report.model_copy(update={"seconds": round(time.monotonic() - started, 3)})


def _router(model: Model | None, store: Store, space: Space, new_id: NewId, use: ModelUse) -> Router | None:
    if model is None or use.routing == "vectors":
        return None
    kind = Descent if use.routing == "descent" else Cascade
    return kind(model, GraphShelf(store, space.id), new_id, use.evidence)


def _shape(settings: ShapeSettings, router: Router | None) -> ShapeSettings:
    return settings if router is None else replace(settings, most_reconsidered=RECONSIDERED)


@dataclass(frozen=True)
class _Run:
    """One run of the organiser, under its lease."""

    store: Store
    space: Space
    lease: Lease
    actor: Actor
    new_id: NewId
    settings: ShapeSettings
    model: Model | None
    use: ModelUse
    router: Router | None

    async def carry_through(self, embedder: Embedder, progress: Progress | None) -> OrganizeReport:
        """File batch after batch what waits now, then revise what became stale."""
        mean = await self._read_mean(embedder)
        filed, created = 0, 0
        waiting = await self._count_waiting()
        size = BATCH if self.router is None else MODEL_BATCH
        while filed < waiting:
            try:
                done = await self._file_batch(mean, size)
            except (EngineTimeout, Conflict) as error:
                if isinstance(error, LeaseLost) or size <= SMALLEST_BATCH:
                    raise
                size = max(SMALLEST_BATCH, size // 2)
                continue
            if done is None:
                break
            chosen, mean = done
            filed += len(chosen.placements)
            created += len(chosen.new_topics)
            if progress is not None:
                progress(filed, max(waiting, filed))
        reviser = Reviser(
            self.store, self.space, self.lease, mean.value(self.settings), await asyncio.to_thread(shipped_lexicon),
            self.actor, self.new_id, self.model, self.use.summaries)
        revised = await reviser.run()
        return OrganizeReport(
            filed=filed, waiting=await self._count_waiting(), topics_created=created,
            summaries_revised=revised.revisions,
            model_calls=revised.calls + (0 if self.router is None else self.router.calls),
            model_unused=self._unused(), seconds=0.0)

    def _unused(self) -> str | None:
        if self.router is not None:
            return self.router.unused
        return None if self.model is None else self.model.resting

    async def _file_batch(self, mean: _Mean, size: int) -> tuple[Plan, _Mean] | None:
        """File the first waiting messages, at most `size`; None where none waits."""
        waiting, before = await read_waiting(self.store, self.space.id, size)
        if not waiting:
            return None
        tails = await read_tails(self.store, self.space.id, before)
        grown = mean.with_more(waiting)
        centre = grown.value(self.settings)
        # Cutting and planning are work for the processor: they must not hold up the adds and recalls of this process.
        segments = await asyncio.to_thread(cut, waiting, tails, centre, self.new_id, settings=self.settings)
        routed = await self._plan(segments, centre)
        # What a model was paid for is not given up after a few conflicts: its batches are small, and try on.
        patient = size <= SMALLEST_BATCH or self.router is not None
        await carry_out(
            self.store, self.space, Filing(routed.plan, grown.total, grown.count, routed.calls), self.lease,
            actor=self.actor, new_id=self.new_id, tries=None if patient else TRIES_OF_A_BATCH)
        if self.router is not None:
            self.router.unfiled.clear()
        return routed.plan, grown

    async def _plan(self, segments: list[Segment], centre: Total) -> Routed:
        """Plan, asking the model if there is one; what lies in a topic is loaded where the plan needs it."""
        tree = await read_topics(self.store, self.space.id, len(centre))
        contents: dict[TopicId, list[FiledSegment]] = {}

        async def planner(choices: Mapping[SegmentId, Choice]) -> Plan:
            while True:
                answer = await asyncio.to_thread(
                    plan, tree, segments, contents, centre, self.new_id, choices=choices, settings=self.settings)
                if isinstance(answer, Plan):
                    return answer
                contents.update(await read_contents(
                    self.store, self.space.id, answer.topics, margins=self.settings.most_reconsidered > 0))

        return Routed(await planner({})) if self.router is None else await self.router.route(segments, planner, tree)

    async def _count_waiting(self) -> int:
        rows = await self.store.read("count_waiting", spaces=[self.space.id])
        return int(rows[0]["waiting"])

    async def _read_mean(self, embedder: Embedder) -> _Mean:
        prior = await background_mean(embedder)
        row = (await self.store.read("space_mean", spaces=[self.space.id]))[0]
        total = np.zeros(len(prior)) if row["vector_sum"] is None else np.array(row["vector_sum"], dtype=np.float64)
        return _Mean(total, row["vector_count"] or 0, prior)
