"""What is kept of a recall, so that it can be explained and replayed: ids and numbers, never a message's text. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from trace_graph.models import Dropped, KeptAnswer, Mode, RecallItem
from trace_graph.retrieve.dates import DateRange
from trace_graph.retrieve.ranking import Scored
from trace_graph.retrieve.recall import Answer, RecallRequest
from trace_graph.retrieve.walked import TracedWalk
from trace_graph.text.dates.days import date_of

MOST_CANDIDATES = 200
"""Candidates that are kept of a recall, the best ones, and all that was shown. Guess: 30 KB; of those behind them only
the number is kept."""

MOST_OTHERS = 1000
"""Further candidates of which the ids are kept. Guess: twice what a recall with a budget scores; 40 KB."""

DIGITS = 6
"""Decimals of scores, as of the items of an answer."""



class TracedEmbedder(NamedTuple):
    """Whose vectors were compared."""

    name: str
    dimension: int
    probe: str
    """SHA-256 (hex) of its vector of the probe sentence: another embedder of the same name has another."""


class Parameters(BaseModel):
    """What was asked, but for the question and the spaces, and with what."""

    model_config = ConfigDict(frozen=True)

    mode: Mode = "fast"
    budget: int | None
    limit: int | None
    asked_at: datetime
    known_at: datetime | None
    settings: dict[str, Any]
    """All constants of the ranking: another version may have other defaults."""
    embedder: TracedEmbedder | None
    """None where no vector was compared."""
    version: str
    """Of trace-graph."""


class TracedCandidate(NamedTuple):
    """One scored message, without its text."""

    id: str
    score: float
    signals: tuple[float, ...]
    """In the order of the trace's names."""
    found_by: tuple[str, ...]
    part: tuple[int, int] | None
    tokens: int
    rank: int | None
    dropped: Dropped | None
    topic: str | None
    """Id of the topic it lay in, of what was shown."""


class Trace(BaseModel):
    """How an answer came about."""

    model_config = ConfigDict(frozen=True)

    terms: tuple[str, ...]
    names: tuple[str, ...]
    dates: tuple[tuple[str, str], ...]
    """First and last day (ISO) of each stretch of days that the question names; without a year where it names none."""
    signals: tuple[str, ...]
    """Names of the signals."""
    found: int
    dropped: dict[Dropped, int]
    candidates: tuple[TracedCandidate, ...]
    """Best first."""
    others: tuple[str, ...] | None
    """Ids of what was scored beside them, best first: frequencies of words, and so scores, are counted in all of it.
    None where they are too many to keep."""
    walk: TracedWalk | None = None
    """How the tree was walked; None where the fast mode was asked for."""

    @property
    def scored(self) -> frozenset[str] | None:
        """Ids of all that was scored; None where not all are kept."""
        return None if self.others is None else frozenset((*(one.id for one in self.candidates), *self.others))


@dataclass(frozen=True)
class KeptRecall:
    """A Recall node with its `USED`."""

    id: str
    query: str
    spaces: tuple[str, ...]
    """Ids, in the order in which they were asked for."""
    change_seqs: tuple[int, ...]
    """Of each space, the last change that could be read."""
    at: datetime
    actor: str
    door: str
    parameters: Parameters
    trace: Trace
    answer: KeptAnswer | None = None
    """What a model answered from it; None where it was only recalled, or the model gave no answer."""

    @property
    def bounds(self) -> dict[str, int]:
        """By space, the last change that could be read."""
        return dict(zip(self.spaces, self.change_seqs, strict=True))

    @property
    def shown(self) -> list[TracedCandidate]:
        """What was shown, in order of rank."""
        return sorted((one for one in self.trace.candidates if one.rank is not None), key=lambda one: one.rank or 0)

    def properties(self) -> dict[str, Any]:
        """Of the node. It belongs to the first of its spaces, and may be read by who may read all of them."""
        return {
            "id": self.id, "space": self.spaces[0], "spaces": list(self.spaces), "query": self.query, "at": self.at,
            "actor": self.actor, "door": self.door, "change_seq": self.change_seqs[0],
            "change_seqs": list(self.change_seqs), "parameters": self.parameters.model_dump_json(),
            "trace": self.trace.model_dump_json(), **self._answer()}

    def _answer(self) -> dict[str, Any]:
        if self.answer is None:
            return {"answer": None, "found": None, "answered": None}
        return {
            "answer": self.answer.text, "found": self.answer.found,
            "answered": self.answer.model_dump_json(exclude={"text", "found"})}

    def used(self) -> list[dict[str, Any]]:
        """The `USED` relationships, by message."""
        return [
            {"recall": self.id, "message": one.id,
             "properties": {"rank": one.rank, "score": one.score, "tokens": one.tokens}}
            for one in sorted(self.shown)]

    def cited(self) -> list[dict[str, Any]]:
        """The `CITED` relationships, by message."""
        return [] if self.answer is None else [
            {"recall": self.id, "message": id, "properties": {"rank": number}}
            for number, id in sorted(enumerate(self.answer.citations, start=1), key=lambda one: one[1])]

    def made(self) -> list[dict[str, str]]:
        """The `MADE` relationships of the model calls that served it, by call."""
        walked = [] if self.trace.walk is None else [id for step in self.trace.walk.steps for id in step.calls]
        answered = [] if self.answer is None else self.answer.call_ids
        return [{"source": id, "target": self.id} for id in sorted((*walked, *answered))]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> KeptRecall:
        """From a row of read_recall."""
        answer = None
        if row["answered"] is not None:
            answer = KeptAnswer.model_validate({
                **json.loads(row["answered"]), "text": row["answer"], "found": row["found"]})
        return cls(
            id=row["id"], query=row["query"], spaces=tuple(row["spaces"]), change_seqs=tuple(row["change_seqs"]),
            at=row["at"], actor=row["actor"], door=row["door"],
            parameters=Parameters.model_validate_json(row["parameters"]),
            trace=Trace.model_validate_json(row["trace"]), answer=answer)


def trace_of(request: RecallRequest, answer: Answer) -> Trace:
    """The trace of an answer."""
    question, ranked = answer.question, answer.ranked
    end: Dropped = "budget" if request.limit is None else "limit"
    shown = {item.id: item for item in answer.result.items}
    dropped = Counter(
        answer.passed_over.get(one.candidate.id, end) for one in ranked if one.candidate.id not in shown)
    kept = [one for place, one in enumerate(ranked) if place < MOST_CANDIDATES or one.candidate.id in shown]
    others = [
        one.candidate.id for place, one in enumerate(ranked)
        if place >= MOST_CANDIDATES and one.candidate.id not in shown]
    return Trace(
        terms=question.terms, names=tuple(sorted(question.names)), dates=tuple(map(_written, question.ranges)),
        signals=tuple(ranked[0].signals()) if ranked else (), found=len(ranked), dropped=dict(dropped),
        candidates=tuple(
            _traced(one, shown.get(one.candidate.id), answer.passed_over.get(one.candidate.id, end), answer.topics)
            for one in kept),
        others=tuple(others) if len(others) <= MOST_OTHERS else None, walk=answer.walk)


def _traced(
    one: Scored, item: RecallItem | None, dropped: Dropped, topics: Mapping[str, str | None]
) -> TracedCandidate:
    candidate = one.candidate
    return TracedCandidate(
        id=candidate.id, score=round(one.score, DIGITS),
        signals=tuple(round(value, DIGITS) for value in one.signals().values()), found_by=candidate.found_by,
        part=candidate.part if item is None else item.part, tokens=candidate.tokens if item is None else item.tokens,
        rank=None if item is None else item.rank, dropped=dropped if item is None else None,
        topic=None if item is None else topics.get(candidate.id))


def _written(stretch: DateRange) -> tuple[str, str]:
    days = (date_of(day) for day in (stretch.first, stretch.last))
    first, last = (f"{day:%m-%d}" if stretch.every_year else day.isoformat() for day in days)
    return first, last
