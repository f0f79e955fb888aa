"""How vectors are centred, compared and halved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trace_graph.organize.values import Total, Vector

Rows = NDArray[np.float64]
"""Vectors as rows (count, dimension)."""

_ROUNDS = 20
# Iterations of 2-means; 13 items settle in 2 to 5 (measured on LoCoMo).
_NOTHING = 1e-9
# Length below which a vector is rounding noise: 1e-7 is one step of float32 at length 1.


def unit_rows(rows: Rows) -> Rows:
    """Each row at unit length; a row that is (nearly) zero becomes zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: Rows = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > _NOTHING)
    return units


def centred(rows: Rows, mean: Total) -> Rows:
    """The rows less the mean, at unit length.

    Without it all cosines between texts are high and one topic attracts everything. Source: study, section 4.
    """
    return unit_rows(rows - mean)


def centred_centroid(total: Total, count: int, mean: Total) -> Total:
    """The centroid of `count` vectors that add up to `total`, centred, at unit length; zero where count is 0."""
    if count == 0:
        return np.zeros_like(mean)
    centroid: Total = centred((total / count)[None, :], mean)[0]
    return centroid


def vector_total(vectors: Sequence[Vector | Total], dimension: int) -> Total:
    """The sum of the vectors, zero for none."""
    if not vectors:
        return np.zeros(dimension)
    total: Total = np.sum(vectors, axis=0, dtype=np.float64)
    return total


def space_mean(prior: Vector, prior_weight: int, total: Total, count: int) -> Total:
    """The mean to centre by: of the space's messages, drawn to the prior while there are few.

    `prior` is the embedder's mean over everyday sentences, `total` the sum of the space's message vectors.
    """
    return (np.asarray(prior, dtype=np.float64) * prior_weight + total) / (prior_weight + count)


def halve(rows: Rows, minimum: int) -> tuple[list[int], list[int]]:
    """Two groups of row numbers by 2-means, each of at least `minimum` rows (of half of them, if there are fewer).

    Starts from the row farthest from the mean and the row farthest from that one; ties fall to the lower
    number, so equal input gives equal halves. Rows that lie equally near to both even the halves out.
    """
    least = min(minimum, len(rows) // 2)
    first = int(np.argmin(rows @ rows.mean(axis=0)))
    second = int(np.argmin(rows @ rows[first]))
    axis = rows[first] - rows[second]
    order: list[int] = []
    cut = 0
    for _ in range(_ROUNDS):
        leaning = rows @ axis
        found = [int(row) for row in np.argsort(-leaning, kind="stable")]
        place = _cut(leaning, least)
        if place == cut and set(found[:place]) == set(order[:cut]):
            break
        order, cut = found, place
        axis = unit_rows(np.stack([rows[order[:cut]].sum(axis=0), rows[order[cut:]].sum(axis=0)]))
        axis = axis[0] - axis[1]
    return sorted(order[:cut]), sorted(order[cut:])


def _cut(leaning: NDArray[np.float64], least: int) -> int:
    """How many of the rows, sorted by falling leaning, go to the first half."""
    certain = int(np.count_nonzero(leaning > _NOTHING))
    open_ = int(np.count_nonzero(np.abs(leaning) <= _NOTHING))
    wanted = min(max(len(leaning) // 2, certain), certain + open_)
    return min(max(wanted, least), len(leaning) - least)
