"""JSON as a model writes it: read strictly, found within other text, and refused where its meaning is not certain."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

LONGEST = 100_000
"""Characters of a reply that are looked at. Source: guess, far over the longest max_tokens of a purpose."""

MOST_STARTS = 400
"""Braces and brackets at which an object is looked for. Guess."""

MOST_READ = 10 * LONGEST
"""Characters that are read in vain while an object is looked for, all starts together. Guess: a few milliseconds."""

DEEPEST = 64
"""Lists and objects within each other. Guess: far over any reply that is asked for, and far below the thousand frames
that Python has, so that what walks a reply may recurse."""

_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
"""A text of JSON, perhaps without its end, or a bracket."""


class Unclear(ValueError):
    """JSON that could be read, with a meaning that is not certain."""


@dataclass(frozen=True)
class Found:
    """A JSON object or list within a text."""

    start: int
    end: int
    value: Any
    torn: bool = False
    """An object that begins before it could not be read: it may be a part of that."""


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

    Raises: ValueError where it is none; Unclear, which is one, for NaN, infinity, a key with two values, and one that
    is nested deeper than DEEPEST.
    """
    text = text.strip().removeprefix("\ufeff")
    refuse_deep(text, 0)
    return _DECODER.decode(text)


def refuse_deep(text: str, start: int) -> None:
    """Count brackets from an object or list on to its end, without recursion.

    Raises: Unclear where more than DEEPEST are open at once.
    """
    if text[start:start + 1] not in ("{", "["):
        return
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
        if depth > DEEPEST:
            raise Unclear("it is nested too deeply")
        if depth == 0:
            return


def find_all(text: str) -> list[Found]:
    """The objects and lists that stand in a text, outermost ones, in order; braces within their texts do not count.

    Raises: Unclear for one whose meaning is not certain, or that is nested too deeply.
    """
    found: list[Found] = []
    place, torn, left = 0, False, MOST_READ
    for _ in range(MOST_STARTS):
        match = re.compile(r"[{\[]").search(text, place, LONGEST)
        if match is None or left < 0:
            break
        place = match.start()
        refuse_deep(text, place)
        try:
            value, end = _DECODER.raw_decode(text, place)
        except Unclear:
            raise
        except ValueError as error:
            torn = torn or match[0] == "{"
            left -= _read_in_vain(error, text, place)
            place += 1
            continue
        found.append(Found(place, end, value, torn))
        place = end
    return found


def _read_in_vain(error: ValueError, text: str, start: int) -> int:
    """Characters that a decoder read before this error; a text without an end is read to the end of all."""
    known = isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated")
    return error.pos - start if known and isinstance(error, json.JSONDecodeError) else len(text) - start
