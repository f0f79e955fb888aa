"""Labels in an answer become numbers, whole or piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.llm.citing import Citing, without_labels

LABELS = ("M1", "M2", "M3", "M12")


def whole(text: str) -> tuple[str, list[str], int]:
    citing = Citing(LABELS)
    return citing.feed(text) + citing.end(), citing.cited, citing.dropped


@pytest.mark.parametrize(("written", "read", "cited", "dropped"), [
    ("On 7 May [M3].", "On 7 May [1].", ["M3"], 0),
    ("Red [M2], then blue [M12] and red [m2].", "Red [1], then blue [2] and red [1].", ["M2", "M12"], 0),
    ("Both (M1, M2)", "Both [1, 2]", ["M1", "M2"], 0),
    ("Both [M1 M2]", "Both [1, 2]", ["M1", "M2"], 0),
    ("Both [M1][M2]", "Both [1][2]", ["M1", "M2"], 0),
    ("五月七日【M1】。", "五月七日[1]。", ["M1"], 0),
    ("Known [M1, M99]", "Known [1]", ["M1"], 1),
    ("Unknown [M99].", "Unknown.", [], 1),
    ("A sheet (A4) and [sic]", "A sheet (A4) and [sic]", [], 0),
    ("Left open [M1", "Left open [M1", [], 0),
])
def test_labels_that_were_given_become_numbers_and_others_are_taken_out(
    written: str, read: str, cited: list[str], dropped: int
) -> None:
    assert whole(written) == (read, cited, dropped)


@given(st.lists(st.sampled_from(["[M1]", " [M3", ", M2]", "M99", "(", "]", "[", " ", "word", "(M12)", "\n", "é"])),
       st.data())
def test_pieces_give_what_the_whole_gives(parts: list[str], data: st.DataObject) -> None:
    """What was printed while it arrived is what is kept."""
    text, citing, read, at = "".join(parts), Citing(LABELS), "", 0
    while at < len(text):
        size = data.draw(st.integers(1, 7))
        read += citing.feed(text[at:at + size])
        at += size
    read += citing.end()

    assert (read, citing.cited, citing.dropped) == whole(text)


def test_the_list_of_citations_is_numbered_behind_those_of_the_text() -> None:
    citing = Citing(LABELS)
    citing.feed("Red [M2].")

    citing.listed(["M1", "m2", "M40", {"label": "M3"}])

    assert (citing.cited, citing.dropped) == (["M2", "M1"], 2)


@given(st.text(alphabet="[](（【】Mm1 2,;、x"))
def test_of_a_text_without_labels_nothing_is_read_as_a_citation(text: str) -> None:
    plain = without_labels(text)

    assert whole(plain) == (plain, [], 0)
    assert plain.replace(" ", "") == text.replace(" ", "")
