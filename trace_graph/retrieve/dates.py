"""Which dates a question names, and how well a message's day fits them.

Days are counted from 1970-01-01. Source of all weights: retrieval recipe, section 1, date().
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

DAY_WEIGHT, DAY_DECAY = 1.0, 7.0
"""A day and month: full weight on that day, falling by e every 7 days of distance."""

MONTH_WEIGHT = 1.0
AFTERMATH_WEIGHT, AFTERMATH_DAYS = 0.4, 10
"""The first days of the next month, when people still speak of the last one."""

YEAR_WEIGHT = 0.5

_EPOCH = date(1970, 1, 1).toordinal()
_LEAP_YEAR = 2000
"""The year that stands in where a date has none; a leap year, so that 29 February exists in it."""

_DAYS_A_YEAR = 365.2425

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)
_SHORT_MONTHS = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10,
                 "nov": 11, "dec": 12}
_NUMBERS = {**{name: number for number, name in enumerate(_MONTHS, start=1)}, **_SHORT_MONTHS}
_ALSO_WORDS = frozenset({"may", "march", *_SHORT_MONTHS})
"""Months that are words or names as well (the short ones: Jan, a mar): alone they count only behind a preposition."""

_MONTH = rf"(?:{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?:19|20)\d{2}(?!\d)"
_DAY = r"\d{1,2}(?!\d)(?:st|nd|rd|th)?\b"
_OF_YEAR = r"[\s,]{1,5}(?:of\s{1,5})?"
_OF = r"\s{1,5}(?:of\s{1,5})?"
_THE = r"\s{1,5}(?:the\s{1,5})?"
_DATES = re.compile(
    rf"\b(?P<iso_year>{_YEAR})[-/](?P<iso_month>\d{{1,2}})(?:[-/](?P<iso_day>\d{{1,2}}))?(?![\d/-]*\d)"
    rf"|\b(?P<day_first>{_DAY}){_OF}(?P<month_second>{_MONTH})(?:{_OF_YEAR}(?P<year_third>{_YEAR}))?"
    rf"|\b(?P<month_first>{_MONTH}){_THE}(?P<day_second>{_DAY})(?:{_OF_YEAR}(?P<year_last>{_YEAR}))?"
    rf"|\b(?P<month>{_MONTH})(?:{_OF_YEAR}(?P<year_second>{_YEAR}))?"
    rf"|\b(?P<year>{_YEAR})\b",
    re.IGNORECASE | re.ASCII,
)
_LEADING = re.compile(
    r"\b(?:in|on|of|during|by|before|after|since|early|late|mid|(?:19|20)\d{2})[\s,-]{1,5}\Z", re.IGNORECASE | re.ASCII
)
_LONGEST_LEADING = 14


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


class _Named(NamedTuple):
    """A date as it is written: what is not said is None."""

    year: int | None
    month: int | None
    day: int | None


def date_ranges(question: str, asked_at: datetime) -> list[DateRange]:
    """The ranges of days that the dates written in an English question stand for, in order of occurrence.

    A day and month gives that day, a month (and year) the month and the first days of the next, a year that year. A
    date without a year takes the years that are named elsewhere in the question; where none is, it means every year.
    `asked_at` is for dates that are relative to it ("last week"); none of those are read.
    """
    named = list(_named_dates(question))
    years = sorted({found.year for found in named if found.year is not None})
    lent = any(found.year is None for found in named)
    ranges: list[DateRange] = []
    for found in named:
        if found.month is None and lent:  # "in October in 2023": the year says which October
            continue
        candidates: list[int | None] = [found.year] if found.year is not None else [*years] or [None]
        for year in candidates:
            ranges.extend(_ranges(found._replace(year=year)))
    return list(dict.fromkeys(ranges))


def date_score(day: int, ranges: Sequence[DateRange]) -> float:
    """How well a message's day fits the best of the ranges, from 0 (not at all, or no ranges) to 1."""
    return max((_range_score(day, one) for one in ranges), default=0.0)


def _named_dates(question: str) -> Iterator[_Named]:
    for found in _DATES.finditer(question):
        part = found.groupdict()
        year = part["iso_year"] or part["year_third"] or part["year_last"] or part["year_second"] or part["year"]
        day = part["iso_day"] or part["day_first"] or part["day_second"]
        name = part["month_first"] or part["month_second"] or part["month"]
        if part["month"] and not year and not _is_month(question, found):
            continue
        month = int(part["iso_month"]) if part["iso_month"] else _month_number(name)
        yield _real(_Named(int(year) if year else None, month, _day_number(day)))


def _is_month(question: str, found: re.Match[str]) -> bool:
    """Whether a month's name without day and year is meant as one."""
    if found["month"].lower().rstrip(".") not in _ALSO_WORDS:
        return True
    before = question[max(0, found.start() - _LONGEST_LEADING) : found.start()]
    return _LEADING.search(before) is not None


def _month_number(name: str | None) -> int | None:
    return _NUMBERS[name.lower().rstrip(".")] if name else None


def _day_number(day: str | None) -> int | None:
    return int(re.sub(r"\D", "", day)) if day else None


def _real(named: _Named) -> _Named:
    """The date without what the calendar has not: 31 June is read as June, a month 13 as its year."""
    if named.month is None or not 1 <= named.month <= 12:
        return _Named(named.year, None, None)
    days = monthrange(named.year or _LEAP_YEAR, named.month)[1]
    return named if named.day is None or 1 <= named.day <= days else named._replace(day=None)


def _ranges(named: _Named) -> list[DateRange]:
    every_year = named.year is None
    year = named.year or _LEAP_YEAR
    if named.month is None:
        return [DateRange(_count(year, 1, 1), _count(year, 12, 31), YEAR_WEIGHT, 0.0)]
    month_length = monthrange(year, named.month)[1]
    if named.day is not None:
        day = _count(year, named.month, min(named.day, month_length))
        return [DateRange(day, day, DAY_WEIGHT, DAY_DECAY, every_year)]
    first = _count(year, named.month, 1)
    last = _count(year, named.month, month_length)
    return [
        DateRange(first, last, MONTH_WEIGHT, 0.0, every_year),
        DateRange(last + 1, last + AFTERMATH_DAYS, AFTERMATH_WEIGHT, 0.0, every_year),
    ]


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
    first, last = _date(one.first), _date(one.last)
    year += first.year - _LEAP_YEAR
    return _in_year(first, year), _in_year(last, year + last.year - first.year)


def _in_year(day: date, year: int) -> int:
    return _count(year, day.month, min(day.day, monthrange(year, day.month)[1]))


def _count(year: int, month: int, day: int) -> int:
    return date(year, month, day).toordinal() - _EPOCH


def _date(day: int) -> date:
    return date.fromordinal(day + _EPOCH)
