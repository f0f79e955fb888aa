"""A model is asked about what vectors are not sure of, in a space in memory: it may help, and cannot harm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import Any

import pytest
from pydantic import BaseModel

from bench.interleaved import TUNE_SEEDS, Said, interleaved
from bench.routing import Way, make, waiting_of
from bench.routing_space import RoutingSpace
from tests.scripted_model import ScriptedModel
from trace_graph.embed.background import background_mean
from trace_graph.embed.protocol import Vector
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm.purposes.descend import DescendReply
from trace_graph.llm.purposes.route import MOST_SEGMENTS, Pick, RouteInputs, RouteReply
from trace_graph.llm.values import Request
from trace_graph.organize.descending import MOST_LEVELS, Descent
from trace_graph.organize.routing import Cascade, Routed, Router
from trace_graph.organize.trust import Evidence
from trace_graph.organize.values import WaitingMessage

TRUSTED = Evidence(60, 60)
SAID = interleaved(TUNE_SEEDS[0], 300)
Answer = Callable[[Request[Any]], BaseModel | None]


@pytest.fixture(scope="module")
def prior() -> Vector:
    return asyncio.run(background_mean(StaticEmbedder.shipped()))


@pytest.fixture(scope="module")
def waiting() -> list[WaitingMessage]:
    return waiting_of(SAID, StaticEmbedder.shipped())


def organized(
    prior: Vector, waiting: Sequence[WaitingMessage], answer: Answer, *, evidence: Evidence = TRUSTED,
    kind: type[Router] = Cascade, resting: str | None = None,
) -> tuple[RoutingSpace, Router, list[Routed], ScriptedModel]:
    space, model = RoutingSpace(prior), ScriptedModel(answer)
    model.resting = resting
    router = kind(model, space, space.new_id, evidence)
    return space, router, asyncio.run(space.organize(waiting, 150, router)), model


def places(space: RoutingSpace) -> list[set[str]]:
    """The messages of each leaf: ids of topics depend on how often it was planned."""
    leaves = set(space.place.values())
    return sorted(({str(one) for one in space.lying_in(leaf)} for leaf in leaves), key=sorted)


def by_vectors(prior: Vector, waiting: Sequence[WaitingMessage]) -> list[set[str]]:
    space = RoutingSpace(prior)
    asyncio.run(space.organize(waiting, 150))
    return places(space)


def every(choice: object, title: str | None = None) -> Answer:
    def answer(request: Request[Any]) -> BaseModel:
        picks = [Pick(segment=one["label"], choice=choice, title=title) for one in request.inputs["segments"]]
        return RouteReply(picks=picks) if request.purpose == "route" else DescendReply(picks=picks)

    return answer


def inputs_of(model: ScriptedModel) -> Iterator[RouteInputs]:
    return (RouteInputs.model_validate(request.inputs) for request in model.requests)


@pytest.mark.parametrize("kind", [Cascade, Descent])
def test_a_model_that_obeys_a_message_files_nothing_outside_its_offer(
    prior: Vector, waiting: list[WaitingMessage], kind: type[Router],
) -> None:
    """The message names the label of a topic that exists, its id, and one that does not."""
    victim = RoutingSpace(prior)
    asyncio.run(victim.organize(waiting, 150))
    some = next(iter(victim.place.values()))

    for wanted in (some, "T999", "topic-0", -1, 0):
        space, router, routed, model = organized(prior, waiting, every(wanted), kind=kind)

        assert model.requests
        assert places(space) == by_vectors(prior, waiting)
        assert {kept.call.outcome for one in routed for kept in one.calls} == {"faulty"}
        assert router.evidence.agreed < TRUSTED.agreed


def test_a_model_that_puts_all_under_one_label_is_held_to_what_each_segment_was_offered(
    prior: Vector, waiting: list[WaitingMessage],
) -> None:
    space, _, _, model = organized(prior, waiting, every("T1"), evidence=Evidence(10_000, 10_000))

    first = next(inputs_of(model))
    refused = [one for one in first.segments if "T1" not in one.offered]
    assert refused
    assert space.reasons["model: chosen"] <= sum(
        len(one.messages) for inputs in inputs_of(model) for one in inputs.segments if "T1" in one.offered)


def test_segments_that_are_given_one_title_share_one_topic(prior: Vector, waiting: list[WaitingMessage]) -> None:
    def answer(request: Request[Any]) -> BaseModel:
        inputs = RouteInputs.model_validate(request.inputs)
        return RouteReply(picks=[
            Pick(segment=one.label, choice=one.offered[-1], title=("Ropes  and sails", "ropes AND sails")[place % 2])
            for place, one in enumerate(inputs.segments)])

    space, _, routed, _ = organized(prior, waiting[:60], answer)

    named = [topic for one in routed for topic in one.plan.new_topics if topic.reason == "named"]
    assert [topic.title.casefold() for topic in named] == ["ropes and sails"]
    assert named[0].model_call in {kept.id for one in routed for kept in one.calls}
    assert space.reasons["model: chosen"] > 0


def test_a_model_that_fails_or_rests_leaves_all_to_vectors_and_its_calls_are_kept(
    prior: Vector, waiting: list[WaitingMessage],
) -> None:
    space, router, routed, model = organized(prior, waiting, lambda request: None)

    assert places(space) == by_vectors(prior, waiting)
    assert len(model.requests) == router.calls == sum(len(one.calls) for one in routed) > 0
    assert router.unused == f"The model gave no usable reply {router.calls} times; vectors decided there."

    space, router, routed, model = organized(prior, waiting, every("T1"), resting="The allowance is used up.")

    assert places(space) == by_vectors(prior, waiting)
    assert (model.requests, router.calls, router.unused) == ([], 0, "The allowance is used up.")


def test_the_same_replies_give_the_same_requests_and_tree(prior: Vector, waiting: list[WaitingMessage]) -> None:
    one, other = (organized(prior, waiting, every(1)) for _ in range(2))

    assert [request.messages for request in one[3].requests] == [request.messages for request in other[3].requests]
    assert one[0].place == other[0].place


def test_a_call_offers_a_bounded_number_and_hides_which_segments_are_controls(
    prior: Vector, waiting: list[WaitingMessage],
) -> None:
    _, _, _, model = organized(prior, waiting, every(1))

    for inputs, request in zip(inputs_of(model), model.requests, strict=True):
        assert 0 < len(inputs.controls) < len(inputs.segments) <= MOST_SEGMENTS
        assert "half of" not in request.messages[1].text
        offered = {one.label: set(one.offered) for one in inputs.segments}
        labels = {one.label for one in (*inputs.topics, *inputs.branches)}
        assert all(some <= labels and len(some) > 1 for some in offered.values())


def test_a_descent_asks_at_most_a_call_a_level_for_a_group_of_segments(
    prior: Vector, waiting: list[WaitingMessage],
) -> None:
    _, router, routed, model = organized(prior, waiting, every(1), kind=Descent)

    assert {request.purpose for request in model.requests} == {"descend"}
    asked = sum(len(one.plan.weighed) for one in routed)
    assert router.calls <= MOST_LEVELS * (asked // (MOST_SEGMENTS - 5) + len(routed))


def test_eighty_per_cent_beat_no_model_and_a_model_that_is_always_wrong_costs_nothing(prior: Vector) -> None:
    """Bar 2 in small: 400 messages of two seeds; `python -m bench.routing` is the whole."""
    embedder = StaticEmbedder.shipped()
    sets: list[tuple[Sequence[Said], list[WaitingMessage]]] = [
        (said, waiting_of(said, embedder)) for said in (interleaved(seed, 400) for seed in TUNE_SEEDS[:2])]

    def purity(way: Way) -> float:
        return mean(make(said, waiting, prior, way, seed=3).figures.purity for said, waiting in sets)

    none, good, bad = (purity(way) for way in (Way(), Way(0.8), Way(0.0)))

    assert good > none + 0.05
    assert bad > none - 0.02
