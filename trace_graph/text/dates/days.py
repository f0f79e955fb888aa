"""Days as numbers: which day a date is, and which days a week, a month, a season holds.

Any year will do: nothing here raises for one before 1 or after 9999. A week begins on Monday (ISO 8601).
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import Literal

from trace_graph.text.dates.values import Interval, Unit

Part = Literal["early", "mid", "late", "first half", "second half"]

SPRING, SUMMER, AUTUMN, WINTER = 3, 6, 9, 12
"""Seasons by the month they begin in: meteorological ones of the northern hemisphere, three months each."""

_EPOCH = date(1970, 1, 1).toordinal()
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
"""After this long the Gregorian calendar repeats, weekdays included."""

MONTHS_IN: dict[Unit, int] = {"month": 1, "quarter": 3, "season": 3, "year": 12, "decade": 120}


def number_of(day: date) -> int:
    """The day's number from 1970-01-01."""
    return day.toordinal() - _EPOCH


def date_of(day: int) -> date:
    """The date of a day's number. Raises: ValueError outside the years 1 to 9999."""
    return date.fromordinal(day + _EPOCH)


def day_number(year: int, month: int = 1, day: int = 1) -> int | None:
    """The day's number from 1970-01-01; None for what the calendar has not, such as 30 February."""
    cycles, of_cycle = divmod(year, _CYCLE_YEARS)
    of_cycle += _CYCLE_YEARS
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(of_cycle, month)[1]:
        return None
    return number_of(date(of_cycle, month, day)) + (cycles - 1) * _CYCLE_DAYS


def month_start(months: int) -> int:
    """The first day of a month, given as months since year 0."""
    number = day_number(months // 12, months % 12 + 1)
    assert number is not None  # the first of a month is in every calendar
    return number


def civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of the month."""
    cycles, of_cycle = divmod(day + _EPOCH - 1, _CYCLE_DAYS)
    found = date.fromordinal(of_cycle + 1)
    return found.year + cycles * _CYCLE_YEARS, found.month, found.day


def months_of(day: int) -> int:
    """Months since year 0 of the month that the day lies in."""
    year, month, _ = civil(day)
    return year * 12 + month - 1


def weekday(day: int) -> int:
    """0 for Monday to 6 for Sunday."""
    return (day + 3) % 7


def shifted(day: int, count: int, unit: Unit) -> int:
    """The day so many units later; the last of the month where a month is too short."""
    if unit == "day":
        return day + count
    if unit in ("week", "weekend"):
        return day + 7 * count
    year, month, of_month = civil(day)
    months = year * 12 + month - 1 + count * MONTHS_IN[unit]
    return min(month_start(months) + of_month - 1, month_start(months + 1) - 1)


def period(unit: Unit, day: int, offset: int = 0) -> Interval:
    """The calendar's week, month, ... that holds the day, moved by so many of its kind; a weekend is its week's."""
    if unit == "day":
        return Interval(day + offset, day + offset + 1)
    if unit in ("week", "weekend"):
        monday = day - weekday(day) + 7 * offset
        return Interval(monday + 5 if unit == "weekend" else monday, monday + 7)
    size = MONTHS_IN[unit]
    # Seasons begin with December, so that winter is one.
    shift = 1 if unit == "season" else 0
    months = ((months_of(day) + shift) // size + offset) * size - shift
    return Interval(month_start(months), month_start(months + size))


def calendar_month(year: int, month: int) -> Interval:
    """All days of a month."""
    months = year * 12 + month - 1
    return Interval(month_start(months), month_start(months + 1))


def calendar_years(year: int, count: int = 1) -> Interval:
    """All days of so many years."""
    return Interval(month_start(year * 12), month_start((year + count) * 12))


def season(year: int, begins: int) -> Interval:
    """A season that begins in that year."""
    months = year * 12 + begins - 1
    return Interval(month_start(months), month_start(months + 3))


def part_of(whole: Interval, part: Part) -> Interval:
    """A third or a half, in whole months where the stretch has enough of them, in days otherwise."""
    assert whole.first is not None and whole.end is not None
    pieces = 2 if part.endswith("half") else 3
    place = {"early": 0, "mid": 1, "late": 2, "first half": 0, "second half": 1}[part]
    first, end = months_of(whole.first), months_of(whole.end)
    if (end - first) % pieces == 0 and end > first and month_start(first) == whole.first:
        size = (end - first) // pieces
        return Interval(month_start(first + place * size), month_start(first + (place + 1) * size))
    size = (whole.end - whole.first) // pieces
    start = whole.first + place * size
    return Interval(start, whole.end if place == pieces - 1 else start + size)
