"""Which messages are remembered together, and which questions are asked about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Literal

from trace_graph.bench.questions import Question, beam_questions, locomo_questions, longmemeval_questions
from trace_graph.bench.written_sets import read_languages, read_sample
from trace_graph.errors import InvalidInput, NotFound, UsageError
from trace_graph.ingest.importers import beam, locomo, longmemeval
from trace_graph.ingest.importers.lines import Item, Parsed
from trace_graph.models import MessageInput
from trace_graph.text.times import parse_time

Name = Literal["locomo", "longmemeval", "beam", "multilingual", "sample"]
Half = Literal["tune", "report"]

LOCOMO_TUNE = ("conv-26", "conv-30", "conv-41", "conv-42", "conv-43")
"""Constants may be chosen on these."""
LOCOMO_REPORT = ("conv-44", "conv-47", "conv-48", "conv-49", "conv-50")
"""Figures are reported on these. Source: the retrieval study's halves."""
LOCOMO_ANSWERABLE = ("1", "2", "3", "4")
"""Categories that are reported together; 5 (adversarial) stands on its own."""
BEAM_TUNE = frozenset(map(str, range(1, 11)))
"""Chats 1 to 10; 11 to 20 are reported."""


@dataclass(frozen=True)
class Selection:
    """Which part of a data set is measured."""

    name: Name
    path: Path
    samples: tuple[str, ...] = ()
    """Conversations of the file; all where none is named."""
    pooled: bool = False
    """All conversations in one space."""
    half: Half | None = None
    """Only the questions of one half."""
    questions: int | None = None
    """Only so many questions, the first, of each pool."""


@dataclass(frozen=True)
class Pool:
    """Messages of one space, and what is asked of it."""

    name: str
    messages: tuple[MessageInput, ...]
    questions: tuple[Question, ...]
    """Those that name evidence, in the file's order."""

    @cached_property
    def times(self) -> list[datetime]:
        """When each message was said, as it is stored."""
        return [parse_time(message.at, "UTC").instant for message in self.messages if message.at is not None]

    def asked_at(self, question: Question) -> datetime:
        """When a question is asked: where the file does not say, when the last message was said."""
        return question.asked_at or self._last

    @cached_property
    def _last(self) -> datetime:
        return max(self.times)


@dataclass(frozen=True)
class Dataset:
    """What is measured."""

    name: Name
    pools: tuple[Pool, ...]
    sha256: str
    """Of the file; of a folder, of the hashes of its files."""
    rejected: int
    """Items of the file that are no message."""
    unscored: int
    """Questions of the pools that name no evidence: not asked, and never counted as found."""


def read_dataset(selection: Selection) -> Dataset:
    """Read the messages and questions that are meant.

    Raises: NotFound, InvalidInput (another format, or no question with evidence), UsageError.
    """
    if not selection.path.exists():
        raise NotFound(f"There is no file {selection.path}.", fix="Check the path.")
    if selection.name in ("multilingual", "sample"):
        pools, rejected = [_written_pool(selection)], 0
    else:
        pools, rejected = _published_pools(selection)
    asked = [_asked(pool, selection) for pool in pools]
    wanted = tuple(pool for pool in asked if pool.questions)
    if not wanted:
        raise InvalidInput(
            f"{selection.path.name} names no evidence for any question that is meant: there is nothing to measure.",
            fix="Give a file with evidence, or other --samples, --half or --questions.")
    return Dataset(
        selection.name, wanted, _sha256(selection), rejected,
        sum(not question.scored for pool in pools for question in pool.questions))


def half_of(name: Name, question: Question) -> Half | None:
    """The half of the data set that a question belongs to; None where it has no halves."""
    if name in ("multilingual", "sample"):
        return None
    if name == "locomo":
        is_tune = question.sample in LOCOMO_TUNE
    elif name == "beam":
        is_tune = question.sample in BEAM_TUNE
    else:
        is_tune = sha256(question.id.encode()).digest()[-1] % 2 == 0
    return "tune" if is_tune else "report"


def groups(name: Name, categories: Sequence[str]) -> dict[str, frozenset[str]]:
    """What is reported: the categories that count together first, then each on its own."""
    there = sorted(set(categories))
    answerable = frozenset(there) & frozenset(LOCOMO_ANSWERABLE)
    together = {"1-4": answerable} if name == "locomo" else {"all": frozenset(there)}
    return {title: part for title, part in {**together, **{one: frozenset({one}) for one in there}}.items() if part}


def _asked(pool: Pool, selection: Selection) -> Pool:
    scored = [
        question for question in pool.questions
        if question.scored and selection.half in (None, half_of(selection.name, question))]
    return replace(pool, questions=tuple(scored[: selection.questions]))


def _written_pool(selection: Selection) -> Pool:
    if selection.samples or selection.half:
        raise UsageError(
            f"The set {selection.name} is one pool without halves.", fix="Leave out --samples and --half.")
    read = read_sample if selection.name == "sample" else read_languages
    messages, questions = read(selection.path)
    return Pool(selection.name, tuple(messages), tuple(questions))


def _published_pools(selection: Selection) -> tuple[list[Pool], int]:
    """The pools, and how many items of the file are no message."""
    items, questions = _READERS[selection.name]
    samples = selection.samples or None
    messages: dict[str, list[MessageInput]] = {}
    rejected = 0
    for item in items(selection.path, samples):
        if isinstance(item, Parsed):
            messages.setdefault(_sample(selection.name, str(item.message.external_id)), []).append(item.message)
        else:
            rejected += 1
    asked: dict[str, list[Question]] = {}
    for question in questions(selection.path, samples):
        asked.setdefault(question.sample, []).append(question)
    if selection.pooled or _is_evidence_alone(selection):
        together = tuple(message for said in messages.values() for message in said)
        return [Pool("pooled", together, tuple(one for part in asked.values() for one in part))], rejected
    return [Pool(name, tuple(said), tuple(asked.get(name, ()))) for name, said in messages.items()], rejected


def _is_evidence_alone(selection: Selection) -> bool:
    """Whether a file of LongMemEval holds evidence turns only: in spaces of their own nothing could be missed."""
    return selection.name == "longmemeval" and any(
        "evidence_sessions" in record for record in longmemeval.longmemeval_records(selection.path).values())


def _sample(name: Name, external_id: str) -> str:
    return external_id.rsplit(":", 1 if name == "beam" else 2)[0]


def _sha256(selection: Selection) -> str:
    if selection.name != "beam":
        return _digest(selection.path)
    files = [
        each for file in beam.beam_chats(selection.path).values()
        for each in (file, file.with_name("probing_questions.json"))]
    return sha256("\n".join(map(_digest, files)).encode()).hexdigest()


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


_Items = Callable[[Path, Sequence[str] | None], Iterator[Item]]
_Questions = Callable[[Path, Sequence[str] | None], list[Question]]
_READERS: Mapping[str, tuple[_Items, _Questions]] = {
    "locomo": (locomo.read, locomo_questions),
    "longmemeval": (longmemeval.read, longmemeval_questions),
    "beam": (beam.read, beam_questions),
}
