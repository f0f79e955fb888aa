"""The questions of the benchmarks, with the external ids of the messages that answer them.

A question whose evidence the file does not name, or names wrongly throughout, is not scored for retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers import beam, locomo, longmemeval
from trace_graph.ingest.importers.lines import BadItem, Parsed, object_of, text_of
from trace_graph.ingest.importers.reading import read_document
from trace_graph.ingest.importers.sampling import check_samples
from trace_graph.ingest.importers.source_times import longmemeval_time

# `D8:6; D9:17` and `D:11:26` and `D30:05` stand in the file, each in one string of the list.
_LOCOMO_EVIDENCE = re.compile(r"D:?(\d+):(\d+)", re.ASCII)


@dataclass(frozen=True)
class Question:
    """One question of a benchmark."""

    id: str
    text: str
    category: str
    """LoCoMo: the number as text; LongMemEval: the question type; BEAM: the ability."""
    evidence: tuple[str, ...]
    """External ids of the messages that answer it, as the importers give them, each once, in the file's order."""
    sample: str
    """The conversation it is asked about, as `samples` takes it."""
    asked_at: datetime | None = None
    """When it was asked, where the file says so; its local time taken as UTC."""

    @property
    def scored(self) -> bool:
        """Whether recall can be measured on it."""
        return bool(self.evidence)


def locomo_questions(path: Path, samples: Sequence[str] | None = None) -> list[Question]:
    """LoCoMo's questions, `conv-26:qa0` and on: counted from 0 within the sample, as the audit of its answers does.

    Raises: NotFound for an unknown sample; InvalidInput where the file is not LoCoMo's.
    """
    known = _external_ids(locomo.read(path, samples))
    records = locomo.locomo_samples(path)
    wanted = check_samples(samples, list(records))
    questions = []
    for sample, record in records.items():
        for number, value in enumerate(_list(record, "qa")) if sample in wanted else ():
            entry = _checked(value, f"{sample}, question {number}")
            found = _LOCOMO_EVIDENCE.findall(" ".join(map(str, _list(entry, "evidence"))))
            ids = (f"{sample}:D{int(session)}:{int(turn)}" for session, turn in found)
            questions.append(Question(
                f"{sample}:qa{number}", _text(entry, "question"), str(entry.get("category")), _kept(ids, known), sample
            ))
    return questions


def longmemeval_questions(path: Path, samples: Sequence[str] | None = None) -> list[Question]:
    """LongMemEval's questions; the evidence is every turn of `evidence_sessions`, or the turns with `has_answer`.

    Wrapped samples name no evidence. Raises: as `locomo_questions`.
    """
    records = longmemeval.longmemeval_records(path)
    wanted = check_samples(samples, list(records))
    return [
        question
        for sample, record in records.items() if sample in wanted
        for question in _longmemeval_questions(sample, record)
    ]


def beam_questions(path: Path, samples: Sequence[str] | None = None) -> list[Question]:
    """BEAM's questions, `3:temporal_reasoning:0` and on; not every ability is a matter of retrieval.

    Raises: as `locomo_questions`; NotFound where a chat has no probing_questions.json beside it.
    """
    chats = beam.beam_chats(path)
    wanted = check_samples(samples, list(chats))
    questions = []
    for chat, file in chats.items():
        if chat not in wanted:
            continue
        known = _external_ids(beam.read(file))
        for ability, entries in _beam_abilities(file).items():
            for number, value in enumerate(entries):
                entry = _checked(value, f"chat {chat}, {ability}, question {number}")
                ids = (f"{chat}:{each}" for each in _numbers(entry.get("source_chat_ids")))
                questions.append(Question(
                    f"{chat}:{ability}:{number}", _text(entry, "question"), ability, _kept(ids, known), chat
                ))
    return questions


def _longmemeval_questions(sample: str, record: Mapping[str, object]) -> Iterator[Question]:
    category, date = str(record.get("question_type")), record.get("question_date")
    asked_at = _asked_at(date, sample) if isinstance(date, str) else None
    if "questions" in record:
        for value in _list(record, "questions"):
            entry = _checked(value, sample)
            yield Question(f"{sample}:{entry.get('id')}", _text(entry, "question"), category, (), sample, asked_at)
        return
    evidence = tuple(
        f"{sample}:{session}:{turn}"
        for session, history in enumerate(longmemeval.histories(record), start=1)
        for turn, value in enumerate(history.turns, start=1)
        if history.turns_stand_alone or (isinstance(value, dict) and value.get("has_answer") is True)
    )
    yield Question(sample, _text(record, "question"), category, evidence, sample, asked_at)


def _beam_abilities(file: Path) -> dict[str, list[object]]:
    document = read_document(file.with_name("probing_questions.json"))
    if not isinstance(document, dict) or not all(isinstance(entries, list) for entries in document.values()):
        raise InvalidInput(f"{file.parent.name}/probing_questions.json is not an object of lists of questions.")
    return document


def _external_ids(items: Iterator[object]) -> frozenset[str]:
    return frozenset(
        item.message.external_id for item in items if isinstance(item, Parsed) and item.message.external_id
    )


def _kept(ids: Iterator[str], known: frozenset[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in ids if each in known))


def _numbers(value: object) -> Iterator[int]:
    """The message numbers in a list, a list of lists or an object of lists: BEAM has all three."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)


def _asked_at(date: str, sample: str) -> datetime:
    try:
        return longmemeval_time(date).replace(tzinfo=UTC)
    except BadItem as error:
        raise InvalidInput(f"{sample}: {error}") from error


def _checked(value: object, where: str) -> Mapping[str, object]:
    try:
        return object_of(value, where)
    except BadItem as error:
        raise InvalidInput(str(error)) from error


def _text(record: Mapping[str, object], field: str) -> str:
    try:
        return text_of(record, field)
    except BadItem as error:
        raise InvalidInput(f"A question cannot be read: {error}") from error


def _list(record: Mapping[str, object], field: str) -> list[object]:
    value = record.get(field)
    return value if isinstance(value, list) else []
