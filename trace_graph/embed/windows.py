"""How a text that is too long for a model is divided, and how the parts' vectors become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from trace_graph.embed.protocol import Vector
from trace_graph.embed.vectors import unit


def halve(text: str) -> list[str]:
    """Cut at the white space nearest to the middle, or in the middle where the middle half has none.

    Gives two parts, or one where the other would be blank. The text is at least two characters, not all blank.
    """
    middle = len(text) // 2
    reach = len(text) // 4
    for distance in range(reach):
        for place in (middle - distance, middle + distance):
            if text[place].isspace():
                return _filled(text[:place], text[place:])
    return _filled(text[:middle], text[middle:])


def _filled(*parts: str) -> list[str]:
    return [part for part in parts if part and not part.isspace()]


def windows(text: str, size: Callable[[str], int], limit: int) -> list[str]:
    """Halve until each part's size is within the limit; the parts, joined, are the text but for blank ones.

    A single character is kept whatever its size.
    """
    if len(text) <= 1 or size(text) <= limit:
        return [text]
    return [part for half in halve(text) for part in windows(half, size, limit)]


def combine(vectors: Sequence[Vector | None], weights: Sequence[float]) -> Vector | None:
    """Take the weighted mean of the parts' vectors, to length 1; parts without a vector count for nothing.

    The rule for long texts, so that no part of one is out of reach.
    """
    pairs = [(vector, weight) for vector, weight in zip(vectors, weights, strict=True) if vector is not None]
    if not pairs:
        return None
    return unit(np.sum([vector.astype(np.float64) * weight for vector, weight in pairs], axis=0))
