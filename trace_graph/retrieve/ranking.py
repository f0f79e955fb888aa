"""The ranking: signals of every candidate, fused into one score. Pure.

Source: the measured recipe (docs/decisions/0003-recall.md): BM25 and cosine over a message and over its window of
neighbouring turns, the speaker named in the question, the date named in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_graph.config import RecallSettings
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.dates import date_score
from trace_graph.retrieve.question import Question

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


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


def rank(candidates: Sequence[Candidate], question: Question, settings: RecallSettings) -> list[Scored]:
    """All candidates, best first; equal scores in order of days, then of session and place."""
    if not candidates:
        return []
    near = _neighbours(candidates, settings.window)
    counts = _term_counts(candidates, question.terms)
    lengths = np.array([one.length for one in candidates], dtype=np.float64)
    cosines = np.array([one.cosine for one in candidates], dtype=np.float64)
    own_text = _normalised(_bm25(counts, lengths, settings))
    window_text = _normalised(_bm25(_over_windows(counts, near), _over_windows(lengths, near), settings))
    window_cosines = _over_windows(cosines, near) / (near >= 0).sum(axis=0)
    text = window_text + settings.own_share * own_text
    vector = settings.vector_weight * (window_cosines + settings.own_share * cosines)
    dates = {day: date_score(day, question.ranges) for day in {one.day for one in candidates}}
    scored = [
        Scored(
            candidate=one, text=float(text[place]), vector=float(vector[place]),
            speaker=settings.speaker_weight if one.author in question.names else 0.0,
            date=settings.date_weight * dates[one.day])
        for place, one in enumerate(candidates)]
    return sorted(scored, key=lambda one: (-one.score, one.candidate.day, one.candidate.session, one.candidate.seq))


def _neighbours(candidates: Sequence[Candidate], reach: int) -> Places:
    """Where the turns around each candidate stand in the list, one row a step of -reach to reach; -1 where missing."""
    place_of = {(one.space, one.session, one.seq): place for place, one in enumerate(candidates)}
    return np.array([
        [place_of.get((one.space, one.session, one.seq + step), -1) for one in candidates]
        for step in range(-reach, reach + 1)], dtype=np.intp)


def _term_counts(candidates: Sequence[Candidate], terms: Sequence[str]) -> Numbers:
    """How often each of the question's terms occurs: (candidates, terms)."""
    column = {term: number for number, term in enumerate(terms)}
    counts = np.zeros((len(candidates), len(column)))
    for place, one in enumerate(candidates):
        for hit in one.hits:
            counts[place, column[hit]] += 1
    return counts


def _over_windows(values: Numbers, near: Places) -> Numbers:
    """The sum over each candidate's window; one row a candidate, as in `values`."""
    padded = np.concatenate([values, np.zeros_like(values[:1])])
    total: Numbers = padded[near].sum(axis=0)
    return total


def _bm25(counts: Numbers, lengths: Numbers, settings: RecallSettings) -> Numbers:
    """BM25 of each bag of words; document frequencies and mean length are those of the bags themselves.

    Source: measured as good as the store's own figures (.856 against .854 of the objective).
    """
    found = (counts > 0).sum(axis=0)
    weights = np.log1p((len(counts) - found + 0.5) / (found + 0.5)) * (found > 0)
    longer = settings.k1 * (1 - settings.b + settings.b * lengths / (lengths.mean() or 1.0))
    scores: Numbers = (counts * (settings.k1 + 1) / np.maximum(counts + longer[:, None], 1e-9)) @ weights
    return scores


def _normalised(scores: Numbers) -> Numbers:
    """Divided by the largest: z-scores over the store cost twice as much when stores are pooled (measured)."""
    largest = scores.max(initial=0.0)
    return scores / largest if largest > 0 else scores
