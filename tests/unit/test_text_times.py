from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.errors import InvalidInput
from trace_graph.text.times import Moment, parse_time, utc_now, zone_name


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


@pytest.mark.parametrize(
    ("text", "instant", "offset"),
    [
        ("2024-03-01T10:00:00Z", utc(2024, 3, 1, 10), 0),
        ("2024-03-01t10:00:00z", utc(2024, 3, 1, 10), 0),
        ("2024-03-01 10:00:00+00:00", utc(2024, 3, 1, 10), 0),
        ("2024-03-01T11:00:00+02:00", utc(2024, 3, 1, 9), 120),
        ("2024-03-01T11:00+0200", utc(2024, 3, 1, 9), 120),
        ("2024-03-01T11:00:00 +02", utc(2024, 3, 1, 9), 120),
        ("2024-01-01T00:30:00-03:30", utc(2024, 1, 1, 4), -210),
        ("1969-12-31T23:59:59.5Z", utc(1969, 12, 31, 23, 59, 59, 500_000), 0),
        ("2024-01-01T00:00:00.999999Z", utc(2024, 1, 1, 0, 0, 0, 999_999), 0),
        ("2024-01-01T00:00:00,123456789Z", utc(2024, 1, 1, 0, 0, 0, 123_456), 0),
        (" 2024-02-29T00:00Z ", utc(2024, 2, 29), 0),
        ("0001-01-01T00:00Z", utc(1, 1, 1), 0),
        ("9999-12-31T23:59:59.999999Z", utc(9999, 12, 31, 23, 59, 59, 999_999), 0),
    ],
)
def test_a_time_with_an_offset_is_plain(text: str, instant: datetime, offset: int) -> None:
    assert parse_time(text, "Asia/Tokyo") == Moment(instant, offset, None)


@pytest.mark.parametrize(
    ("text", "zone", "instant", "offset"),
    [
        ("2024-03-01T10:00:00", "UTC", utc(2024, 3, 1, 10), 0),
        ("2024-03-01", "UTC", utc(2024, 3, 1), 0),
        ("2024-03-01", "Asia/Kathmandu", utc(2024, 2, 29, 18, 15), 345),
        ("2024-07-01 12:00", "Europe/Oslo", utc(2024, 7, 1, 10), 120),
    ],
)
def test_a_time_without_an_offset_is_read_in_the_zone(text: str, zone: str, instant: datetime, offset: int) -> None:
    assert parse_time(text, zone) == Moment(instant, offset, f"no offset given: read in {zone}")


@pytest.mark.parametrize(
    ("text", "zone", "instant", "offset", "shown"),
    [
        ("2024-03-31T02:30", "Europe/Oslo", utc(2024, 3, 31, 1), 120, "2024-03-31 03:00:00"),
        ("2024-03-31T02:00", "Europe/Oslo", utc(2024, 3, 31, 1), 120, "2024-03-31 03:00:00"),
        ("2024-03-31T02:59:59.9", "Europe/Oslo", utc(2024, 3, 31, 1), 120, "2024-03-31 03:00:00"),
        ("2024-09-08", "America/Santiago", utc(2024, 9, 8, 4), -180, "2024-09-08 01:00:00"),
        ("2024-04-26", "Africa/Cairo", utc(2024, 4, 25, 22), 180, "2024-04-26 01:00:00"),
        ("2011-12-30", "Pacific/Apia", utc(2011, 12, 30, 10), 840, "2011-12-31 00:00:00"),
        ("2024-10-06T02:15", "Australia/Lord_Howe", utc(2024, 10, 5, 15, 30), 660, "2024-10-06 02:30:00"),
    ],
)
def test_a_skipped_time_is_the_first_after_the_gap(
    text: str, zone: str, instant: datetime, offset: int, shown: str
) -> None:
    note = f"no offset given: read in {zone}; the clock change skipped that time, read as {shown}"

    assert parse_time(text, zone) == Moment(instant, offset, note)


def test_a_doubled_time_is_the_earlier() -> None:
    note = "no offset given: read in Europe/Oslo; that time came twice there, the earlier is meant"

    assert parse_time("2024-10-27T02:30", "Europe/Oslo") == Moment(utc(2024, 10, 27, 0, 30), 120, note)


@pytest.mark.parametrize(
    "text",
    [
        "2025-02-30", "2023-02-29", "2024-13-01", "2024-04-31T25:61:00", "2024-01-01T24:00", "2024-01-01T10:00:60Z",
        "null", "unknown", "2024", "2024-05", "03/04/2024", "", " ", "1709287200", "20240301", "2024-W09-5",
        "0000-01-01", "2024-01-01T10", "2024-01-01T10:00:00+25:00", "2024-01-01T10:00:00+01:60",
        "2024-01-01T10:00Z[Europe/Oslo]",
        "٢٠٢٤-٠١-٠١", "2024-1-1", "yesterday", "0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00",
        "2024-01-01T10:00Z\x00",
        "2024-01-01T00:00:00." + "1" * 10_000,
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_time(text, "UTC")

    assert "ISO 8601" in refused.value.fix


@pytest.mark.parametrize("value", [None, 1709287200, 1.5, True, date(2024, 3, 1), b"2024-03-01"])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="aware datetime or ISO 8601 text, not"):
        parse_time(value, "UTC")  # type: ignore[arg-type]


def test_a_naive_datetime_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without a time zone"):
        parse_time(datetime(2024, 3, 1, 10), "UTC")


def test_both_copies_of_a_doubled_hour_stay_apart_as_datetimes() -> None:
    oslo = ZoneInfo("Europe/Oslo")

    assert parse_time(datetime(2024, 10, 27, 2, 30, tzinfo=oslo), "UTC") == Moment(utc(2024, 10, 27, 0, 30), 120, None)
    assert parse_time(datetime(2024, 10, 27, 2, 30, tzinfo=oslo, fold=1), "UTC") == Moment(
        utc(2024, 10, 27, 1, 30), 60, None
    )


def test_an_impossible_offset_of_a_datetime_is_refused() -> None:
    with pytest.raises(InvalidInput, match="wider than 18 hours"):
        parse_time(datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=20))), "UTC")


@given(st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 28)), st.integers(-18 * 60, 18 * 60))
def test_an_aware_datetime_and_its_text_are_the_same_moment(naive: datetime, minutes: int) -> None:
    value = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    moment = parse_time(value, "UTC")

    assert moment == Moment(value.astimezone(UTC), minutes, None)
    assert parse_time(value.isoformat(), "Asia/Tokyo") == moment


@given(
    st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2037, 1, 1)),
    st.sampled_from(["Europe/Oslo", "America/Santiago", "Africa/Cairo", "Pacific/Apia", "Asia/Kathmandu", "UTC"]),
)
def test_a_local_time_is_never_read_as_an_earlier_one(naive: datetime, zone: str) -> None:
    shown = parse_time(naive.isoformat(), zone).instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)

    assert naive <= shown <= naive + timedelta(days=1)


@pytest.mark.parametrize("name", ["UTC", "Europe/Oslo", "Asia/Kathmandu", "Etc/GMT+5"])
def test_zones_of_the_iana_database_are_accepted(name: str) -> None:
    assert zone_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "", "Europe", "europe/oslo", "localtime", "../etc/passwd", "/etc/localtime", "Mars/Base", "UTC+1", "a\x00b",
        None, 3,
    ],
)
def test_other_zones_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="IANA"):
        zone_name(name)


def test_the_clock_is_in_utc() -> None:
    assert utc_now().tzinfo is UTC


def test_a_moment_is_also_told_on_the_clocks_of_where_it_was_said() -> None:
    local = parse_time("2024-05-15T23:30:00-07:00", "UTC").local

    assert (local.isoformat(), local) == ("2024-05-15T23:30:00-07:00", utc(2024, 5, 16, 6, 30))
