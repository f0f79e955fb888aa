"""How the change of a summary is written."""

from __future__ import annotations

import pytest

from trace_graph.cli.diff import word_difference


@pytest.mark.parametrize(("was", "now", "written"), [
    ("", "", ""),
    ("Three cups.", "Three cups.", "Three cups."),
    ("Mira threw three cups.", "Mira threw four cups.", "Mira threw [-three-] {+four+} cups."),
    ("", "New.", "{+New.+}"),
    ("Old one.", "", "[-Old one.-]"),
    ("a b", "a b\nc", "a b {+c+}")])
def test_words_that_went_and_words_that_came_are_marked(was: str, now: str, written: str) -> None:
    assert word_difference(was, now) == written
