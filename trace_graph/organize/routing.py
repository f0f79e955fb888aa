"""The grey zone is put to a model, call after call, and what it says is followed as long as it proves itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from trace_graph.llm.purposes.route import MOST_SEGMENTS, named, picks, request
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import Model
from trace_graph.models.calls import ModelCall
from trace_graph.models.ids import NewId, TopicId
from trace_graph.organize.offering import Naming, Offer, Shown, controls_among, make_offer, topics_of
from trace_graph.organize.trust import Evidence
from trace_graph.organize.values import Choice, Plan, Segment, SegmentId

MOST_CONTROLS = 5
"""Segments of a call whose place is clear (guess: a quarter of a full call)."""

Planner = Callable[[Mapping[SegmentId, Choice]], Awaitable[Plan]]
"""Plans a batch again, with these choices."""


class Shelf(Protocol):
    """Where the texts are that a prompt shows."""

    async def topics(self, topics: Sequence[TopicId]) -> Mapping[TopicId, Shown]:
        """How these topics are shown; one that is gone is left out."""

    async def texts(self, named: Named) -> Texts:
        """The texts of these ids."""


@dataclass(frozen=True)
class KeptCall:
    """A call with the id under which the graph keeps it."""

    id: str
    call: ModelCall


@dataclass(frozen=True)
class Routed:
    """A batch as it is to be filed."""

    plan: Plan
    calls: tuple[KeptCall, ...] = ()
    """Those made for it, in order; also those that failed or whose choices were not followed."""


@dataclass
class Router:
    """Asks a model for one run of the organiser."""

    model: Model
    shelf: Shelf
    new_id: NewId
    evidence: Evidence = field(default_factory=Evidence)
    calls: int = 0
    """Made in this run."""
    failures: int = 0
    """Questions of this run that brought no usable reply."""

    async def route(self, segments: Sequence[Segment], planner: Planner) -> Routed:
        """Plan a batch, and ask about its grey segments until none is left to ask about."""
        batch = _Batch(self, {one.id: one for one in segments}, Naming([one.id for one in segments]))
        plan = await planner({})
        while (offer := await batch.next_offer(plan)) is not None:
            await batch.ask(offer)
            if self.evidence.trusted:
                plan = await planner(batch.naming.choices())
        if not self.evidence.trusted:
            # What was followed while the model still seemed good must not stay when it proved not to be.
            plan = await planner({}) if batch.naming.choices() else plan
        return Routed(plan, tuple(batch.kept))

    @property
    def unused(self) -> str | None:
        """Why vectors decided some or all of what a model might have, in a sentence; None where it was followed."""
        if self.model.resting is not None:
            return self.model.resting
        if self.failures:
            return f"The model gave no usable reply {self.failures} times; vectors decided there."
        return self.evidence.doubt if self.calls else None


@dataclass
class _Batch:
    """What was asked about one batch so far."""

    router: Router
    segments: Mapping[SegmentId, Segment]
    naming: Naming
    kept: list[KeptCall] = field(default_factory=list)
    asked: set[SegmentId] = field(default_factory=set)
    tried: set[SegmentId] = field(default_factory=set)
    """Segments that served as controls."""
    rounds: int = 0

    async def next_offer(self, plan: Plan) -> Offer | None:
        """The next question; None where there is nothing to ask, or nobody to be asked."""
        most = 1 if self.router.evidence.given_up else len(self.segments)
        if self.router.model.resting is not None or self.rounds >= most:
            return None
        open_ = [one for one in plan.weighed if one.zone == "grey" and one.segment not in self.asked]
        if not open_:
            return None
        self.rounds += 1
        controls = self._controls({one.segment for one in open_[:MOST_SEGMENTS - MOST_CONTROLS]})
        weighed = open_[:MOST_SEGMENTS - len(controls)]
        self.asked |= {one.segment for one in weighed}
        self.tried |= set(controls)
        shown = await self.router.shelf.topics(topics_of(weighed))
        return make_offer(weighed, controls, self.segments, shown, self.naming)

    def _controls(self, asked: set[SegmentId]) -> list[SegmentId]:
        """Segments to be tried on, of those that are not asked about where there are enough."""
        segments = list(self.segments.values())
        found = controls_among(segments, self.tried | asked, MOST_CONTROLS)
        return found or controls_among(segments, self.tried, MOST_CONTROLS)

    async def ask(self, offer: Offer) -> None:
        """Ask, keep the calls, learn from the controls, and note the choices."""
        router = self.router
        texts = await router.shelf.texts(named(offer.inputs))
        answered = await router.model.ask(request(offer.inputs, texts))
        router.calls += len(answered.calls)
        if answered.value is None or not answered.calls:
            router.failures += 1
            self.kept += [KeptCall(router.new_id(), call) for call in answered.calls]
            return
        found = picks(offer.inputs, texts, answered.value)
        shown = offer.shown_by(found)
        router.evidence = router.evidence.plus(shown)
        answered = answered.with_figures({**shown.figures, "trusted": float(router.evidence.trusted)})
        self.kept += [KeptCall(router.new_id(), call) for call in answered.calls]
        offer.take(found, self.kept[-1].id, self.naming)
