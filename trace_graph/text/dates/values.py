"""What the grammar of dates gives: intervals of local days, and the mention that stands for them."""

from __future__ import annotations

from typing import Literal, NamedTuple

Unit = Literal["day", "weekend", "week", "month", "season", "quarter", "year", "decade"]

YearFrom = Literal["said", "elsewhere", "any"]
"""`said`: in the mention itself, or it follows from the moment of asking ("last May"). `elsewhere`: taken from another
date of the text. `any`: no year anywhere; the interval is the latest that has begun, and every year is meant."""


class Interval(NamedTuple):
    """A half-open stretch of local days, each counted from 1970-01-01; None where it has no bound."""

    first: int | None
    end: int | None


class Event(NamedTuple):
    """What a mention counts from when that is no date: the two days and the launch of "two days before the launch"."""

    units: int
    """Negative: before the event."""
    unit: Unit
    start: int
    """Where the event's words begin in the text, in characters."""
    end: int


class DateMention(NamedTuple):
    """A date as a text names it."""

    start: int
    """Where it begins in the text, in characters."""
    end: int
    precision: Unit
    """The unit in which its bounds are known: the day for "between 3 and 9 May", the year for "the last two years"."""
    readings: tuple[Interval, ...]
    """What it may stand for. One; several where day and month may be swapped (03/04/2024), where a winter may begin or
    end in the year that is named, or where the text names several years; none when an event has to be found first."""
    year: YearFrom = "said"
    years: tuple[int, ...] = ()
    """The years that it names, which a date without one in the same text takes."""
    anchors: tuple[DateMention, ...] = ()
    """The dates that it is made of: 3 May of "the week before 3 May", both ends of a stretch."""
    event: Event | None = None

    @property
    def interval(self) -> Interval | None:
        """The one stretch of days it stands for; None where there are several readings, or none."""
        return self.readings[0] if len(self.readings) == 1 else None


class Asked(NamedTuple):
    """Against what a text is read."""

    today: int
    """The local day of asking, from 1970-01-01."""
    year: int | None = None
    """The year of the dates that name none; None: the latest that has begun, and every year is meant."""
