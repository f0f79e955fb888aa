from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.embed.windows import combine, halve, windows


def test_a_text_is_halved_at_the_white_space_nearest_to_its_middle() -> None:
    assert halve("one two three four") == ["one two", " three four"]


def test_a_text_without_white_space_is_halved_in_the_middle() -> None:
    assert halve("一二三四五") == ["一二", "三四五"]


def test_a_blank_half_is_dropped() -> None:
    assert halve("word" + " " * 20) == ["word" + " " * 8]


FILLED = st.text(alphabet="ab \n一", min_size=2, max_size=300).filter(lambda text: not text.isspace())


@given(FILLED, st.integers(1, 40))
def test_windows_are_within_the_limit_and_lose_nothing_but_white_space(text: str, limit: int) -> None:
    parts = windows(text, len, limit)

    assert max(len(part) for part in parts) <= limit
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_text_within_the_limit_is_one_window() -> None:
    assert windows("a short text", len, 12) == ["a short text"]


def test_parts_are_averaged_by_their_weights_and_parts_without_a_vector_count_for_nothing() -> None:
    first, second = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)

    combined = combine([first, None, second], [3, 99, 4])

    assert combined is not None
    np.testing.assert_allclose(combined, [0.6, 0.8], rtol=1e-6)
    assert combine([None, None], [1, 1]) is None
