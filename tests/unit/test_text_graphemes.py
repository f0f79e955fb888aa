from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.text.graphemes import LONGEST_GRAPHEME, border_before, is_border


def split(text: str) -> list[str]:
    borders = [position for position in range(len(text) + 1) if is_border(text, position)]
    return [text[start:end] for start, end in pairwise(borders)]


@pytest.mark.parametrize(
    "graphemes",
    [
        ["a", "b"],
        ["e\u0301", "x\u0301\u0323"],
        ["🇩🇪", "🇫🇷", "🇩"],
        ["👨‍👩‍👧‍👦", "👍🏽", "❤️", "1️⃣"],
        ["🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "a"],
        ["\r\n", "\n", "\r", "a"],
        ["क्षि", "न्दी"],
        ["\u1100\u1161\u11a8", "\uac00\u11a8", "\u1100", "a"],
        ["花", "生"],
        ["กำ", "ที่"],
    ],
)
def test_a_text_is_cut_between_graphemes_only(graphemes: list[str]) -> None:
    assert split("".join(graphemes)) == graphemes


def test_the_border_before_a_place_is_found() -> None:
    assert border_before("ab👍🏽", 3) == 2
    assert border_before("👍🏽ab", 1) == 2
    assert border_before("abc", 2) == 2
    assert border_before("a" + "\u0301" * 500, 300) == 300


@given(st.text(st.sampled_from("a\u0301\u200d🇩👍🏽"), min_size=1), st.data())
def test_the_border_found_always_goes_forward(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    position = data.draw(st.integers(start, len(text)))

    assert start < border_before(text, position, start) <= max(position, min(start + LONGEST_GRAPHEME, len(text)))
