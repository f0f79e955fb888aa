"""The lines of an export: canonical, exact, and refused where they are not a whole space."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from trace_graph.errors import InvalidInput, Refused, StoreFailed
from trace_graph.maintain.canonical import canonical_content
from trace_graph.maintain.cut import Cut, closable_at, message_at, session_at, with_key, without_key
from trace_graph.maintain.lines import Digest, Header, Record, header_line, parse_object, parse_record, record_line
from trace_graph.maintain.reading_exports import batches_of, is_export, verify
from trace_graph.maintain.restoring import next_step

NOW = datetime(2026, 1, 1, 12, 0, 0, 5, tzinfo=UTC)
STAMP: dict[str, Any] = {"recorded_at": NOW, "change_seq": 1}
SPACE = Record("Space", {
    "id": "S", "name": "n", "root": "T", "time_zone": "UTC", "last_recorded_at": NOW, "event_seq": 1,
    "message_count": 2, "passage_count": 0, "authors": ["Mira"], **STAMP})
TOPIC = Record("Topic", {"id": "T", "kind": "root", "title": "n", "status": "active", **STAMP})
SESSION = Record("Session", {"id": "X", "key": "S/x", "name": "x", "last_seq": 2, "last_id": "M2"})
EVENT = Record("Event", {
    "id": "E", "seq": 1, "place_key": "S/1", "actor": "a", "action": "b", "targets": [], "payload_hash": "h", **STAMP})
PLACED = Record("PARENT_OF", {**STAMP, "score": 1, "live_key": "M1"}, "T", "M1")
NEXT = Record("NEXT", {}, "M1", "M2")


def message(id: str, seq: int, **more: Any) -> Record:
    return Record("Message", {
        "id": id, "session": "x", "seq": seq, "place_key": f"S/x/{seq}", "role": "user", "author": "Mira",
        "text": "日本 \u2028 \" x", "occurred_at": NOW, "occurred_offset": 0, "content_hash": "h", "tokens": 1,
        "terms": "a b", "embedding": [0.5, 0.1], **STAMP, **more})


EMBEDDER = {"name": "static:x", "dimension": 2, "probe": [0.5, 0.1]}
WHOLE = (SPACE, TOPIC, SESSION, message("M1", 1), message("M2", 2, waiting=True, waiting_in="S"), EVENT, PLACED, NEXT)


def file_of(records: tuple[Record, ...], **header: Any) -> bytes:
    counts = {kind: sum(one.kind == kind for one in records) for kind in {one.kind for one in records}}
    digest = Digest()
    lines = [
        header_line(Header(**{
            "version": 1, "schema_version": 1, "space_id": "S", "space_name": "n", "embedder": EMBEDDER,
            "counts": counts, **header})),
        *(record_line(record) for record in records)]
    for line in lines:
        digest.take(line)
    return b"".join((*lines, digest.trailer()))


def why_not(records: tuple[Record, ...], **header: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        verify(io.BytesIO(file_of(records, **header)))
    return refused.value.message


def replaced(place: int, change: Callable[[Record], Record]) -> tuple[Record, ...]:
    return (*WHOLE[:place], change(WHOLE[place]), *WHOLE[place + 1:])


def with_properties(**more: Any) -> Callable[[Record], Record]:
    return lambda one: Record(one.kind, {**one.properties, **more}, one.source, one.target)


def test_a_whole_file_is_one() -> None:
    export = file_of(WHOLE)

    verified = verify(io.BytesIO(export))

    assert is_export(io.BytesIO(export))
    assert verified.kind_of == {
        "S": "Space", "T": "Topic", "X": "Session", "M1": "Message", "M2": "Message", "E": "Event"}
    batches = list(batches_of(io.BytesIO(export), verified, 2))
    assert [(batch.kind, batch.target, len(batch.records), batch.lines) for batch in batches] == [
        ("Topic", "", 1, 3), ("Session", "", 1, 4), ("Message", "", 2, 6), ("Event", "", 1, 7),
        ("PARENT_OF", "Message", 1, 8), ("NEXT", "Message", 1, 9)]
    assert list(batches_of(io.BytesIO(export), verified, 9)) == []


@pytest.mark.parametrize("value", [
    "text \u2028 \x07 \U0001f469", 7, -0.1 + 0.3, True, NOW, ["a", "b"], [], [0.5, 0.25], [0.1, 0.2], [1e-300, 3.0]])
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    name = "some_at" if isinstance(value, datetime) else "some"
    line = record_line(Record("Topic", {name: value}))

    assert parse_record(parse_object(line)).properties[name] == value
    assert ("float32" in line.decode()) is (value == [0.5, 0.25])


@pytest.mark.parametrize("properties", [
    {"a": {"b": 1}}, {"a": NOW}, {"a_at": "text"}, {"A": 1}, {"a": float("nan")}, {"a": [1, "b"]}, {"a": b"x"}])
def test_a_value_without_a_place_in_the_format_is_not_exported(properties: dict[str, Any]) -> None:
    with pytest.raises(StoreFailed):
        record_line(Record("Topic", properties))


@pytest.mark.parametrize(("records", "reason"), [
    (WHOLE[1:], "There is not exactly one Space."),
    ((*WHOLE[:3], *WHOLE[4:]), "A PARENT_OF points at a Topic or Message that is not there."),
    ((*WHOLE[:2], *WHOLE[3:5], WHOLE[2], *WHOLE[5:]), "This Session stands twice, or not in its order."),
    ((*WHOLE, NEXT), "This NEXT stands twice, or not in its order."),
    (replaced(0, with_properties(root="M1")), "The Space points at a Topic that is not there."),
    (replaced(0, with_properties(id="other")), "The Space is another one than the first line says."),
    (replaced(0, with_properties(lease_owner="x")), "The lease_owner of a Space is none."),
    (replaced(1, with_properties(id="M1")), "The id of this Message stands twice."),
    (replaced(1, with_properties(title=None)), "A Topic lacks its title."),
    (replaced(2, with_properties(last_id="E")), "A Session points at a Message that is not there."),
    (replaced(2, with_properties(key="other/x")), "The key of a Session leads elsewhere."),
    (replaced(3, with_properties(seq=True)), "The seq of a Message is none."),
    (replaced(3, with_properties(change_seq=-5)), "The change_seq of a Message is none."),
    (replaced(3, with_properties(text="a\x00b")), "The text of a Message is none."),
    (replaced(3, with_properties(author="a\x00b")), "The author of a Message is none."),
    (replaced(3, with_properties(text=" ")),
     "A message's text is blank: without white space and invisible characters nothing is left of it."),
    (replaced(0, with_properties(time_zone="Mars/X")),
     "The time zone is not a name of the IANA time zone database."),
    (replaced(3, with_properties(space="other")), "The space of a Message is none."),
    (replaced(3, with_properties(filed_in="a topic of another space")), "The filed_in of a Message is none."),
    (replaced(3, with_properties(segment="x")), "The segment of a Message is none."),
    (replaced(3, with_properties(external_key="other/1")), "The external_key of a Message leads elsewhere."),
    (replaced(4, with_properties(waiting_in="other")), "The waiting_in of a Message leads elsewhere."),
    (replaced(6, with_properties(live_key="M2")), "The live_key of a PARENT_OF leads elsewhere."),
])
def test_a_file_that_is_sealed_but_no_whole_space_is_refused(records: tuple[Record, ...], reason: str) -> None:
    assert why_not(records).partition(": ")[2] == reason


CALL = Record("ModelCall", {
    "id": "C", "purpose": "route", "prompt": "route", "prompt_version": 1, "model": "m", "host": "h", "form": "json",
    "inputs": "{}", "request_hash": "ab", "attempt": 1, "at": NOW, "day": "2026-01-01", "milliseconds": 5,
    "requests": 1, "outcome": "ok", "reply": "{}", "temperature": 0.0, **STAMP})
MADE = Record("MADE", STAMP, "C", "M1")


def with_call(call: Record = CALL, *more: Record) -> tuple[Record, ...]:
    """The whole file with a call that placed a message."""
    placed = with_properties(model_call="C")(PLACED)
    return (*WHOLE[:5], call, EVENT, placed, NEXT, MADE, *more)


def test_a_file_with_a_call_is_whole_and_what_it_made_is_written_together() -> None:
    made = Record("MADE", STAMP, "C", "T")
    export = file_of(with_call(CALL, made), version=2)

    verified = verify(io.BytesIO(export))

    batches = batches_of(io.BytesIO(export), verified, 9)
    assert [(batch.kind, batch.target, len(batch.records)) for batch in batches] == [
        ("NEXT", "Message", 1), ("MADE", "", 2)]


@pytest.mark.parametrize(("change", "reason"), [
    ({"reply": None}, "A ModelCall was used and lacks its reply."),
    ({"inputs": "[]"}, "The inputs of a ModelCall is none."),
    ({"figures": "{"}, "The figures of a ModelCall is none."),
    ({"outcome": "good"}, "The outcome of a ModelCall is none."),
    ({"day": "2026-01-02"}, "The day of a ModelCall is none."),
    ({"passing_in": "S"}, "The passing_in of a ModelCall is none."),
    ({"change_seq": None}, "A ModelCall lacks its change_seq."),
    ({"id": "D"}, "A PARENT_OF points at a ModelCall that is not there."),
])
def test_a_file_with_a_call_that_is_none_is_refused(change: dict[str, Any], reason: str) -> None:
    assert why_not(with_call(with_properties(**change)(CALL)), version=2).partition(": ")[2] == reason


def test_a_revision_names_a_call_that_is_there() -> None:
    revision = Record("SummaryRevision", {
        "id": "R", "topic": "T", "number": 1, "title": "t", "text": "x", "call": "D", **STAMP})
    records = (*with_call()[:2], revision, *with_call()[2:])

    assert why_not(records).endswith("A SummaryRevision points at a ModelCall that is not there.")


def test_the_first_line_must_count_what_is_there() -> None:
    assert why_not(WHOLE, counts={"Space": 1}).endswith("The first line counts other lines than there are.")


def test_vectors_without_an_embedder_belong_to_nothing() -> None:
    assert why_not(WHOLE, embedder=None).endswith("There are vectors, and the first line names no embedder.")


def test_what_is_written_otherwise_is_refused_although_it_means_the_same() -> None:
    export = file_of(WHOLE).replace(b'{"from":"M1"', b'{ "from":"M1"')

    with pytest.raises(InvalidInput, match="Line 9 of the export"):
        verify(io.BytesIO(export))


def test_what_follows_after_the_last_line_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Something follows"):
        verify(io.BytesIO(file_of(WHOLE) + b"\n"))


def test_a_newer_format_is_told_from_a_damaged_one() -> None:
    with pytest.raises(Refused, match="format version 3"):
        verify(io.BytesIO(file_of(WHOLE, version=3)))


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"format":"other"}', b'{"text": "a"}\n', b"\xff\xfe{}"])
def test_other_files_are_no_exports(content: bytes) -> None:
    assert not is_export(io.BytesIO(content))


CUT = Cut(bound=5, key="s7", space=SPACE, topics=[])


def test_what_was_closed_after_the_cut_is_open_in_it() -> None:
    closed = Record("PARENT_OF", {"change_seq": 2, "retired_seq": 6, "retired_at": NOW}, "T", "M")
    revision = Record("SummaryRevision", {"topic": "T", "retired_seq": 6, "retired_at": NOW})
    before = Record("PARENT_OF", {"change_seq": 2, "retired_seq": 5, "retired_at": NOW}, "T", "M")

    assert closable_at(closed, CUT) == Record("PARENT_OF", {"change_seq": 2, "live_key": "M"}, "T", "M")
    assert closable_at(revision, CUT) == Record("SummaryRevision", {"topic": "T", "current_key": "T"})
    assert closable_at(before, CUT) == before


@pytest.mark.parametrize(("placed", "since", "waits"), [(0, 1, True), (1, 1, False), (1, 0, False), (0, 0, False)])
def test_a_message_that_was_filed_after_the_cut_waits_in_it(placed: int, since: int, waits: bool) -> None:
    row = {"properties": {"id": "M", "terms": "s7_a s7_b", "space": "S"}, "placed": placed, "placed_since": since}

    mark = {"waiting": True, "waiting_in": "S"} if waits else {}
    assert message_at(row, CUT, "S").properties == {"id": "M", "terms": "a b", **mark}


def test_a_session_ends_where_it_ended_at_the_cut() -> None:
    row = {"properties": {"id": "X", "name": "x", "last_seq": 3, "last_id": "M3"}}

    assert session_at(row, {"x": (3, "M3")}) == Record("Session", row["properties"])
    assert session_at(row, {"x": (2, "M2")}) == Record(
        "Session", {"id": "X", "name": "x", "last_seq": 2, "last_id": "M2"})
    assert session_at(row, {}) is None


@pytest.mark.parametrize("terms", ["", "a", "a b", "s7_a b_c"])
def test_a_key_is_taken_off_terms_and_put_on_again(terms: str) -> None:
    assert without_key(with_key(terms, "s7"), "s7") == terms
    assert with_key("a b", "s7") == "s7_a s7_b"


def test_content_is_equal_whatever_the_ids_and_clocks_are() -> None:
    def renamed(export: bytes) -> bytes:
        later = export.replace(b'"change_seq":1', b'"change_seq":8').replace(b"12:00", b"13:00")
        return later.replace(b'"M1"', b'"M3"')

    lines = file_of((*WHOLE[:3], *(Record(one.kind, {**one.properties, "occurred_at": datetime(2020, 1, 1, tzinfo=UTC)})
                                   for one in WHOLE[3:5]), *WHOLE[5:]))

    assert canonical_content(renamed(lines).splitlines()) == canonical_content(lines.splitlines())
    assert canonical_content(lines.replace(b'"Mira"', b'"Mika"').splitlines()) != canonical_content(lines.splitlines())
    assert len(canonical_content(lines.splitlines())) == len(WHOLE) - 1


@pytest.mark.parametrize(("standing", "step"), [
    ([], "begin"),
    ([{"id": "S", "name": "n", "restoring": None}], "compare"),
    ([{"id": "S", "name": "other", "restoring": "another file"}], "start again"),
])
def test_what_stands_already_decides_what_is_done(standing: list[dict[str, Any]], step: str) -> None:
    assert next_step(standing, verify(io.BytesIO(file_of(WHOLE))), "n") == step


def test_the_same_file_goes_on() -> None:
    verified = verify(io.BytesIO(file_of(WHOLE)))

    assert next_step([{"id": "S", "name": "n", "restoring": verified.sha256}], verified, "n") == "go on"
