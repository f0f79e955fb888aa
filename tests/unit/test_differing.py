"""In what two trees over the same messages differ."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.models.differences import MessageMove, SummaryDifference, TopicDifference
from trace_graph.models.trees import TopicNode, TreeMessage
from trace_graph.retrieve.differing import differences

NAMES = ("s", "t")


def said(number: int, space: str) -> TreeMessage:
    return TreeMessage(
        id=f"{space}-m{number}", external_id=f"e{number}", session="x", seq=number, author="Mira",
        occurred_at=datetime(2026, 1, 1, tzinfo=UTC), text=f"Remark {number}.")


def leaf(space: str, title: str, numbers: list[int], summary: str | None = None) -> TopicNode:
    return TopicNode(
        id=f"{space}-{title}", title=title, status="active", message_count=len(numbers), summary=summary or title,
        messages=[said(number, space) for number in numbers])


def tree(space: str, *children: TopicNode, title: str = "", summary: str | None = None) -> TopicNode:
    return TopicNode(
        id=f"{space}-{title or 'root'}", title=title or space, status="active", summary=summary,
        message_count=sum(child.message_count for child in children), children=list(children))


def test_a_tree_and_its_copy_with_other_ids_are_equal() -> None:
    old, new = (tree(space, leaf(space, "sails", [1, 2]), leaf(space, "bread", [3])) for space in ("s", "t"))

    found = differences(old, new, names=NAMES)

    assert (found.equal, found.compared, found.agreement) == (True, 3, 1.0)


def test_moved_messages_renamed_topics_and_changed_summaries_are_named() -> None:
    old = tree("s", leaf("s", "sails", [1, 2, 3]), leaf("s", "bread", [4, 5]), leaf("s", "knees", [6]))
    new = tree("t", leaf("t", "sails", [1, 2], "Of sails."), leaf("t", "baking", [3, 4, 5], "bread"),
               leaf("t", "garden", [7]))

    found = differences(old, new, names=NAMES)

    assert found.topics == [
        TopicDifference(change="renamed", id="t-baking", title="baking", was="bread", path=["baking"], messages=3),
        TopicDifference(change="added", id="t-garden", title="garden", path=["garden"], messages=1),
        TopicDifference(change="gone", id="s-knees", title="knees", path=["knees"], messages=1)]
    assert found.summaries == [
        SummaryDifference(id="t-sails", old_id="s-sails", title="sails", was="sails", now="Of sails.")]
    assert found.moves == [MessageMove(
        id="t-m3", external_id="e3", session="x", seq=3, author="Mira", text="Remark 3.", was=["sails"],
        now=["baking"])]
    assert (found.compared, found.only_old, found.only_new) == (5, 1, 1)
    assert found.agreement is not None and 0 < found.agreement < 1


def test_a_level_that_was_put_between_is_a_topic_added_and_moves_no_message() -> None:
    old = tree("s", leaf("s", "sails", [1, 2]), leaf("s", "bread", [3]))
    new = tree("t", tree("t", leaf("t", "sails", [1, 2]), leaf("t", "bread", [3]), title="hobbies"))

    found = differences(old, new, names=NAMES)

    assert [(one.change, one.title, one.path) for one in found.topics] == [("added", "hobbies", ["hobbies"])]
    assert (found.moves, found.summaries, found.agreement) == ([], [], 1.0)


def test_a_message_of_other_words_at_the_same_place_is_another_message() -> None:
    old, new = tree("s", leaf("s", "sails", [1, 2])), tree("t", leaf("t", "sails", [1, 2]))
    new.children[0].messages[1].text = "Something else."

    found = differences(old, new, names=NAMES)

    assert (found.compared, found.only_old, found.only_new, found.equal) == (1, 1, 1, False)


def test_spaces_without_a_message_in_common_have_no_agreement() -> None:
    found = differences(tree("s", leaf("s", "sails", [1])), tree("t", leaf("t", "bread", [2])), names=NAMES)

    assert (found.compared, found.agreement, found.only_old, found.only_new) == (0, None, 1, 1)


def test_agreement_of_ways_that_have_nothing_in_common_is_about_zero() -> None:
    old = tree("s", *(leaf("s", f"a{row}", [10 * row + column for column in range(10)]) for row in range(10)))
    new = tree("t", *(leaf("t", f"b{column}", [10 * row + column for row in range(10)]) for column in range(10)))

    assert differences(old, new, names=NAMES).agreement == pytest.approx(-0.1, abs=0.01)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.lists(st.integers(0, 4), min_size=30, max_size=30))
def test_each_message_that_both_have_lies_in_its_topics_counterpart_or_has_moved(
    first: list[int], second: list[int]
) -> None:
    numbers = range(len(first))
    old, new = (
        tree(space, *(leaf(space, f"{space}{topic}", [number for number in numbers if places[number] == topic])
                      for topic in sorted(set(places[:len(first)]))))
        for space, places in (("s", first), ("t", second)))

    found = differences(old, new, names=NAMES)

    renamed = {one.was: one.title for one in found.topics if one.change == "renamed"}
    stayed = [number for number in numbers if renamed.get(f"s{first[number]}") == f"t{second[number]}"]
    assert sorted([*stayed, *(move.seq for move in found.moves)]) == list(numbers)
