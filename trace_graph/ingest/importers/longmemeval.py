"""How a LongMemEval file is read: questions, each with the sessions of its own history.

Three shapes: the official one (`haystack_sessions` with `haystack_dates`), evidence turns alone (`evidence_sessions`),
and samples wrapped in an object with `data`, whose turns are one list with a date each.

External ids are `question_id:session:turn`, both numbers places from 1. The file's own session ids give the gold
sessions away (they contain "answer"), as `has_answer` does: neither is ever read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeGuard

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers.lines import (
    BadItem,
    Item,
    Parsed,
    Rejected,
    Unit,
    message_of,
    object_of,
    text_of,
)
from trace_graph.ingest.importers.reading import Source, read_document, source_name
from trace_graph.ingest.importers.sampling import check_samples
from trace_graph.ingest.importers.source_times import longmemeval_time, turn_time


class History(NamedTuple):
    """One session of a question's history."""

    date: object
    """As the file has it: text, where the file is sound."""
    turns: Sequence[object]
    turns_stand_alone: bool
    """Each turn is a session of its own: evidence turns in a row would otherwise point at one another."""


def read(source: Source, samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The turns of the questions' histories; an item's `line` is the turn's place in the file.

    Raises: NotFound for an unknown sample (a question's id), InvalidInput where the file is not LongMemEval's.
    """
    records = longmemeval_records(source)
    wanted = check_samples(samples, list(records))
    place = 0
    for question, record in records.items():
        for number, history in enumerate(histories(record), start=1):
            if question in wanted:
                yield from _history_items(question, number, history, place)
            place += len(history.turns)


def longmemeval_records(source: Source) -> dict[str, Mapping[str, object]]:
    """The questions with their histories, by id, in the file's order.

    Raises: InvalidInput where it is not LongMemEval's.
    """
    document = read_document(source)
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        document = document["data"]
    records: dict[str, Mapping[str, object]] = {}
    for record in document if isinstance(document, list) else [document]:
        question = question_id(record)
        if question is None or question in records or not is_question(record):
            raise InvalidInput(
                f"{source_name(source)} is not LongMemEval: question {len(records) + 1} has no id of its own, or no "
                "sessions.", fix="Give a file in one of LongMemEval's shapes, or another --format.",
            )
        records[question] = record
    return records


def is_question(record: object) -> TypeGuard[dict[str, object]]:
    """Whether this is a question with its history, in one of the three shapes."""
    if not isinstance(record, dict):
        return False
    if isinstance(record.get("haystack_sessions"), list):
        return isinstance(record.get("haystack_dates"), list)
    if isinstance(record.get("evidence_sessions"), list):
        return True
    return isinstance(record.get("conversation"), list) and isinstance(record.get("questions"), list)


def question_id(record: object) -> str | None:
    """The question's own id."""
    value = record.get("question_id", record.get("id")) if isinstance(record, dict) else None
    return value if isinstance(value, str) and value else None


def histories(record: Mapping[str, object]) -> list[History]:
    """The sessions of a question's history in the file's order, empty ones among them.

    Turns of the wrapped shape are one session as long as their date stays the same.
    """
    sessions, dates = record.get("haystack_sessions"), record.get("haystack_dates")
    if isinstance(sessions, list) and isinstance(dates, list):
        padded = [*dates, *[None] * (len(sessions) - len(dates))]
        return [History(date, _list(turns), False) for date, turns in zip(padded, sessions, strict=False)]
    evidence = record.get("evidence_sessions")
    if isinstance(evidence, list):
        return [
            History(_field(session, "date"), _list(_field(session, "turns")), True) for session in evidence
        ]
    turns = _list(record.get("conversation"))
    return [
        History(date, list(group), False)
        for date, group in groupby(turns, key=lambda turn: _field(turn, "date"))
    ]


def _history_items(question: str, number: int, history: History, place: int) -> Iterator[Item]:
    session = f"{question}/session_{number}"
    for index, value in enumerate(history.turns):
        try:
            turn = object_of(value, "the turn")
            if not isinstance(history.date, str):
                raise BadItem("its session has no date.")
            message = message_of({
                "text": text_of(turn, "content"), "role": text_of(turn, "role"),
                "session": f"{session}/turn_{index + 1}" if history.turns_stand_alone else session,
                "at": turn_time(longmemeval_time(history.date), index),
                "external_id": f"{question}:{number}:{index + 1}",
            })
        except BadItem as error:
            yield Rejected(place + index + 1, f"{question}, session {number}, turn {index + 1}: {error}", Unit.ITEM)
        else:
            yield Parsed(place + index + 1, message, Unit.ITEM)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _field(value: object, field: str) -> object:
    return value.get(field) if isinstance(value, dict) else None
