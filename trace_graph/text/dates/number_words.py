"""English numbers in words, and counts of units: "three", "twenty-one", "a couple of"."""

from __future__ import annotations

from trace_graph.text.dates.values import Unit
from trace_graph.text.dates.words import Tokens

_ONES = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
NUMBERS = {
    **{word: number for number, word in enumerate(_ONES.split(), start=1)},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=2)},
}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)} | {"thirtieth": 30}

UNITS: dict[str, Unit] = {
    "day": "day", "days": "day", "week": "week", "weeks": "week", "weekend": "weekend", "weekends": "weekend",
    "month": "month", "months": "month", "quarter": "quarter", "quarters": "quarter", "year": "year", "years": "year",
    "decade": "decade", "decades": "decade",
}

COUPLE, FEW, SEVERAL = (2, 3), (2, 4), (3, 7)
"""How many "a couple", "a few" and "several" are, fewest and most. Guess."""

Count = tuple[int, int, int]
"""Fewest, most, and the place of the first token behind the count."""


def count_at(words: Tokens, at: int) -> Count | None:
    """A count of at most four digits, or in words to ninety-nine; "a" and "an" are one."""
    word = words.word(at)
    article = word in ("a", "an")
    loose = {"couple": COUPLE, "few": FEW, "several": SEVERAL}.get(words.word(at + article))
    if loose is not None:
        behind = at + article + 1
        return (*loose, behind + (words.word(behind) == "of"))
    if article:
        return 1, 1, at + 1
    number, digits = words[at].number, words[at].digits
    if number is not None:
        return (number, number, at + 1) if not words[at].suffix and digits <= 4 and number > 0 else None
    number = NUMBERS.get(word)
    if number is None:
        return None
    ones = at + 1 + (words.word(at + 1) == "-")
    low = NUMBERS.get(words.word(ones), 10)
    if number >= 20 and low < 10:
        return number + low, number + low, ones + 1
    return number, number, at + 1


def counted_units(words: Tokens, at: int) -> tuple[int, int, Unit, int] | None:
    """A count and its unit: fewest, most, unit, and the place behind. Half a year is six months."""
    if [words.word(at + step) for step in range(3)] == ["half", "a", "year"]:
        return 6, 6, "month", at + 3
    count = count_at(words, at)
    if count is None:
        return None
    low, high, place = count
    unit = UNITS.get(words.word(place))
    return (low, high, unit, place + 1) if unit is not None else None
