"""A walk keeps to its number of calls, whatever the model takes for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

from tests.scripted_model import ScriptedModel
from trace_graph.access.scopes import Scope, Space
from trace_graph.llm.purposes.walk import WalkReply
from trace_graph.llm.values import Answered, OnText, Reply, Request
from trace_graph.models import SpaceId, Walk
from trace_graph.models.calls import ModelCall
from trace_graph.retrieve.walking import MOST_OFFERED, TOO_MANY_CALLS, Asking, walk_down
from trace_graph.store.connection import Store

ROOT = Scope((Space(SpaceId("s"), "s", "s1", "UTC", "r", 0, 0, (), 1),))
DEPTH = 4


class Tree:
    """A store of a tree: each topic has so many children, DEPTH levels down; a topic's id is its way."""

    def __init__(self, width: int) -> None:
        self._width = width

    async def read(self, name: str, *, topics: Sequence[str], **_: Any) -> list[dict[str, Any]]:
        """The children of topics."""
        assert name == "children_of"
        return [
            {"parent": topic, "id": f"{topic}/{number}", "title": f"{topic}/{number}", "text": "words",
             "revision": f"of {topic}/{number}", "message_count": self._width - number,
             "child_count": self._width if topic.count("/") + 1 < DEPTH else 0}
            for topic in topics for number in range(self._width) if topic.count("/") < DEPTH]


class Stubborn(ScriptedModel):
    """Takes two calls for every answer."""

    async def ask(self, request: Request[Reply], *, on_text: OnText | None = None) -> Answered[Reply]:
        answered = await super().ask(request, on_text=on_text)
        return replace(answered, calls=answered.calls * 2)


def walked(model: ScriptedModel, width: int = 2) -> Walk:
    async def keep(_: Sequence[tuple[str, ModelCall]]) -> None:
        """Nowhere."""

    asking = Asking(model, keep, lambda: "call")
    return asyncio.run(walk_down(
        cast(Store, Tree(width)), ROOT, "Where?", datetime(2024, 5, 7, tzinfo=UTC), asking))


def test_a_walk_ends_in_leaves_with_one_call_a_level() -> None:
    walk = walked(ScriptedModel(lambda _: WalkReply(pick=["T1"])))

    assert [one.id for one in walk.branches] == ["r/0/0/0/0"]
    assert (walk.model_calls, walk.fault) == (DEPTH, None)


def test_all_open_branches_are_offered_in_one_call_and_three_are_chosen_in_all() -> None:
    model = ScriptedModel(lambda request: WalkReply(pick=[one["label"] for one in request.inputs["offered"]]))

    walk = walked(model, width=3)

    assert [len(request.inputs["offered"]) for request in model.requests] == [3, 9, 9, 9]
    assert [one.id for one in walk.branches] == [f"r/0/0/0/{number}" for number in range(3)]


def test_a_model_that_needs_two_calls_each_time_walks_less_deep() -> None:
    walk = walked(Stubborn(lambda _: WalkReply(pick=["T1"])))

    assert walk.model_calls == 4 <= DEPTH + 2
    assert ([one.id for one in walk.branches], walk.fault) == (["r/0/0"], TOO_MANY_CALLS)


def test_a_model_that_fails_on_the_way_leaves_what_was_open() -> None:
    answers = iter([WalkReply(pick=["T2", "T1"]), None])

    walk = walked(ScriptedModel(lambda _: next(answers)))

    assert ([one.id for one in walk.branches], walk.fault) == (["r/1", "r/0"], "no reply")
    assert [step.picked for step in walk.steps] == [["r/1", "r/0"], []]


def test_of_very_many_branches_the_largest_are_offered() -> None:
    walk = walked(ScriptedModel(lambda _: WalkReply(stop=True)), width=MOST_OFFERED + 5)

    assert [one.id for one in walk.steps[0].offered] == [f"r/{number}" for number in range(MOST_OFFERED)]
    assert walk.branches == []
