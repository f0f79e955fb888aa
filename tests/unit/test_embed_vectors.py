from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.embed.vectors import NOT_TEXT, embeddable, unit, unit_rows


def test_a_vector_is_scaled_to_length_one() -> None:
    vector = unit([3.0, 4.0])

    assert vector is not None
    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, [0.6, 0.8], rtol=1e-6)


def test_numbers_without_a_direction_are_no_vector() -> None:
    rubbish = [[0.0, 0.0], [1e-30, 1e-30], [1e30, 1.0], [1e300, 1e300], [np.nan, 1.0], [np.inf, 1.0], [-np.inf, 0.0]]

    assert [unit(numbers) for numbers in rubbish] == [None] * len(rubbish)


def test_rows_are_scaled_each_by_itself_and_rows_without_a_direction_are_told() -> None:
    rows, usable = unit_rows(np.array([[0.0, 5.0], [np.nan, 1.0], [0.0, 0.0], [-2.0, 0.0]]))

    np.testing.assert_array_equal(rows, np.array([[0, 1], [0, 0], [0, 0], [-1, 0]], dtype=np.float32))
    np.testing.assert_array_equal(usable, [True, False, False, True])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_any_vector_has_length_one_and_keeps_its_direction(numbers: list[float]) -> None:
    given_vector = np.array(numbers)
    vector = unit(given_vector)

    if vector is None:
        assert np.linalg.norm(given_vector) < 1e-12
    else:
        np.testing.assert_allclose(vector * np.linalg.norm(given_vector), given_vector, rtol=1e-5, atol=1e-1)
        np.testing.assert_allclose(np.linalg.norm(vector), 1.0, rtol=1e-5)


def test_blank_texts_and_half_characters_are_left_out() -> None:
    assert embeddable(["a", "", "\n\n", " \t", "half \ud800", "b"]) == ([0, 5], {4: NOT_TEXT})
