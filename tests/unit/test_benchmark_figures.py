"""From ranks to figures, comparisons, tables and sentences."""

from __future__ import annotations

import pytest

from tests.unit.bench_rows import row
from trace_graph.bench.datasets import groups, half_of
from trace_graph.bench.figures import by_group, compare, figures, parts
from trace_graph.bench.questions import Question

QUESTION = Question("q", "?", "1", ("e",), "s")


def test_figures_are_means_over_questions_not_over_evidence() -> None:
    four = row("q1", "1", product=1)
    four = four.model_copy(update={"found": {"trace-graph": four.found["trace-graph"].model_copy(
        update={"ranks": [1, None, 12, 60], "tokens": [100.0, None, 1200.0, None]})}})

    assert figures([four, row("q2", "4", product=2)], "trace-graph") == {
        "R@5": 0.625, "R@10": 0.625, "R@20": 0.75, "R@50": 0.75, "MRR": 0.75, "T500": 0.625, "F500": 0.5,
        "T1000": 0.625, "F1000": 0.5, "T2000": 0.75, "F2000": 0.5, "T4000": 0.75, "F4000": 0.5}


def test_the_adversarial_questions_of_locomo_stand_on_their_own() -> None:
    rows = [row("q1", "4"), row("q2", "1"), row("q3", "5")]

    assert {name: [one.id for one in part] for name, part in by_group("locomo", rows).items()} == {
        "1-4": ["q1", "q2"], "1": ["q2"], "4": ["q1"], "5": ["q3"]}


def test_other_sets_count_all_their_categories_together() -> None:
    assert groups("beam", ["b", "a", "b"]) == {
        "all": frozenset("ab"), "a": frozenset("a"), "b": frozenset("b")}


def test_a_group_that_holds_nothing_is_left_out() -> None:
    assert groups("locomo", ["5"]) == {"5": frozenset("5")}


def test_the_report_half_is_shown_beside_all() -> None:
    tune, report, neither = row("t", "1", "tune"), row("r", "1", "report"), row("n", "1", None)

    assert parts([tune, report]) == {"report": [report], "all": [tune, report]}
    assert parts([report]) == {"report": [report]}
    assert parts([tune]) == {"tune": [tune]}
    assert parts([neither]) == {"all": [neither]}


@pytest.mark.parametrize(("name", "id", "sample", "half"), [
    ("locomo", "conv-43:qa1", "conv-43", "tune"), ("locomo", "conv-44:qa1", "conv-44", "report"),
    ("beam", "10:x:0", "10", "tune"), ("beam", "11:x:0", "11", "report"),
    # By sha256sum: fab9...0518 and bd3a...03ce3.
    ("longmemeval", "gpt4_76048e76", "gpt4_76048e76", "tune"), ("longmemeval", "118b2229", "118b2229", "report"),
    ("sample", "q1", "sample", None), ("multilingual", "cross_language:0", "pairs", None),
])
def test_the_halves_are_those_of_the_study(name: str, id: str, sample: str, half: str | None) -> None:
    assert half_of(name, Question(id, "?", "1", ("e",), sample)) == half  # type: ignore[arg-type]  # a plain string


def test_a_category_of_30_questions_is_compared_with_bm25_and_a_smaller_one_is_not() -> None:
    rows = [row(f"q{n}", "1", product=11, bm25=1) for n in range(30)]
    rows += [row(f"p{n}", "2", product=1, bm25=11) for n in range(29)]

    compared = compare("locomo", rows, ["trace-graph", "bm25"])

    assert [(one.system, one.part, one.category, one.questions, one.below) for one in compared] == [
        ("trace-graph", "report", "1-4", 59, False), ("trace-graph", "report", "1", 30, True)]
    assert (compared[1].difference, compared[1].low, compared[1].high) == (-1.0, -1.0, -1.0)


def test_nothing_is_compared_where_bm25_was_not_asked() -> None:
    assert compare("locomo", [row(f"q{n}", "1", product=1) for n in range(30)], ["trace-graph"]) == []
