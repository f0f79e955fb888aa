"""Organise a space without a model: waiting messages are filed in batches, then summaries are revised."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from trace_graph.access.scopes import Space
from trace_graph.embed.background import background_mean
from trace_graph.embed.protocol import Embedder, Vector
from trace_graph.errors import TraceGraphError
from trace_graph.models import NewId, OrganizeReport, Progress, TopicId
from trace_graph.organize.filing import Filing, carry_out
from trace_graph.organize.lease import Lease, release_lease, take_lease
from trace_graph.organize.plan import plan
from trace_graph.organize.revising import Reviser
from trace_graph.organize.segments import cut
from trace_graph.organize.state import read_contents, read_tails, read_topics, read_waiting
from trace_graph.organize.values import FiledSegment, MissingContents, Plan, Segment, ShapeSettings, Total, WaitingMessage
from trace_graph.organize.vectors import space_mean, vector_total
from trace_graph.organize.words import shipped_lexicon
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor

BATCH = 1000
"""Messages filed in one transaction. Guess: about a second of work on both engines."""


@dataclass
class _Mean:
    """The running sum of the vectors of all filed messages."""

    total: Total
    count: int
    prior: Vector

    def with_more(self, messages: list[WaitingMessage]) -> _Mean:
        vectors = [message.vector for message in messages if message.vector is not None]
        return _Mean(self.total + vector_total(vectors, len(self.total)), self.count + len(vectors), self.prior)

    def value(self, settings: ShapeSettings) -> Total:
        return space_mean(self.prior, settings.prior_weight, self.total, self.count)


async def organize(
    store: Store, space: Space, *, embedder: Embedder, actor: Actor, clock: Callable[[], datetime], new_id: NewId,
    progress: Progress | None = None, settings: ShapeSettings = ShapeSettings(),  # noqa: B008 (frozen)
) -> OrganizeReport:
    """File what waits and word anew what changed. May be killed at any point and run again.

    Raises: LeaseLost, EngineUnavailable, EngineTimeout, StoreFailed.
    """
    started = time.monotonic()
    lease = await take_lease(store, space.id, new_id(), clock)
    try:
        report = await _organize(store, space, lease, embedder, actor, new_id, progress, settings)
    except BaseException:
        # What went wrong is what the caller must hear; a lease that cannot be given back expires by itself.
        with contextlib.suppress(TraceGraphError):
            await release_lease(store, lease)
        raise
    await release_lease(store, lease)
    return report.model_copy(update={"seconds": round(time.monotonic() - started, 3)})


async def _organize(
    store: Store, space: Space, lease: Lease, embedder: Embedder, actor: Actor, new_id: NewId,
    progress: Progress | None, settings: ShapeSettings,
) -> OrganizeReport:
    mean = await _read_mean(store, space, embedder)
    filed, created = 0, 0
    waiting = await _count_waiting(store, space)
    while done := await _file_batch(store, space, lease, mean, settings, actor, new_id):
        chosen, mean = done
        filed += len(chosen.placements)
        created += len(chosen.new_topics)
        if progress is not None:
            progress(filed, max(waiting, filed))
    reviser = Reviser(store, space, lease, mean.value(settings), shipped_lexicon(), actor, new_id)
    revised = await reviser.run()
    return OrganizeReport(
        filed=filed, waiting=await _count_waiting(store, space), topics_created=created, summaries_revised=revised,
        seconds=0.0)


async def _count_waiting(store: Store, space: Space) -> int:
    rows = await store.read("count_waiting", spaces=[space.id])
    return int(rows[0]["waiting"])


async def _file_batch(
    store: Store, space: Space, lease: Lease, mean: _Mean, settings: ShapeSettings, actor: Actor, new_id: NewId
) -> tuple[Plan, _Mean] | None:
    """File the first waiting messages; None where none waits."""
    waiting, before = await read_waiting(store, space.id, BATCH)
    if not waiting:
        return None
    tails = await read_tails(store, space.id, before)
    grown = mean.with_more(waiting)
    centre = grown.value(settings)
    segments = cut(waiting, tails, centre, new_id, settings=settings)
    chosen = await _plan(store, space, segments, centre, settings, new_id)
    await carry_out(store, space, Filing(chosen, grown.total, grown.count), lease, actor=actor, new_id=new_id)
    return chosen, grown


async def _plan(
    store: Store, space: Space, segments: list[Segment], centre: Total, settings: ShapeSettings, new_id: NewId
) -> Plan:
    """Plan, loading what lies in a topic only where the plan turns out to need it."""
    tree = await read_topics(store, space.id, len(centre))
    contents: dict[TopicId, list[FiledSegment]] = {}
    while True:
        answer = plan(tree, segments, contents, centre, new_id, settings=settings)
        if isinstance(answer, Plan):
            return answer
        assert isinstance(answer, MissingContents)
        contents |= await read_contents(store, space.id, answer.topics)


async def _read_mean(store: Store, space: Space, embedder: Embedder) -> _Mean:
    prior = await background_mean(embedder)
    row = (await store.read("space_mean", spaces=[space.id]))[0]
    total = np.zeros(len(prior)) if row["vector_sum"] is None else np.array(row["vector_sum"], dtype=np.float64)
    return _Mean(total, row["vector_count"] or 0, prior)
