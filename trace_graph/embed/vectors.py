"""Which texts can have a vector, and which numbers are one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trace_graph.embed.protocol import Vector

SHORTEST, LONGEST = 1e-12, 1e12
"""Lengths between which a vector's direction means something; outside, an endpoint answered rubbish.
Source: guess; models give lengths of 0.1 to 1000."""

NO_VECTOR = "the model gives it no usable vector (no known word, or a vector that is zero or not finite)"
NOT_TEXT = "it holds half a surrogate pair, which no tokenizer and no endpoint can read"


def unit(numbers: ArrayLike) -> Vector | None:
    """Scale numbers of shape (dimension,) to length 1; None where they have no direction (zero, NaN, inf)."""
    row, usable = unit_rows(np.asarray(numbers, dtype=np.float64)[None, :])
    return row[0] if usable[0] else None


def unit_rows(rows: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Scale each row of (count, dimension) to length 1, and tell which rows have a direction."""
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        usable = (lengths >= SHORTEST) & (lengths <= LONGEST)
    scaled = np.zeros(rows.shape, dtype=np.float32)
    scaled[usable] = rows[usable] / lengths[usable, None]
    return scaled, usable


def embeddable(texts: Sequence[str]) -> tuple[list[int], dict[int, str]]:
    """Tell the places of the texts to embed; and, by place, why others that are not blank are left out."""
    places: list[int] = []
    refused: dict[int, str] = {}
    for place, text in enumerate(texts):
        if not text or text.isspace():
            continue
        if is_readable(text):
            places.append(place)
        else:
            refused[place] = NOT_TEXT
    return places, refused


def is_readable(text: str) -> bool:
    """Whether the text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
