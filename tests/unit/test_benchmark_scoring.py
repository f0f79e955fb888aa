"""The figures of the benchmark, against examples worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.bench.scoring import (
    Interval,
    Shown,
    mean,
    paired_interval,
    percentile,
    ranks_of,
    recall_at,
    recall_within,
    reciprocal_rank,
    tokens_of,
    tokens_to,
)

RANKING = (Shown("a", 10.0), Shown("b", 20.0), Shown("a", 10.0), Shown("c", 30.0), Shown("d", 5.0))


def test_ranks_count_distinct_messages_and_one_shown_by_passages_stands_where_its_first_does() -> None:
    assert ranks_of(["a", "c", "d", "elsewhere"], RANKING) == [1, 3, 4, None]


def test_a_rank_beyond_the_last_cut_is_none() -> None:
    ranking = [Shown(str(place), 1.0) for place in range(1, 60)]

    assert ranks_of(["50", "51"], ranking) == [50, None]


@pytest.mark.parametrize(("k", "share"), [(1, 0.0), (2, 1 / 3), (3, 2 / 3), (4, 2 / 3)])
def test_recall_counts_the_evidence_among_the_first_messages(k: int, share: float) -> None:
    assert recall_at(ranks_of(["b", "c", "elsewhere"], RANKING), k) == share


@pytest.mark.parametrize(("budget", "share"), [(9.9, 0.0), (10, 0.5), (69.9, 0.5), (70, 1.0), (4000, 1.0)])
def test_a_context_ends_at_the_first_item_that_does_not_fit(budget: float, share: float) -> None:
    assert recall_within(tokens_to(["a", "c"], RANKING), budget) == share


def test_a_later_item_that_would_fit_is_not_taken() -> None:
    assert recall_within(tokens_to(["d"], RANKING), 45) == 0.0


def test_what_no_budget_holds_has_no_tokens() -> None:
    assert tokens_to(["a", "b"], [Shown("a", 3999.99), Shown("b", 0.02)]) == [3999.99, None]


@pytest.mark.parametrize(("ranks", "value"), [([None, 4, 2], 0.5), ([None], 0.0), ([1], 1.0)])
def test_the_reciprocal_rank_is_that_of_the_first_piece_of_evidence(ranks: list[int | None], value: float) -> None:
    assert reciprocal_rank(ranks) == value


def test_tokens_are_words_times_1_33_and_not_rounded() -> None:
    assert [tokens_of(text) for text in ("", "one", "two words,  here")] == [0.0, 1.33, 3 * 1.33]


def test_four_characters_without_spaces_count_as_three_words() -> None:
    assert tokens_of("我的单车 here") == 1.33 * 4


@given(st.integers(1, 400), st.lists(st.integers(1, 60), max_size=400))
def test_floating_point_does_not_put_out_an_item_that_fits_exactly(last: int, words: list[int]) -> None:
    words = words[: (3000 - last) // 60]
    ranking = [Shown(str(place), 1.33 * count) for place, count in enumerate([*words, last])]

    assert tokens_to([str(len(words))], ranking) == [round(1.33 * sum([*words, last]), 6)]


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
