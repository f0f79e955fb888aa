"""Whether the dates of a text occur in its sources, in all forms that `trace_graph.text.dates` reads. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from trace_graph.text.dates.reading import read_dates
from trace_graph.text.dates.values import DateMention, Interval

_EPOCH = date(1970, 1, 1).toordinal()
_ELSEWHEN = timedelta(days=4_003)
# Between two moments of reading: a date that is the same for both does not depend on when it was said. About eleven
# years, and no whole number of weeks.
_SOME_DAY = datetime(2020, 6, 15, tzinfo=UTC)
_MONTH_DAYS = 31
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")


@dataclass
class Days:
    """The days that some texts name, and on which they were said; half-open stretches, counted from 1970-01-01."""

    stretches: set[tuple[int, int]] = field(default_factory=set)
    yearless: set[tuple[int, int]] = field(default_factory=set)
    """What was named without a year ("in June"), in the year it was said, the one before and the one after."""

    def read(self, text: str, at: datetime | None) -> None:
        """Add the dates of a text that was said at this moment; of one without a moment those that need none."""
        mentions = read_dates(text, at) if at is not None else absolute_dates(text)
        for mention in mentions:
            for one in (mention, *mention.anchors):
                bounded = {(first, end) for first, end in one.readings if first is not None and end is not None}
                if one.year == "any":
                    self.yearless |= {
                        moved for first, end in bounded for year in _around(first, at)
                        if (moved := _in_year(first, end, year))}
                else:
                    self.stretches |= bounded
        if at is not None:
            day = at.date().toordinal() - _EPOCH
            self.stretches.add((day, day + 1))

    def words(self) -> set[str]:
        """English names of the weekdays and months of these days, in lower case."""
        found: set[str] = set()
        for first, end in self.stretches | self.yearless:
            if end - first <= _MONTH_DAYS:
                start = _date(first)
                found.add(_MONTHS[start.month - 1])
                if end - first == 1:
                    found.add(_WEEKDAYS[start.weekday()])
        return found

    def hold(self, mention: DateMention) -> bool:
        """Whether one of the days lies in what a date names: a month holds its days, a day no month."""
        if mention.anchors:
            return all(self.hold(anchor) for anchor in mention.anchors)
        return any(self._in(reading) for reading in self._all_years(mention))

    def _in(self, reading: Interval) -> bool:
        first, end = reading
        if first is None or end is None:  # "since May 2022": the bound that it names must be one of theirs
            return any(first == start or end == stop for start, stop in self.stretches)
        # "In June" speaks for a day or a month of June, never for a whole year.
        known = self.stretches | self.yearless if end - first <= _MONTH_DAYS else self.stretches
        return any(first <= start and stop <= end for start, stop in known)

    def _all_years(self, mention: DateMention) -> Iterable[Interval]:
        if mention.year != "any":
            return mention.readings
        years = {_date(first).year for first, _ in self.stretches | self.yearless}
        return [
            Interval(*moved) for first, end in mention.readings for year in years
            if (moved := _in_year(first, end, year))]


def absolute_dates(text: str) -> list[DateMention]:
    """The dates of a text that do not depend on when it was said, and those that only lack their year."""
    elsewhen = {(one.start, one.end): one.readings for one in read_dates(text, _SOME_DAY + _ELSEWHEN)}
    return [
        one for one in read_dates(text, _SOME_DAY)
        if one.readings and (one.year == "any" or elsewhen.get((one.start, one.end)) == one.readings)]


def _around(first: int, at: datetime | None) -> tuple[int, int, int]:
    year = at.year if at is not None else _date(first).year
    return year - 1, year, year + 1


def _in_year(first: int | None, end: int | None, year: int) -> tuple[int, int] | None:
    if first is None or end is None:
        return None
    try:
        start = _date(first).replace(year=year)
    except ValueError:  # 29 February
        return None
    moved = start.toordinal() - _EPOCH
    return moved, moved + end - first


def _date(day: int) -> date:
    return date.fromordinal(min(max(day + _EPOCH, 1), date.max.toordinal()))
