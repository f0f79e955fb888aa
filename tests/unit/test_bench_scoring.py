"""The figures of bench/, against examples worked out by hand."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.bm25 import Bm25
from bench.large_store import copied
from bench.misfile import MISFILED, scattered
from bench.questions import Question
from bench.recall_report import Answered, differences, document, figures
from bench.scoring import (
    Interval,
    Shown,
    mean,
    paired_interval,
    percentile,
    recall_at,
    recall_within,
    tokens_of,
)
from bench.stopwatch import Stopwatch
from trace_graph.models import MessageId, MessageInput, TopicId
from trace_graph.organize.values import FiledMessage, FiledSegment, MovedPlacement, SegmentId, TopicState

RANKING = (Shown("a", 10.0), Shown("b", 20.0), Shown("a", 10.0), Shown("c", 30.0), Shown("d", 5.0))


@pytest.mark.parametrize(("k", "share"), [(1, 0.0), (2, 1 / 3), (3, 2 / 3), (4, 2 / 3)])
def test_recall_counts_the_evidence_among_the_first_distinct_messages(k: int, share: float) -> None:
    assert recall_at(["b", "c", "elsewhere"], RANKING, k) == share


def test_evidence_named_twice_counts_once() -> None:
    assert recall_at(["a", "a", "elsewhere"], RANKING, 5) == 0.5


@pytest.mark.parametrize(("budget", "share"), [(9.9, 0.0), (10, 0.5), (69.9, 0.5), (70, 1.0), (4000, 1.0)])
def test_a_context_ends_at_the_first_item_that_does_not_fit(budget: float, share: float) -> None:
    assert recall_within(["a", "c"], RANKING, budget) == share


def test_a_later_item_that_would_fit_is_not_taken() -> None:
    assert recall_within(["d"], RANKING, 45) == 0.0


def test_tokens_are_words_times_1_33_and_not_rounded() -> None:
    assert [tokens_of(text) for text in ("", "one", "two words,  here")] == [0.0, 1.33, 3 * 1.33]


@given(st.integers(1, 400), st.lists(st.integers(1, 60), max_size=400))
def test_floating_point_does_not_put_out_an_item_that_fits_exactly(last: int, words: list[int]) -> None:
    ranking = [Shown(str(place), 1.33 * count) for place, count in enumerate([*words, last])]

    assert recall_within([str(len(words))], ranking, 1.33 * sum([*words, last])) == 1.0


@pytest.mark.parametrize(("percent", "value"), [(0, 1.0), (50, 5.0), (95, 10.0), (90, 9.0), (100, 10.0)])
def test_a_percentile_is_a_value_that_was_measured(percent: float, value: float) -> None:
    assert percentile([10.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], percent) == value


def test_nothing_has_no_mean_no_percentile_and_no_difference() -> None:
    none = paired_interval([], [])

    assert all(math.isnan(value) for value in (mean([]), percentile([], 50), none.difference, none.low, none.high))


def test_a_difference_that_every_question_shows_has_no_width() -> None:
    assert paired_interval([0.5, 1.0, 0.75], [0.25, 0.75, 0.5]) == Interval(0.25, 0.25, 0.25)


def test_a_paired_interval_is_that_of_a_binomial() -> None:
    """50 of 100 questions gain 1: a mean of .5 whose bootstrap has a standard deviation of .05."""
    measured = paired_interval([1.0] * 50 + [0.0] * 50, [0.0] * 100)

    assert measured.difference == 0.5
    assert measured.low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.011)
    assert measured.high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.011)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_an_interval_holds_its_difference_and_stays_between_minus_1_and_1(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    measured = paired_interval(first, second, resamples=200)

    assert -1 - 1e-9 <= measured.low <= measured.high <= 1 + 1e-9
    assert measured.difference == pytest.approx(mean(first) - mean(second))


def answered(category: str, evidence: tuple[str, ...], *ranking: str, seconds: float = 0.001) -> Answered:
    question = Question(f"q-{category}", "?", category, evidence, "conv-1")
    shown = tuple(Shown(id, 100.0) for id in ranking)
    return Answered(question, shown, shown, seconds)


def test_figures_are_means_over_questions_not_over_evidence() -> None:
    answers = [answered("1", ("a", "b", "c", "d"), "a"), answered("4", ("x",), "x")]

    assert figures(answers) == {
        "R@5": 0.625, "R@10": 0.625, "R@20": 0.625, "R@50": 0.625,
        "T500": 0.625, "T1000": 0.625, "T2000": 0.625, "T4000": 0.625}


def test_the_adversarial_questions_stand_on_their_own() -> None:
    product = [answered("4", ("x",), "x"), answered("5", ("y",), "n")]
    other = [answered("4", ("x",), "n"), answered("5", ("y",), "y")]
    measured = document({"trace-graph": product, "bm25s": other})

    assert {name: one["questions"] for name, one in measured["systems"]["bm25s"]["categories"].items()} == {
        "4": 1, "1-4": 1, "5": 1}
    assert measured["systems"]["trace-graph"]["categories"]["1-4"]["R@10"] == 1.0
    assert differences({"trace-graph": product, "bm25s": other}) == {
        "bm25s - trace-graph": {"difference": -1.0, "low": -1.0, "high": -1.0}}
    assert measured["questions"][1] == {
        "id": "q-5", "category": "5", "evidence": ["y"], "ranks": {"trace-graph": [None], "bm25s": [1]}}


def test_a_message_shown_twice_has_the_better_rank() -> None:
    product = [answered("4", ("x",), "n", "x", "x")]

    assert document({"trace-graph": product})["questions"][0]["ranks"] == {"trace-graph": [2]}


def test_the_baseline_ranks_by_rare_words_and_leaves_out_what_shares_none() -> None:
    said = ["The kiln is hot", "Kilns and glaze", "Nothing of it", "The kiln again"]
    index = Bm25([MessageInput(text=text, external_id=str(place)) for place, text in enumerate(said)])

    assert [shown.id for shown in index.ranking("Which glaze was in the kiln?")] == ["1", "3", "0"]
    assert index.ranking("Who else?") == ()


def test_copies_of_messages_have_other_ids_and_other_sessions() -> None:
    said = [MessageInput(text=text, external_id=id, session="s") for text, id in (("a", "1"), ("b", "2"))]

    assert [(copy.text, copy.external_id, copy.session) for copy in copied(said, 3)] == [
        ("a", "0:1", "0/s"), ("b", "0:2", "0/s"), ("a", "1:1", "1/s")]


def leaf(name: str, segments: int) -> list[FiledSegment]:
    return [
        FiledSegment(SegmentId(f"{name}-{number}"), TopicId(name), (
            FiledMessage(MessageId(f"{name}-{number}-m"), np.array([1.0, 0.0], np.float32), at(number)),))
        for number in range(segments)]


def at(hour: int) -> datetime:
    return datetime(2026, 1, 1, hour, tzinfo=UTC)


def state(name: str, count: int, parent: str | None = "root", children: int = 0) -> TopicState:
    return TopicState(
        TopicId(name), TopicId(parent) if parent else None, 0 if parent is None else 1, np.array([float(count), 0.0]),
        count, count, count, children, at(count - 1))


def test_half_of_the_segments_are_moved_to_other_leaves_and_the_counts_follow() -> None:
    contents = {TopicId("a"): leaf("a", 4), TopicId("b"): leaf("b", 2)}
    tree = {TopicId(one.id): one for one in (state("root", 6, None, 2), state("a", 4), state("b", 2))}
    plan = scattered(tree, contents, np.zeros(2), share=0.5, seed=1)
    from_a = sum(move.old_topic == "a" for move in plan.moved)

    assert len(plan.moved) == 3
    assert {(move.old_topic, move.topic) for move in plan.moved} <= {("a", "b"), ("b", "a")}
    assert {move.decision for move in plan.moved} == {MISFILED}
    counts = {topic: (one.message_count, one.segment_count) for topic, one in plan.states.items()}
    change = 3 - 2 * from_a
    assert counts == {"root": (6, 6), "a": (4 + change, 4 + change), "b": (2 - change, 2 - change)}
    assert plan.stale == ("a", "b", "root")
    assert scattered(tree, contents, np.zeros(2), share=0.5, seed=1).moved == plan.moved


def test_a_single_leaf_leaves_nowhere_to_misfile_to() -> None:
    moved: tuple[MovedPlacement, ...] = scattered(
        {TopicId("root"): state("root", 2, None, 1), TopicId("a"): state("a", 2)}, {TopicId("a"): leaf("a", 2)},
        np.zeros(2), share=0.5, seed=0).moved

    assert moved == ()


class Ticking:
    """A clock of which each reading is one second later."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now



class Worker:
    """What the stopwatch wraps."""

    def outer(self) -> str:
        return self.inner()

    def inner(self) -> str:
        return "done"


def test_overlapping_calls_of_one_stage_count_once_and_everything_is_put_back() -> None:
    originals = dict(vars(Worker))
    stopwatch = Stopwatch(Ticking())
    stopwatch.wrap(Worker, "outer", "embed")
    stopwatch.wrap(Worker, "inner", "embed")

    assert Worker().outer() == "done"
    assert stopwatch.parts("add", total=2.0, calls=2) == {
        "space": 0.0, "prepare": 0.0, "embed": 500.0, "database": 0.0, "rest": 500.0, "of it, database": 0.0}
    stopwatch.__exit__(None, None, None)
    assert dict(vars(Worker)) == originals


def test_every_stage_of_the_library_is_where_the_stopwatch_looks_for_it() -> None:
    with Stopwatch() as stopwatch:
        assert stopwatch.parts("recall", total=1.0, calls=1)["rest"] == 1000.0
