"""Which instant a given time means."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

from trace_graph.errors import InvalidInput

_FIX = (
    "Write ISO 8601 with an offset, for example 2024-03-01T10:00:00+01:00 or 2024-03-01T09:00:00Z; without an offset, "
    "or with the date alone, it is read in the space's time zone."
)
_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
    r"(?:[T ](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
    r" ?(?P<offset>Z|[+-]\d{2}(?::?\d{2})?)?)?",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_TIME = 64
_WIDEST_OFFSET = timedelta(hours=18)
"""Source: java.time.ZoneOffset, which both engines use; the widest in use is 14 hours."""

_OF_THE_HOST = frozenset({"localtime", "Factory"})


class Moment(NamedTuple):
    """An instant and how it was read."""

    instant: datetime
    """UTC, to the microsecond."""
    offset_minutes: int
    """What local clocks were ahead of UTC where it was said, to the nearest minute."""
    note: str | None
    """How it was read, where that was not plain from the value: a zone assumed, a clock change in the way."""

    @property
    def local(self) -> datetime:
        """The instant on the clocks of where it was said."""
        return self.instant.astimezone(timezone(timedelta(minutes=self.offset_minutes)))


def parse_time(value: datetime | str, zone: str) -> Moment:
    """The instant that an aware datetime or an ISO 8601 text means.

    Text may give the date alone (the start of that day), a space instead of T, lower-case letters, an offset or `Z`.
    Without an offset it is read in `zone`: a time that the clock change skipped is the first instant after the gap,
    one that came twice is the earlier. Digits below the microsecond are dropped.

    Raises:
        InvalidInput: anything else, among it a naive datetime, a date that does not exist, an ambiguous 03/04/2024.
    """
    if isinstance(value, datetime):
        return _from_datetime(value)
    return _from_text(_as_text(value), zone)


def start_of_day(day: date, there: tzinfo) -> datetime:
    """The first instant of a day on the clocks of a zone, in UTC.

    The first of two midnights; where the clock change skipped midnight, the first instant after the gap.

    Raises:
        InvalidInput: it lies outside the years 1 to 9999 in UTC.
    """
    midnight = datetime(day.year, day.month, day.day)
    first, second = _offset_at(midnight, there, 0), _offset_at(midnight, there, 1)
    if first >= second:
        return _utc(midnight, first)
    return _clock_change(_utc(midnight, second), _utc(midnight, first), there)


def zone_name(name: str) -> str:
    """The name of a time zone, returned as given when it is one of the IANA database.

    Raises:
        InvalidInput: it is not; names are case-sensitive, and the host's own `localtime` is none.
    """
    _zone(name)
    return name


def utc_now() -> datetime:
    """The clock, in UTC."""
    return datetime.now(UTC)


def _as_text(value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"A time is an aware datetime or ISO 8601 text, not {type(value).__name__}.", fix=_FIX)
    return value.strip()


def _from_datetime(value: datetime) -> Moment:
    offset = value.utcoffset()
    if offset is None:
        raise InvalidInput(
            "A datetime without a time zone does not say which instant it means.",
            fix="Give it one (datetime.now(timezone.utc), value.replace(tzinfo=...)), or pass ISO 8601 text, "
            "which is read in the space's time zone.",
        )
    # Built anew, so that a subclass with finer digits (pandas) leaves as a plain datetime.
    plain = datetime(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    return Moment(_utc(plain, offset), _minutes(offset), None)


def _from_text(text: str, zone: str) -> Moment:
    found = _ISO.fullmatch(text) if len(text) <= _LONGEST_TIME else None
    if found is None:
        raise InvalidInput("The time is not ISO 8601.", fix=_FIX)
    year, month, day, hour, minute, second = (int(number or 0) for number in found.groups()[:6])
    microsecond = int((found["fraction"] or "")[:6].ljust(6, "0"))
    try:
        local = datetime(year, month, day, hour, minute, second, microsecond)
    except ValueError as error:
        raise InvalidInput("The time names a date or an hour that does not exist.", fix=_FIX) from error
    if found["offset"] is None:
        return _in_zone(local, zone)
    offset = _offset(found["offset"])
    return Moment(_utc(local, offset), _minutes(offset), None)


def _offset(text: str) -> timedelta:
    if text in "Zz":
        return timedelta(0)
    digits = text[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if minutes > 59:
        raise InvalidInput("The time's offset has more than 59 minutes.", fix=_FIX)
    return timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1)


def _utc(local: datetime, offset: timedelta) -> datetime:
    if abs(offset) > _WIDEST_OFFSET:
        raise InvalidInput("The time's offset is wider than 18 hours.", fix=_FIX)
    try:
        return (local - offset).replace(tzinfo=UTC)
    except OverflowError as error:
        raise InvalidInput("The time lies outside the years 1 to 9999 in UTC.", fix=_FIX) from error


def _in_zone(local: datetime, zone: str) -> Moment:
    """The instant of a wall clock's time; where clocks were changed, as `parse_time` says."""
    there = _zone(zone)
    first, second = _offset_at(local, there, 0), _offset_at(local, there, 1)
    note = f"no offset given: read in {zone}"
    if first == second:
        return Moment(_utc(local, first), _minutes(first), note)
    if first > second:
        note += "; that time came twice there, the earlier is meant"
        return Moment(_utc(local, first), _minutes(first), note)
    instant = _clock_change(_utc(local, second), _utc(local, first), there)
    shown = instant.astimezone(there).replace(tzinfo=None).isoformat(sep=" ")
    return Moment(instant, _minutes(second), f"{note}; the clock change skipped that time, read as {shown}")


def _offset_at(local: datetime, there: tzinfo, fold: int) -> timedelta:
    offset = local.replace(tzinfo=there, fold=fold).utcoffset()
    if offset is None:
        raise InvalidInput("The time zone has no offset at that time.", fix=_FIX)
    return offset


def _clock_change(before: datetime, after: datetime, there: tzinfo) -> datetime:
    """The first instant (to the second) with the offset of `after`, given one instant on each side; all UTC."""
    before, after = before.replace(microsecond=0), after.replace(microsecond=0)
    new_offset = after.astimezone(there).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle.astimezone(there).utcoffset() == new_offset:
            after = middle
        else:
            before = middle
    return after


def _minutes(offset: timedelta) -> int:
    return round(offset / timedelta(minutes=1))


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones()) - _OF_THE_HOST


def _zone(name: object) -> tzinfo:
    if name == "UTC":  # works without a time zone database, being the default
        return UTC
    if isinstance(name, str) and name in _zone_names():
        return ZoneInfo(name)
    raise InvalidInput(
        "The time zone is not a name of the IANA time zone database.",
        fix="Give a name such as Europe/Oslo, Asia/Kathmandu or UTC (case matters); where the system has no time zone "
        "database, pip install tzdata.",
    )
