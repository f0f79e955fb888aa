"""The ranking: signals of every candidate, fused into one score. Pure.

Source: the measured recipe (docs/decisions/0003-recall.md, 0007-ranking.md): BM25 and cosine over a message and over
its window of neighbouring turns, which weighs the less the longer these are; the speaker named in the question, whether
it asks for the user's words or the assistant's, the date named in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trace_graph.config import RecallSettings
from trace_graph.retrieve.bm25 import Numbers, bm25, normalised, term_counts
from trace_graph.retrieve.candidates import Candidate
from trace_graph.retrieve.dates import date_score
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.spreading import spread
from trace_graph.text.passages import PASSAGE_WORDS

Places = NDArray[np.intp]


SCORED_TOKENS = round(PASSAGE_WORDS * 1.33)
"""Tokens of what a long message is scored by: a passage of the length that it aims at."""


class Scored(NamedTuple):
    """A candidate with its score, and what each signal gave to it."""

    candidate: Candidate
    text: float
    vector: float
    speaker: float
    date: float
    role: float = 0.0
    near: float = 0.0
    """What it loses beside one that stands above it, where many things are asked for: 0 or less."""

    @property
    def score(self) -> float:
        """The sum of the signals."""
        return self.text + self.vector + self.speaker + self.date + self.role + self.near

    def signals(self) -> dict[str, float]:
        """What each signal gave, by its name."""
        given = self._asdict()
        del given["candidate"]
        return given


def rank(candidates: Sequence[Candidate], question: Question, settings: RecallSettings) -> list[Scored]:
    """All candidates, best first; equal scores in order of days, then of session and place."""
    if not candidates:
        return []
    text, vector = _meaning(candidates, question, settings)
    speaker = settings.speaker_weight * np.array([one.author in question.names for one in candidates])
    role = settings.role_weight * np.array([one.role == question.role for one in candidates])
    dates = {day: date_score(day, question.ranges) for day in {one.day for one in candidates}}
    date = settings.date_weight * np.array([dates[one.day] for one in candidates])
    order = _order(text + vector + speaker + date + role, candidates)
    signals = (values[order].tolist() for values in (text, vector, speaker, date, role))
    ranked = list(map(Scored, map(candidates.__getitem__, order.tolist()), *signals))
    return spread(ranked, settings) if question.wants_many else ranked


def _meaning(
    candidates: Sequence[Candidate], question: Question, settings: RecallSettings
) -> tuple[Numbers, Numbers]:
    """What keywords and what vectors give to each candidate, by itself and by its window."""
    near = _neighbours(candidates, settings.window)
    turns = (near >= 0).sum(axis=0)
    counts = term_counts([one.hits for one in candidates], question.terms)
    lengths = np.array([one.length for one in candidates], dtype=np.float64)
    cosines = np.array([one.cosine for one in candidates], dtype=np.float64)
    # A long message is scored by a passage.
    tokens = np.array([min(one.tokens, SCORED_TOKENS) for one in candidates], dtype=np.float64)
    constants = {"k1": settings.k1, "b": settings.b}
    own_text = normalised(bm25(counts, lengths, **constants))
    window_text = normalised(bm25(_over_windows(counts, near), _over_windows(lengths, near), **constants))
    window_cosines = _over_windows(cosines, near) / turns
    share = 1 / (1 + (_over_windows(tokens, near) / turns / settings.window_tokens) ** settings.window_power)
    own_share = settings.own_share + 1 - share
    text = share * window_text + own_share * own_text
    return text, settings.vector_weight * (share * window_cosines + own_share * cosines)


def _order(scores: Numbers, candidates: Sequence[Candidate]) -> Places:
    """The places of the candidates, best first; equal scores in order of days, then of session and place."""
    by_name = {session: number for number, session in enumerate(sorted({one.session for one in candidates}))}
    order: Places = np.lexsort((
        np.array([one.seq for one in candidates]), np.array([by_name[one.session] for one in candidates]),
        np.array([one.day for one in candidates]), -scores))
    return order


def _neighbours(candidates: Sequence[Candidate], reach: int) -> Places:
    """Where the turns around each candidate stand in the list, one row a step of -reach to reach; -1 where missing."""
    groups: dict[tuple[str, str], int] = {}
    group = [groups.setdefault(key, len(groups)) for key in ((one.space, one.session) for one in candidates)]
    turns = np.array([one.seq for one in candidates], dtype=np.int64)
    turns -= turns.min()
    # One number a turn, so far apart from session to session that no step leads into another.
    turns += np.array(group, dtype=np.int64) * (turns.max() + 2 * reach + 1)
    order = np.argsort(turns)
    steps = turns + np.arange(-reach, reach + 1)[:, None]
    places = order[np.minimum(np.searchsorted(turns, steps, sorter=order), len(order) - 1)]
    found: Places = np.where(turns[places] == steps, places, -1)
    return found


def _over_windows(values: Numbers, near: Places) -> Numbers:
    """The sum over each candidate's window; one row a candidate, as in `values`."""
    padded = np.concatenate([values, np.zeros_like(values[:1])])
    total: Numbers = padded[near[0]]
    for step in near[1:]:
        total += padded[step]
    return total

