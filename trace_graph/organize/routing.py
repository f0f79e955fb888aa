"""The grey zone is put to a model, call after call, and what it says is followed as long as it proves itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from trace_graph.llm.purposes.route import MOST_SEGMENTS, RouteReply, named, picks, request
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import Answered, Model, Reply, Request
from trace_graph.models.calls import ModelCall
from trace_graph.models.ids import NewId, TopicId
from trace_graph.organize.offering import Naming, Offer, Shown, controls_among, make_offer, topics_of
from trace_graph.organize.trust import NO_EVIDENCE, Evidence
from trace_graph.organize.values import Choice, Plan, Segment, SegmentId, TopicState

MOST_CONTROLS = 5
"""Segments of a call whose place is known (guess: a quarter of a full call)."""

RECONSIDERED = 10
"""Segments that a plan may move to topics that it opens, where there is a model to name them (guess: a third of a
batch)."""

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
    """Asks a model for one run of the organiser, and keeps how it does."""

    model: Model
    shelf: Shelf
    new_id: NewId
    evidence: Evidence = NO_EVIDENCE
    calls: int = 0
    """Made in this run."""
    failures: int = 0
    """Questions of this run that brought no usable reply."""
    unfiled: list[KeptCall] = field(default_factory=list)
    """Calls that were made for a batch that is not filed yet."""

    async def route(
        self, segments: Sequence[Segment], planner: Planner, tree: Mapping[TopicId, TopicState],
    ) -> Routed:
        """Plan a batch, asking the model; `tree` is that of before."""
        raise NotImplementedError

    @property
    def unused(self) -> str | None:
        """Why vectors decided some or all of what the model might have, in a sentence; None where it was followed."""
        if self.model.resting is not None:
            return self.model.resting
        if self.failures:
            times = "once" if self.failures == 1 else f"{self.failures} times"
            return f"The model gave no usable reply {times}; vectors decided there."
        return self.evidence.doubt if self.calls else None


class Cascade(Router):
    """Asks about the segments that vectors are not sure of, until none is left that was not asked about."""

    async def route(
        self, segments: Sequence[Segment], planner: Planner, tree: Mapping[TopicId, TopicState],
    ) -> Routed:
        """Plan a batch, asking the model; each call sees what those before it made of the batch."""
        batch = Batch(self, {one.id: one for one in segments})
        plan = await planner({})
        while (offer := await self._next(batch, plan)) is not None:
            texts = await self.shelf.texts(named(offer.inputs))
            await batch.ask(offer, texts, request(offer.inputs, texts))
            if self.evidence.trusted:
                plan = await planner(batch.naming.choices())
        return await batch.result(planner, plan)

    async def _next(self, batch: Batch, plan: Plan) -> Offer | None:
        """The next question; None where there is nothing to ask, or nobody to be asked."""
        grey = [one for one in plan.weighed if one.zone == "grey" and one.segment not in batch.asked]
        if not grey or not batch.may_ask():
            return None
        controls = batch.controls({one.segment for one in grey[:MOST_SEGMENTS - MOST_CONTROLS]})
        weighed = grey[:MOST_SEGMENTS - len(controls)]
        batch.asked |= {one.segment for one in weighed}
        shown = await self.shelf.topics(topics_of(weighed))
        return make_offer(weighed, controls, batch.segments, shown, batch.naming, near=near_of(plan))


def near_of(plan: Plan) -> dict[SegmentId, set[TopicId]]:
    """The leaves to which each segment might belong, by their ids in this plan."""
    return {one.segment: {candidate.leaf for candidate in one.candidates} for one in plan.weighed}


@dataclass
class Batch:
    """What was asked about one batch so far."""

    router: Router
    segments: Mapping[SegmentId, Segment]
    """In the order of filing."""
    naming: Naming = field(init=False)
    kept: list[KeptCall] = field(default_factory=list)
    asked: set[SegmentId] = field(default_factory=set)
    tried: set[SegmentId] = field(default_factory=set)
    """Segments that served as controls."""
    questions: int = 0

    def __post_init__(self) -> None:
        self.naming = Naming(list(self.segments))

    def may_ask(self) -> bool:
        """Whether one more question is worth it, and there is somebody to answer."""
        most = 1 if self.router.evidence.given_up else len(self.segments)
        return self.router.model.resting is None and self.questions < most

    def controls(self, asked: set[SegmentId]) -> list[SegmentId]:
        """Segments to be tried on, of those that are not asked about where there are enough."""
        segments = list(self.segments.values())
        found = controls_among(segments, self.tried | asked, MOST_CONTROLS)
        found = found or controls_among(segments, self.tried, MOST_CONTROLS)
        self.tried |= set(found)
        return found

    async def ask(self, offer: Offer, texts: Texts, question: Request[Reply]) -> None:
        """Ask, keep the calls, learn from the controls, and note the choices."""
        router = self.router
        self.questions += 1
        answered = await router.model.ask(question)
        router.calls += len(answered.calls)
        if not isinstance(answered.value, RouteReply) or not answered.calls:
            router.failures += 1
            self._keep(answered)
            return
        found = picks(offer.inputs, texts, answered.value)
        shown = offer.shown_by(found)
        router.evidence = router.evidence.plus(shown)
        answered = answered.with_figures({**shown.figures, "trusted": float(router.evidence.trusted)})
        self._keep(answered)
        offer.take(found, self.kept[-1].id, self.naming)

    def _keep(self, answered: Answered[Any]) -> None:
        made = [KeptCall(self.router.new_id(), call) for call in answered.calls]
        self.kept += made
        self.router.unfiled += made

    async def result(self, planner: Planner, last: Plan) -> Routed:
        """The plan to be carried out: by the choices, if they are to be followed when all was asked."""
        choices = self.naming.choices()
        followed = choices if self.router.evidence.trusted else {}
        return Routed(await planner(followed) if choices else last, tuple(self.kept))
