"""Centring and halving."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_graph.organize.vectors import centred, centred_centroid, halve, space_mean, unit_rows

small = st.integers(-2, 2).map(float)


def test_a_centred_row_has_unit_length_and_the_mean_itself_becomes_zero() -> None:
    rows = centred(np.array([[3.0, 1.0], [0.0, 1.0], [0.0, 5.0]]), np.array([0.0, 1.0]))

    assert rows.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]


def test_nothing_has_no_centroid() -> None:
    assert centred_centroid(np.zeros(2), 0, np.array([0.5, 0.5])).tolist() == [0.0, 0.0]


def test_the_mean_of_a_small_space_is_drawn_to_the_prior() -> None:
    prior = np.array([1.0, 0.0], dtype=np.float32)

    assert space_mean(prior, 10, np.array([0.0, 30.0]), 30).tolist() == [0.25, 0.75]
    assert space_mean(prior, 10, np.zeros(2), 0).tolist() == [1.0, 0.0]


def test_two_clear_groups_are_told_apart() -> None:
    rows = unit_rows(np.array([[1, 0.1], [0.1, 1], [1, 0], [0, 1], [1, -0.1], [-0.1, 1]]))

    assert sorted(halve(rows, 2)) == [[0, 2, 4], [1, 3, 5]]


def test_equal_rows_fall_into_even_halves() -> None:
    first, second = halve(np.tile([1.0, 0.0], (13, 1)), 3)

    assert (len(first), len(second)) == (6, 7)


def test_one_outlier_does_not_stay_alone() -> None:
    rows = unit_rows(np.array([[1.0, 0.01 * place] for place in range(12)] + [[-1.0, 0.0]]))

    assert sorted(map(len, halve(rows, 3))) == [3, 10]


@settings(deadline=None)
@given(st.lists(st.tuples(small, small, small), min_size=2, max_size=30), st.integers(1, 6))
def test_halves_are_complete_large_enough_and_repeatable(rows: list[tuple[float, ...]], minimum: int) -> None:
    units = unit_rows(np.array(rows))

    first, second = halve(units, minimum)

    assert sorted(first + second) == list(range(len(rows)))
    assert min(len(first), len(second)) >= min(minimum, len(rows) // 2)
    assert halve(units, minimum) == (first, second)
