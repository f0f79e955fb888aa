"""What a benchmark's date says, as local time without an offset: it is read in the space's zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from trace_graph.ingest.importers.lines import BadItem

# Spelled out because strptime's month names follow the process's locale.
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)
_LOCOMO = re.compile(r"(\d{1,2}):(\d\d) ([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})", re.ASCII)
_LONGMEMEVAL = re.compile(r"(\d{4})/(\d\d)/(\d\d) (?:\([a-z]+\) )?(\d\d):(\d\d)", re.ASCII)
_BEAM = re.compile(r"([a-z]+)-(\d{1,2})-(\d{4})", re.ASCII)


def locomo_time(text: str) -> datetime:
    """The time in `1:56 pm on 8 May, 2023`. Raises: BadItem."""
    found = _LOCOMO.fullmatch(text.strip().lower())
    if not found:
        raise BadItem(f"the date {text[:40]!r} does not read like '1:56 pm on 8 May, 2023'.")
    hour, minute, half, day, month, year = found.groups()
    if not 1 <= int(hour) <= 12 or int(minute) > 59:
        raise BadItem(f"the date {text[:40]!r} has no such time of day.")
    return _day(text, year, month, day) + timedelta(
        hours=int(hour) % 12 + (12 if half == "p" else 0), minutes=int(minute)
    )


def longmemeval_time(text: str) -> datetime:
    """The time in `2023/05/30 (Tue) 23:40`. Raises: BadItem."""
    found = _LONGMEMEVAL.fullmatch(text.strip().lower())
    if not found:
        raise BadItem(f"the date {text[:40]!r} does not read like '2023/05/30 (Tue) 23:40'.")
    year, month, day, hour, minute = found.groups()
    if int(hour) > 23 or int(minute) > 59:
        raise BadItem(f"the date {text[:40]!r} has no such time of day.")
    return _day(text, year, month, day) + timedelta(hours=int(hour), minutes=int(minute))


def beam_time(text: str) -> datetime:
    """The start of the day in `March-15-2024`. Raises: BadItem."""
    found = _BEAM.fullmatch(text.strip().lower())
    if not found:
        raise BadItem(f"the time anchor {text[:40]!r} does not read like 'March-15-2024'.")
    month, day, year = found.groups()
    return _day(text, year, month, day)


def turn_time(start: datetime, place: int) -> str:
    """ISO text for the turn at this place (from 0) of a session that began at `start`: one second a turn.

    The sources date sessions, not turns; a second each keeps their order without moving any to another day's question.
    """
    return (start + timedelta(seconds=place)).isoformat()


def _day(text: str, year: str, month: str, day: str) -> datetime:
    try:
        number = int(month) if month.isdigit() else _MONTHS.index(month) + 1
        return datetime(int(year), number, int(day))
    except ValueError as error:
        raise BadItem(f"the date {text[:40]!r} does not exist.") from error
