"""The ranking: signals of every candidate, fused into one score. Pure.

Source: the measured recipe (docs/decisions/0003-recall.md): BM25 and cosine over a message and over its window of
neighbouring turns, the speaker named in the question, the date named in it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trace_graph.config import RecallSettings
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.dates import date_score
from trace_graph.retrieve.question import Question


@dataclass(frozen=True)
class Scored:
    """A candidate with its score, and what each signal gave to it."""

    candidate: Candidate
    text: float
    vector: float
    speaker: float
    date: float

    @property
    def score(self) -> float:
        """The sum of the signals."""
        return self.text + self.vector + self.speaker + self.date


@dataclass(frozen=True)
class _Bag:
    """Terms of a message or of a window: only the question's, with the length of the whole."""

    counts: Counter[str]
    length: int


def rank(candidates: Sequence[Candidate], question: Question, settings: RecallSettings) -> list[Scored]:
    """All candidates, best first; equal scores in order of days, then of session and place."""
    windows = _windows(candidates, settings.window)
    own = [_Bag(Counter(one.hits), one.length) for one in candidates]
    around = [_joined(window) for window in windows]
    own_text = _normalised(_bm25(own, question.terms, settings))
    around_text = _normalised(_bm25(around, question.terms, settings))
    dates = {day: date_score(day, question.ranges) for day in {one.day for one in candidates}}
    scored = [
        Scored(
            candidate=one,
            text=around_text[place] + settings.own_share * own_text[place],
            vector=settings.vector_weight * (
                math.fsum(near.cosine for near in windows[place]) / len(windows[place])
                + settings.own_share * one.cosine),
            speaker=settings.speaker_weight if one.author in question.names else 0.0,
            date=settings.date_weight * dates[one.day],
        )
        for place, one in enumerate(candidates)
    ]
    return sorted(scored, key=lambda one: (
        -one.score, one.candidate.day, one.candidate.session, one.candidate.seq))


def _windows(candidates: Sequence[Candidate], reach: int) -> list[list[Candidate]]:
    """For each candidate, the candidates of its session at most `reach` turns away, itself among them."""
    by_place: Mapping[tuple[str, str, int], Candidate] = {
        (one.space, one.session, one.seq): one for one in candidates}
    steps = range(-reach, reach + 1)
    return [
        [near for step in steps if (near := by_place.get((one.space, one.session, one.seq + step))) is not None]
        for one in candidates]


def _joined(window: Sequence[Candidate]) -> _Bag:
    counts: Counter[str] = Counter()
    for one in window:
        counts.update(one.hits)
    return _Bag(counts, sum(one.length for one in window))


def _bm25(bags: Sequence[_Bag], terms: Sequence[str], settings: RecallSettings) -> list[float]:
    """BM25 of each bag; document frequencies and mean length are those of the bags themselves.

    Source: measured as good as the store's own figures (.856 against .854 of the objective).
    """
    if not bags:
        return []
    mean = math.fsum(bag.length for bag in bags) / len(bags) or 1.0
    found = Counter(term for bag in bags for term in bag.counts)
    weights = {
        term: math.log(1 + (len(bags) - found[term] + 0.5) / (found[term] + 0.5)) for term in terms if found[term]}
    return [
        math.fsum(
            weights[term] * count * (settings.k1 + 1)
            / (count + settings.k1 * (1 - settings.b + settings.b * bag.length / mean))
            for term, count in bag.counts.items() if term in weights)
        for bag in bags]


def _normalised(scores: Sequence[float]) -> list[float]:
    """Divided by the largest: z-scores over the store cost twice as much when stores are pooled (measured)."""
    largest = max(scores, default=0.0)
    return [score / largest for score in scores] if largest > 0 else [0.0 for _ in scores]
