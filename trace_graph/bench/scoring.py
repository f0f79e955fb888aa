"""How a ranking is scored against the evidence of a question. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trace_graph.text.tokens import count_words

CUTS = (5, 10, 20, 50)
"""Messages of R@k."""
BUDGETS = (500, 1000, 2000, 4000)
"""Tokens of T<B> and F<B>."""
TOKENS_A_WORD = 1.33
"""Source: the retrieval study, so that figures compare with its tables; not rounded up for each message."""
DRAWN_AT_ONCE = 2_000_000
"""Questions drawn for the bootstrap in one array: 16 MB."""


@dataclass(frozen=True)
class Shown:
    """One item of a ranking."""

    id: str
    """The external id of the message."""
    tokens: float
    """Of the text that is shown of it."""


@dataclass(frozen=True)
class Interval:
    """A difference of two means, and the 95 % interval of its bootstrap."""

    difference: float
    low: float
    high: float


def tokens_of(text: str) -> float:
    """Words x 1.33."""
    return TOKENS_A_WORD * count_words(text)


def ranks_of(evidence: Sequence[str], ranking: Sequence[Shown]) -> list[int | None]:
    """The rank of each piece of evidence among the first 50 distinct messages, from 1; None where it is not there.

    A message that is shown by passages counts where its first one stands.
    """
    rank = {id: place for place, id in enumerate(dict.fromkeys(shown.id for shown in ranking), start=1)}
    return [place if (place := rank.get(id)) is not None and place <= max(CUTS) else None for id in evidence]


def tokens_to(evidence: Sequence[str], packed: Sequence[Shown]) -> list[float | None]:
    """How many tokens a context must have that holds each piece of evidence; None where 4,000 are too few.

    A context is the ranking's items in order, whole, until the first that does not fit.
    """
    needed: dict[str, float] = {}
    used = 0.0
    for shown in packed:
        # 0.665 + 0.665 is a little more than 1.33 in floating point.
        used = round(used + shown.tokens, 6)
        needed.setdefault(shown.id, used)
    return [tokens if (tokens := needed.get(id)) is not None and tokens <= max(BUDGETS) else None for id in evidence]


def recall_at(ranks: Sequence[int | None], k: int) -> float:
    """The share of the evidence among the first `k` distinct messages."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def recall_within(tokens: Sequence[float | None], budget: float) -> float:
    """The share of the evidence inside a context of `budget` tokens."""
    return sum(needed is not None and needed <= budget for needed in tokens) / len(tokens)


def reciprocal_rank(ranks: Sequence[int | None]) -> float:
    """1 / the rank of the first piece of evidence; 0 where there is none among the first 50."""
    found = [rank for rank in ranks if rank is not None]
    return 1 / min(found) if found else 0.0


def mean(values: Sequence[float]) -> float:
    """The mean; nan of nothing."""
    return math.fsum(values) / len(values) if values else math.nan


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of the values do not exceed (nearest rank); nan of nothing."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def paired_interval(
    first: Sequence[float], second: Sequence[float], *, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """The mean of `first` less that of `second`, both by question; questions are drawn again `resamples` times."""
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if differences.size == 0:
        return Interval(math.nan, math.nan, math.nan)
    random = np.random.default_rng(seed)
    at_once = max(1, DRAWN_AT_ONCE // differences.size)
    means = np.concatenate([
        differences[random.integers(differences.size, size=(min(at_once, resamples - done), differences.size))].mean(
            axis=1)
        for done in range(0, resamples, at_once)])
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(differences.mean()), float(low), float(high))
