"""When the days of an interval begin and end."""

from __future__ import annotations

from datetime import datetime, tzinfo

from trace_graph.text.dates.days import date_of
from trace_graph.text.dates.values import Interval
from trace_graph.text.times import start_of_day


def instants(interval: Interval, zone: tzinfo) -> tuple[datetime | None, datetime | None]:
    """The first instant of an interval and the first behind it, in UTC; None where it has no bound.

    A day without a midnight, on which clocks were changed, begins with its first instant; an hour that came twice is
    inside both times.

    Raises:
        InvalidInput: a bound lies outside the years 1 to 9999 in UTC.
    """
    first, end = (None if day is None else start_of_day(date_of(day), zone) for day in interval)
    return first, end
