"""Breadth: where many things are asked for, turns beside one that stands above give way to others. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trace_graph.config import RecallSettings

if TYPE_CHECKING:
    from trace_graph.retrieve.ranking import Scored

SPREAD_FIRST = 100
"""Best candidates that are put in another order; what comes after them keeps its place. Guess."""
REACH = 2.0
"""Turns over which the loss falls by e. Source: measured, 5 costs as much elsewhere as it brings."""


def spread(ranked: Sequence[Scored], settings: RecallSettings) -> list[Scored]:
    """The ranking with the first ones chosen one by one: the best that is left, less what it loses by a neighbour."""
    left = list(ranked[:SPREAD_FIRST])
    chosen: list[Scored] = []
    while left:
        best = max(range(len(left)), key=lambda place: left[place].score)  # the first of equal ones
        above = left.pop(best)
        chosen.append(above)
        left = [_beside(one, above, settings.near_weight) for one in left]
    return [*chosen, *ranked[SPREAD_FIRST:]]


def _beside(one: Scored, above: Scored, weight: float) -> Scored:
    here, there = one.candidate, above.candidate
    if here.session != there.session or here.space != there.space:
        return one
    loss = -weight * math.exp(-abs(here.seq - there.seq) / REACH)
    return one._replace(near=loss) if loss < one.near else one
