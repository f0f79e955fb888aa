"""How well a message's day fits the dates that a question names.

Days are counted from 1970-01-01. `trace_graph.text.dates` reads what the dates are. Source of the weights of a day, a
month and a year: retrieval recipe, section 1, date(); the others are guesses.
"""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from trace_graph.text.dates.days import civil, date_of, number_of
from trace_graph.text.dates.reading import read_dates
from trace_graph.text.dates.values import DateMention, Interval

DAY_WEIGHT, DAY_DECAY = 1.0, 7.0
"""A day and month: full weight on that day, falling by e every 7 days of distance."""

MONTH_WEIGHT = 1.0
AFTERMATH_WEIGHT, AFTERMATH_DAYS = 0.4, 10
"""The first days of the next month, when people still speak of the last one."""

YEAR_WEIGHT = 0.5

STRETCH_WEIGHT, STRETCH_DECAY = 1.0, 0.25
"""A weekend, a week, a season, a part of a month: full weight inside, falling by e every quarter of its length,
and every 7 days at least. Guess."""

LONG_STRETCH_DAYS = 200
"""A longer one weighs what a year weighs, inside only. Guess."""

OPEN_WEIGHT = 0.25
"""Every day on the open side of "before", "since", "until"; the date itself weighs what it weighs alone. Guess."""

_FIRST_DAY, _LAST_DAY = number_of(date.min), number_of(date.max)
_LEAP_YEAR = 2000
"""The year that stands in where a date has none; a leap year, so that 29 February exists in it."""

_DAYS_A_YEAR = 365.2425


class DateRange(NamedTuple):
    """A stretch of days that a question names, and what a message gains by lying in it or near it."""

    first: int
    """The first day, from 1970-01-01."""
    last: int
    """The last day, included."""
    weight: float
    """Score of a day inside."""
    decay: float
    """Outside, the score is weight x exp(-days of distance / decay); 0: nothing outside."""
    every_year: bool = False
    """The question names no year: month and day count, in whichever year is nearest to the message."""


def date_ranges(question: str, asked_at: datetime) -> list[DateRange]:
    """The ranges of days that the dates of a question stand for, in order of occurrence; each once.

    A date that is made of others ("the week before 3 May") gives their ranges as well: people speak of a week on the
    day that they count from. A year that says which May is meant ("in 2023, in May") gives none of its own; dates that
    count from an event give none.

    Raises:
        InvalidInput: a naive `asked_at`.
    """
    mentions = read_dates(question, asked_at)
    lent = any(one.year == "elsewhere" for one in mentions)
    ranges = [
        found for one in mentions if not (lent and one.precision == "year" and one.years and not one.anchors)
        for found in _ranges(one)
    ]
    return list(dict.fromkeys(ranges))


def date_score(day: int, ranges: Sequence[DateRange]) -> float:
    """How well a message's day fits the best of the ranges, from 0 (not at all, or no ranges) to 1."""
    return max((_range_score(day, one) for one in ranges), default=0.0)


def _ranges(mention: DateMention) -> Iterator[DateRange]:
    for anchor in mention.anchors:
        yield from _ranges(anchor)
    for reading in mention.readings:
        yield from _of_reading(mention, reading)


def _of_reading(mention: DateMention, reading: Interval) -> Iterator[DateRange]:
    every_year = mention.year == "any"
    first, end = reading
    if first is None or end is None:
        yield DateRange(_FIRST_DAY if first is None else first, _LAST_DAY if end is None else end - 1, OPEN_WEIGHT, 0.0)
        return
    days = end - first
    if every_year:
        first, end = _in_leap_year(first, end)
    last = end - 1
    if days > LONG_STRETCH_DAYS:
        yield DateRange(first, last, YEAR_WEIGHT, 0.0, every_year)
    elif days == 1:
        yield DateRange(first, last, DAY_WEIGHT, DAY_DECAY, every_year)
    elif mention.precision == "month" and days <= 31 and not mention.anchors:
        yield DateRange(first, last, MONTH_WEIGHT, 0.0, every_year)
        yield DateRange(last + 1, last + AFTERMATH_DAYS, AFTERMATH_WEIGHT, 0.0, every_year)
    else:
        yield DateRange(first, last, STRETCH_WEIGHT, max(DAY_DECAY, days * STRETCH_DECAY), every_year)


def _in_leap_year(first: int, end: int) -> tuple[int, int]:
    """A stretch moved to the leap year; a month stays a month, a day a day."""
    year, month, day = civil(first)
    moved = number_of(date(_LEAP_YEAR, month, day))
    if end - first == 1:
        return moved, moved + 1
    end_year = civil(end)[0]
    return moved, _in_year(date_of(end), _LEAP_YEAR + end_year - year)


def _range_score(day: int, one: DateRange) -> float:
    first, last = _nearest(one, day) if one.every_year else (one.first, one.last)
    distance = max(first - day, day - last, 0)
    if distance == 0:
        return one.weight
    return one.weight * math.exp(-distance / one.decay) if one.decay > 0 else 0.0


def _nearest(one: DateRange, day: int) -> tuple[int, int]:
    """First and last day of a range without a year, in the year in which it lies nearest to the day."""
    years = round((day - (one.first + one.last) / 2) / _DAYS_A_YEAR)
    return _moved(one, min(max(_LEAP_YEAR + years, date.min.year), date.max.year - 1))


@lru_cache(maxsize=1_024)  # one recall scores hundreds of messages from a few years
def _moved(one: DateRange, year: int) -> tuple[int, int]:
    first, last = date_of(one.first), date_of(one.last)
    year += first.year - _LEAP_YEAR
    return _in_year(first, year), _in_year(last, year + last.year - first.year)


def _in_year(day: date, year: int) -> int:
    return number_of(day.replace(year=year, day=min(day.day, monthrange(year, day.month)[1])))

