"""Where a walk leads, by what is chosen, and what is kept of it."""

from __future__ import annotations

import pytest

from trace_graph.llm.purposes.walk import Choice
from trace_graph.models import Walk, WalkBranch, WalkStep
from trace_graph.retrieve.walked import Position, TracedWalk, after, ended

CHILDREN = {"leaf": 0, "inner": 3, "other": 2}


@pytest.mark.parametrize(("choice", "position"), [
    (Choice(("inner", "leaf"), False, 0), Position(("inner",), ("before", "leaf"))),
    (Choice(("inner", "leaf"), True, 0), Position((), ("before", "inner", "leaf"))),
    (Choice(("inner", "other"), False, 0), Position(("inner", "other"), ("before",))),
    (Choice((), False, 2), Position((), ("before", "parent"))),
    (Choice((), True, 0), Position((), ("before", "parent"))),
], ids=["a leaf ends there", "stop ends there", "branches are opened", "nothing usable", "nothing fits"])
def test_a_choice_moves_the_walk(choice: Choice, position: Position) -> None:
    assert after(Position(("parent",), ("before",)), choice, CHILDREN, at_roots=False) == position


def test_whoever_chooses_nothing_at_the_roots_walks_nowhere() -> None:
    assert after(Position(("root",)), Choice((), True, 0), CHILDREN, at_roots=True) == Position(())
    assert ended(Position(("root",)), at_roots=True) == Position(())


def test_three_branches_in_all_may_be_chosen() -> None:
    assert [Position(("x",), settled).most for settled in ((), ("a",), ("a", "b"))] == [3, 2, 1]


def test_a_walk_is_kept_without_its_titles_and_told_with_those_that_may_be_read() -> None:
    offered = [WalkBranch(id="a", title="Boats", messages=3, branches=0),
               WalkBranch(id="b", title="Bread", messages=None, branches=2)]
    walk = Walk(
        steps=[WalkStep(offered=offered, picked=["a"], ignored=1, call_ids=["call"])], branches=offered[:1],
        share=0.25, model_calls=1, tokens_in=100, tokens_out=10, fault=None)

    kept = TracedWalk.of(walk, ["m1"])

    assert "Boats" not in kept.model_dump_json()
    assert kept.told({"a": "Boats", "b": "Bread"}) == walk
    assert kept.told({"b": "Bread"}).branches == [WalkBranch(id="a", title=None, messages=3, branches=0)]
