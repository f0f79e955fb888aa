from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trace_graph.text.graphemes import LONGEST_GRAPHEME, is_border
from trace_graph.text.passages import Span, passages


def pieces(text: str) -> list[str]:
    return [text[span.start : span.end] for span in passages(text)]


@pytest.mark.parametrize("text", ["", "short", "word " * 120, "花" * 360, " " * 10_000, "\n\n" * 500 + "word"])
def test_a_text_of_up_to_120_words_is_not_cut(text: str) -> None:
    assert passages(text) == []


def test_a_longer_text_is_cut_into_parts_of_about_100_words() -> None:
    assert [len(piece.split()) for piece in pieces("word " * 121)] == [61, 60]
    assert [len(piece.split()) for piece in pieces("word " * 500)] == [100, 100, 100, 100, 100]


def test_paragraphs_are_preferred_to_sentences_and_sentences_to_spaces() -> None:
    sentence = "seven plain words stand in this sentence. "
    paragraph = sentence * 12

    assert pieces("\n\n".join([paragraph] * 3)) == [paragraph + "\n\n", paragraph + "\n\n", paragraph]
    assert all(piece.endswith("sentence. ") for piece in pieces(sentence * 60))


def test_text_without_spaces_is_cut_every_300_characters_or_so() -> None:
    assert {len(piece) for piece in pieces("花" * 3_000)} == {300}
    assert {len(piece) for piece in pieces("abcde" * 600)} == {300}


def test_sentences_of_unspaced_text_stay_whole() -> None:
    assert all(piece.endswith("。") for piece in pieces("我对花生过敏。" * 200))


@pytest.mark.parametrize("unit", ["👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽", "क्षि", "\u1100\u1161\u11a8"])
def test_no_grapheme_is_cut(unit: str) -> None:
    text = unit * 3_000 + "end " * 200

    assert all(piece.count(unit) * len(unit) == len(piece) for piece in pieces(text)[:5])


def test_marks_piled_without_end_are_cut_all_the_same() -> None:
    assert max(span.end - span.start for span in passages("a" + "\u0301" * 20_000)) <= 300 + LONGEST_GRAPHEME


PARTS = ["word ", "a", "花", "。", "\n\n", ". ", "\u0301", "👨‍👩‍👧", "🇩🇪", "\u200d", " ", "คำ", "x" * 90, "\r\n"]
MIXED = st.lists(
    st.tuples(st.sampled_from(PARTS) | st.text(max_size=3), st.integers(1, 60)), min_size=5, max_size=25
).map(lambda parts: "".join(part * times for part, times in parts))


@given(MIXED)
@example("🇩" * 999)
@example("。" * 5_000)
@example("\u0301" * 5_000)
def test_passages_cover_the_text_without_gap_or_overlap(text: str) -> None:
    spans = passages(text)

    assert all(span.start < span.end for span in spans)
    assert "".join(text[span.start : span.end] for span in spans) == (text if spans else "")
    assert all(before.end == after.start for before, after in pairwise(spans))
    assert len(spans) != 1


@given(MIXED)
def test_passages_end_at_borders_of_graphemes(text: str) -> None:
    for span in passages(text):
        piece = text[span.start : span.end]

        assert is_border(text, span.end, span.start) or all(
            not is_border(piece, position) for position in range(len(piece) - LONGEST_GRAPHEME + 1, len(piece))
        )


def test_a_span_is_a_pair_of_characters() -> None:
    assert passages("word " * 121)[0] == Span(0, 305) == (0, 305)
