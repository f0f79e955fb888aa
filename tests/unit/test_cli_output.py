"""What the command line prints."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.cli import import_file, organize
from trace_graph.cli.global_options import GlobalOptions
from trace_graph.cli.output import as_json, error_json
from trace_graph.cli.progress import followed
from trace_graph.cli.tables import LONGEST_CELL, arrears, cell, counted, table
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


class Terminal(io.StringIO):
    """Stands for a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_table_with_no_room_for_its_columns_stands_upright(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout", Terminal())

    fits, not_quite = (table(("A", "B", "C"), [(1, "x" * length, 3), (4, 5, 6)]) for length in (12, 13))
    many = table([f"COLUMN {number}" for number in range(30)], [["value"] * 30])

    assert fits.splitlines()[0].split() == ["A", "B", "C"]
    assert [line.split() for line in not_quite.splitlines()] == [
        ["COLUMN", "VALUE"], ["─" * 20], ["A", "1"], ["B", "x" * 11], ["x" * 2], ["C", "3"], [],
        ["COLUMN", "VALUE"], ["─" * 14], ["A", "4"], ["B", "5"], ["C", "6"]]
    assert many.count("value") == 30
    assert max(map(len, many.splitlines())) <= 20


def test_whoever_waits_for_another_organiser_is_told_for_whom_and_until_when(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = logging.getLogger("trace_graph.organize.lease")
    until = datetime(2030, 1, 1, 8, 0, 30, tzinfo=UTC)
    for options in (GlobalOptions(), GlobalOptions(quiet=True)):
        with organize.waiting_told(options):
            log.info("another organiser holds the space", extra={"holder": "agent-7", "until": until})

    assert capsys.readouterr().err == (
        "Waiting for another organiser of this space (agent-7); unless it goes on, its lease ends at 08:00:30 UTC.\n")
    assert log.handlers == []


@pytest.mark.parametrize(("words", "done", "total", "said"), [
    (import_file._interrupted, 0, None, "Interrupted; what was stored stays. Import it again for the rest."),
    (import_file._interrupted, 1500, None,
     "Interrupted; what was stored stays; at least 1,500 messages of the file are in. Import it again for the rest."),
    (organize._interrupted, 0, None,
     "Interrupted; what was stored stays: no message is filed yet. Organize again to go on."),
    (organize._interrupted, 1000, 3000,
     "Interrupted; what was stored stays: 1,000 of 3,000 messages filed. Organize again to go on."),
])
def test_work_that_is_interrupted_says_how_far_it_is(
    words: Callable[[int, int | None], str], done: int, total: int | None, said: str
) -> None:
    options = GlobalOptions()
    with pytest.raises(KeyboardInterrupt), followed(options, "working", words) as progress:
        if done:
            progress(done, total)
        raise KeyboardInterrupt

    assert options.interrupted == said
    with followed(options, "working", words):
        pass
    assert options.interrupted is None


def test_numbers_come_with_their_noun() -> None:
    assert [counted(0, "message"), counted(1, "message"), counted(1200, "summary", "summaries")] == [
        "0 messages", "1 message", "1,200 summaries"]


def test_how_far_a_wording_lags_is_said_only_where_it_does() -> None:
    assert arrears(0, 0) == []
    assert arrears(1) == ["1 message behind"]
    assert arrears(1200, 3) == ["1,200 messages behind", "3 wordings refused"]
