"""JSON as a model writes it: read strictly, found within other text, and refused where its meaning is not certain."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

LONGEST = 400_000
"""Characters of a reply that are looked at. Source: guess, far over the longest max_tokens of a purpose."""

MOST_STARTS = 400
"""Braces and brackets at which an object is looked for, so that a hostile reply does not cost minutes. Guess."""


class Unclear(ValueError):
    """JSON that could be read, with a meaning that is not certain."""


@dataclass(frozen=True)
class Found:
    """A JSON object or list within a text."""

    start: int
    end: int
    value: Any


def _no_number(written: str) -> NoReturn:
    raise Unclear(f"{written} is not a JSON number")


def _finite(written: str) -> float:
    number = float(written)
    if not math.isfinite(number):
        _no_number("a number out of range")
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice with different values: taking the last one would drop the first silently."""
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read and read[key] != value:
            raise Unclear("a key stands twice in one object")
        read[key] = value
    return read


# Not strict: a line break within a text, written as such, has one meaning only.
_DECODER = json.JSONDecoder(
    strict=False, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once)


def read_whole(text: str) -> Any:
    """The value of a text that is JSON from end to end.

    Raises: ValueError where it is none; Unclear, which is one, for NaN, infinity and a key with two values.
    """
    try:
        return _DECODER.decode(text.strip().removeprefix("\ufeff"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def find_all(text: str) -> list[Found]:
    """The objects and lists that stand in a text, outermost ones, in order; braces within their texts do not count.

    Raises: Unclear for one whose meaning is not certain.
    """
    found: list[Found] = []
    place = 0
    for _ in range(MOST_STARTS):
        match = re.compile(r"[{\[]").search(text, place, LONGEST)
        if match is None:
            break
        place = match.start()
        try:
            value, end = _DECODER.raw_decode(text, place)
        except Unclear:
            raise
        except (ValueError, RecursionError):
            place += 1
            continue
        found.append(Found(place, end, value))
        place = end
    return found
