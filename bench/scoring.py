"""How a ranking is scored against the evidence of a question. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CUTS = (5, 10, 20, 50)
"""Messages of R@k."""
BUDGETS = (500, 1000, 2000, 4000)
"""Tokens of T<B>."""
TOKENS_A_WORD = 1.33
"""Source: the retrieval study, so that figures compare with its tables; not rounded up for each message."""


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
    """White-space separated words x 1.33."""
    return TOKENS_A_WORD * len(text.split())


def recall_at(evidence: Sequence[str], ranking: Sequence[Shown], k: int) -> float:
    """The share of the evidence among the first `k` distinct messages of the ranking."""
    first = list(dict.fromkeys(shown.id for shown in ranking))[:k]
    return len(set(evidence) & set(first)) / len(set(evidence))


def recall_within(evidence: Sequence[str], ranking: Sequence[Shown], budget: float) -> float:
    """The share of the evidence in a context of `budget` tokens.

    Whole items in the order of the ranking, up to the first that does not fit.
    """
    return len(set(evidence) & {shown.id for shown in ranking[: _fitting(ranking, budget)]}) / len(set(evidence))


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
    means = [
        float(differences[random.integers(differences.size, size=differences.size)].mean()) for _ in range(resamples)]
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(differences.mean()), float(low), float(high))


def _fitting(ranking: Sequence[Shown], budget: float) -> int:
    used = 0.0
    for place, shown in enumerate(ranking):
        used += shown.tokens
        # 0.665 + 0.665 is a little more than 1.33 in floating point.
        if used > budget + 1e-6:
            return place
    return len(ranking)
