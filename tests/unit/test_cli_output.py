"""What the command line prints."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from trace_graph.cli.output import as_json, error_json
from trace_graph.cli.tables import LONGEST_CELL, cell, counted, table
from trace_graph.errors import NotFound
from trace_graph.models import Revision

LIVE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\U000e0000-\U000e0fff]")
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(JSON_VALUES)
def test_json_is_read_as_the_same_value_and_holds_nothing_live(value: object) -> None:
    text = as_json(value)

    assert json.loads(text) == value
    assert LIVE.findall(text) == []


def test_json_has_the_names_and_times_that_are_promised() -> None:
    made = Revision.model_validate({
        "number": 1, "title": "Roses", "text": "Three.", "method": "extractive",
        "recorded_at": datetime(2024, 6, 1, tzinfo=UTC), "retired_at": None, "from": ["m1"]})

    assert json.loads(as_json([made, {"far": float("inf")}])) == [
        {"number": 1, "title": "Roses", "text": "Three.", "method": "extractive", "recorded_at": "2024-06-01T00:00:00Z",
         "retired_at": None, "from": ["m1"]}, {"far": "Infinity"}]


def test_an_error_is_json_even_where_it_names_what_is_no_text() -> None:
    text = error_json(NotFound("There is no file caf\udce9.", fix="Check the path."))

    assert json.loads(text) == {
        "error": {"code": "not_found", "message": "There is no file caf\udce9.", "fix": "Check the path."}}
    assert text.isascii()


def test_cells_are_one_line_and_not_endless() -> None:
    values = [None, True, 1.5, "a\nb\x1b[2J", datetime(2024, 6, 1, tzinfo=UTC), [1, "é"], "x" * 1000]

    assert [cell(value) for value in values] == [
        "null", "true", "1.5", "a\\nb\\x1b[2J", "2024-06-01T00:00:00+00:00", '[1, "é"]', "x" * (LONGEST_CELL - 1) + "…"]


def test_a_table_is_aligned_whatever_it_holds() -> None:
    assert table(("NAME", "[b]N[/b]"), [("日本", 1), ("[red]", None)]).splitlines() == [
        "NAME    [b]N[/b]", "────────────────", "日本    1", "[red]   null"]


def test_numbers_come_with_their_noun() -> None:
    assert [counted(0, "message"), counted(1, "message"), counted(1200, "summary", "summaries")] == [
        "0 messages", "1 message", "1,200 summaries"]
