"""The two sets written for this project: `sample` in this repository, and the pairs across languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from trace_graph.bench.questions import Question
from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers.reading import read_document, source_name
from trace_graph.models import MessageInput
from trace_graph.text.times import parse_time

LANGUAGES_BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
"""The pairs have no dates; each is said a minute after the other."""

Model = TypeVar("Model", bound=BaseModel)


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _SampleQuestion(_Written):
    id: str
    question: str
    category: str
    evidence: list[str]
    asked_at: str | None = None


class _Sample(_Written):
    messages: list[MessageInput]
    questions: list[_SampleQuestion]


class _Pair(_Written):
    message: str
    question: str


class _Pairs(_Written):
    about: str = ""
    chinese_paraphrases: list[_Pair]
    cross_language: list[_Pair]
    distractors: list[str]


def read_sample(path: Path) -> tuple[list[MessageInput], list[Question]]:
    """The messages and the questions of a file such as `bench/sample/sample.json`.

    Raises: InvalidInput also where a question names a message that is not there, or two messages have one id.
    """
    read = _validated(_Sample, path)
    known = [message.external_id for message in read.messages]
    if None in known or len(set(known)) < len(known):
        raise InvalidInput(f"{source_name(path)}: each message needs an external_id of its own.")
    if any(message.at is None for message in read.messages):
        raise InvalidInput(f"{source_name(path)}: each message needs a time (at), or figures would change by the day.")
    questions = [
        Question(
            one.id, one.question, one.category, tuple(dict.fromkeys(one.evidence)), path.stem,
            parse_time(one.asked_at, "UTC").instant if one.asked_at else None)
        for one in read.questions]
    for question in questions:
        strange = [id for id in question.evidence if id not in known]
        if strange:
            raise InvalidInput(f"{source_name(path)}: question {question.id} names {strange[0]}, which is no message.")
    return read.messages, questions


def read_languages(path: Path) -> tuple[list[MessageInput], list[Question]]:
    """The pool of messages, each a session of its own, and a question for each that has one.

    Raises: InvalidInput.
    """
    read = _validated(_Pairs, path)
    pairs = {"chinese_paraphrases": read.chinese_paraphrases, "cross_language": read.cross_language}
    said = [pair.message for group in pairs.values() for pair in group] + read.distractors
    ids = _numbered(said)
    messages = [
        MessageInput(
            text=text, session=f"pair-{id}", external_id=id, at=LANGUAGES_BEGIN + timedelta(minutes=int(id)))
        for text, id in ids.items()]
    questions = [
        Question(f"{category}:{number}", pair.question, category, (ids[pair.message],), path.stem)
        for category, group in pairs.items() for number, pair in enumerate(group)]
    return messages, questions


def _numbered(said: Sequence[str]) -> Mapping[str, str]:
    """A place for each text, by its hash: in the file's order a tie would favour those that are asked for."""
    ordered = sorted(dict.fromkeys(said), key=lambda text: sha256(text.encode()).digest())
    return {text: str(place) for place, text in enumerate(ordered)}


def _validated(model: type[Model], path: Path) -> Model:
    try:
        return model.model_validate(read_document(path))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"{source_name(path)} is not in the form of this set: {where}: {first['msg']}.",
            fix="Give the file that belongs to the set, or name the other set.") from error
