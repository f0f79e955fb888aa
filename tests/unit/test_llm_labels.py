"""What a model's choice means, and which ones are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from trace_graph.llm.labels import Resolved, resolve, resolve_all, says_none

TOPICS = {"T1": "Garden", "T2": "Sailing", "T3": "Work: trips", "T4": "Music", "NEW": None}


@pytest.mark.parametrize("choice", [
    0, -1, 5, True, False, None, 2.5, 1e400, float("nan"), "0", "-1", "5", "", " ", "true", [], [2, 3], [[2]],
    {"label": "T2"}, "2 and 3", "1-3", "T", "T2T3", "T02 or so",
])
def test_what_is_not_clearly_one_of_the_labels_is_refused(choice: object) -> None:
    """PC-032, PC-034: above all the last one is never meant by counting from the end."""
    assert resolve(choice, TOPICS) is None


@pytest.mark.parametrize("choice", [
    2, 2.0, "2", "2.0", " 2 ", [2], ["T2"], "T2", "t2", "[T2]", "`T2`.", "Ｔ２", "Sailing", "sailing ",
    "Topic: Sailing", "T2: Sailing", "topic: T2",
])
def test_a_label_is_known_by_number_mark_case_or_title(choice: object) -> None:
    """PC-032, PC-034."""
    assert resolve(choice, TOPICS) == "T2"


@pytest.mark.parametrize(("choice", "meant"), [
    ("demo:56", None), ("Chapter: 3", None), ("3: of them", None), ("2: Music", None), ("T2: 4", None), ("4:2", None),
    ("12:30", None), ("T9: 3", None), ("2: Sailing", "T2"), ("Sailing: 2", "T2"), ("2: T2", "T2"), ("id: T3", "T3"),
])
def test_a_number_beside_a_colon_is_a_label_only_where_the_other_side_agrees(choice: str, meant: str | None) -> None:
    offered = {**TOPICS, "M56": None, "M30": None, "M12": None}
    assert resolve(choice, offered) == meant


def test_a_title_counts_where_it_is_the_only_one_and_a_label_before_a_title() -> None:
    """PC-034."""
    offered = {"T1": "Sailing", "T2": "sailing", "T3": "T1", "T4": "Music", "S4": "Chess"}

    assert resolve("Sailing", offered) is None
    assert resolve("T1", offered) == "T1"
    assert resolve(4, offered) is None
    assert resolve("T4: Chess", offered) is None
    assert resolve("Work: trips", TOPICS) == "T3"
    assert resolve("new", TOPICS) == "NEW"


def test_a_list_keeps_each_valid_one_once_in_its_order_and_counts_the_others() -> None:
    """PC-034, PC-035."""
    assert resolve_all([2, 2, 9], TOPICS) == Resolved(("T2",), 1)
    assert resolve_all(["T4", "a3f0c1d2-0000-4000-8000-000000000000", "1", True], TOPICS) == Resolved(("T4", "T1"), 2)
    assert resolve_all([4, 3, 2, 1], TOPICS, most=3) == Resolved(("T4", "T3", "T2"), 0)
    assert resolve_all("T2", TOPICS) == Resolved(("T2",), 0)
    assert resolve_all(None, TOPICS) == Resolved((), 0)
    assert resolve_all(["none of these"], TOPICS) == Resolved((), 1)


@pytest.mark.parametrize(("choice", "says"), [
    (None, True), ("", True), ([], True), ("none of these", True), ("None.", True), (["none"], True), ("N/A", True),
    ("nonesuch", False), ("T2", False), (0, False), (False, False), (["none", "T2"], False),
])
def test_none_of_these_is_told_apart_from_a_choice_that_is_wrong(choice: object, says: bool) -> None:
    """PC-034."""
    assert says_none(choice) is says


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(), inner, max_size=3), max_leaves=8)


@given(JSON)
def test_whatever_a_model_says_the_result_was_offered(choice: object) -> None:
    assert resolve(choice, TOPICS) in {*TOPICS, None}
    assert set(resolve_all(choice, TOPICS).labels) <= TOPICS.keys()
