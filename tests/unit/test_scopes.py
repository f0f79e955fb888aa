"""A scope holds the spaces that were asked for, in their order, or says that one is not there."""

from __future__ import annotations

import pytest

from trace_graph.access.scopes import Scope, Space, open_scope
from trace_graph.errors import NotFound
from trace_graph.models import SpaceId


def space(name: str) -> Space:
    return Space(SpaceId(f"id of {name}"), name, name, "UTC", "root", 0, 0, (), 1)


def test_a_scope_holds_what_was_asked_for_and_nothing_else() -> None:
    scope = open_scope(["b", "a"], [space("a"), space("b"), space("c")])

    assert scope == Scope((space("b"), space("a")))
    assert scope.ids == ["id of b", "id of a"]


@pytest.mark.parametrize("found", [[], [space("a")], [space("B")]])
def test_a_space_that_is_not_there_is_named(found: list[Space]) -> None:
    """PC-086: never an empty answer, never another space's."""
    with pytest.raises(NotFound) as refused:
        open_scope(["a", "b"] if found == [space("a")] else ["b"], found)

    assert (refused.value.message, refused.value.fix) == (
        "There is no space named 'b'.", "trace-graph spaces lists those there are.")


def test_asking_for_none_gives_none() -> None:
    assert open_scope([], [space("a")]).ids == []
