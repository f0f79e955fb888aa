"""Dates in questions: what is read, as which days, and what is no date."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.date_phrases import CHINESE, ENGLISH, EVENTS, NO_DATES, OTHER
from trace_graph.errors import InvalidInput
from trace_graph.text.dates.days import civil, day_number, period, shifted
from trace_graph.text.dates.instants import instants
from trace_graph.text.dates.reading import read_dates
from trace_graph.text.dates.values import DateMention, Interval
from trace_graph.text.dates.words import word_set

ASKED = datetime(2024, 5, 15, 12, tzinfo=UTC)
EPOCH = date(1970, 1, 1)


def day(year: int, month: int, number: int) -> int:
    return (date(year, month, number) - EPOCH).days


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


def shown(mention: DateMention, text: str) -> str:
    """A mention in the notation of the tables."""
    if mention.event:
        return f"{mention.event.units} {mention.event.unit}, {text[mention.event.start:mention.event.end]}"
    readings = [f"{_day(one.first)}..{_day(one.end)}" for one in mention.readings]
    return " or ".join(readings) + (" any" if mention.year == "any" else "")


def _day(number: int | None) -> str:
    return "" if number is None else (EPOCH + timedelta(number)).isoformat()


def intervals(text: str, asked_at: datetime = ASKED) -> list[Interval | None]:
    return [one.interval for one in read_dates(text, asked_at)]


@pytest.mark.parametrize("line", [line for table in (ENGLISH, CHINESE, OTHER, EVENTS) for line in lines(table)])
def test_a_phrase_means_these_days_and_has_this_span(line: str) -> None:
    marked, _, wanted = line.partition(" => ")
    text = marked.replace("[", "").replace("]", "")
    span = (marked.index("["), marked.index("]") - 1)

    assert [(one.start, one.end, shown(one, text)) for one in read_dates(text, ASKED)] == [(*span, wanted)]


@pytest.mark.parametrize("text", ["", *lines(NO_DATES)])
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert read_dates(text, ASKED) == []


def test_the_tables_are_as_long_as_they_should_be() -> None:
    """A table that is cut by a typing error would pass."""
    assert (len(lines(ENGLISH)) >= 120, len(lines(CHINESE)) >= 50) == (True, True)


def test_a_mention_tells_precision_years_and_parts() -> None:
    text = "the week before August 3, 2023"
    anchor = DateMention(16, 30, "day", (Interval(day(2023, 8, 3), day(2023, 8, 4)),), "said", (2023,))

    assert read_dates(text, ASKED) == [DateMention(
        0, 30, "week", (Interval(day(2023, 7, 27), day(2023, 8, 3)),), "said", (2023,), (anchor,))]


@pytest.mark.parametrize(("text", "precision"), [
    ("yesterday", "day"), ("last weekend", "weekend"), ("上周", "week"), ("in May", "month"), ("last summer", "season"),
    ("Q3 2023", "quarter"), ("2023", "year"), ("the 1990s", "decade"), ("early May", "week"), ("early 2023", "month"),
    ("between May 3 and May 9", "day"), ("the last two weeks", "week"), ("since March", "month"),
])
def test_precision_is_the_unit_in_which_the_bounds_are_known(text: str, precision: str) -> None:
    assert [one.precision for one in read_dates(text, ASKED)] == [precision]


def test_a_date_takes_the_years_that_others_name() -> None:
    text = "on 5 October of 2022 or 2023, and on 6 October"

    assert [(one.year, one.readings) for one in read_dates(text, ASKED)] == [
        ("said", (Interval(day(2022, 10, 5), day(2022, 10, 6)),)),
        ("said", (Interval(day(2023, 1, 1), day(2024, 1, 1)),)),
        ("elsewhere", (Interval(day(2022, 10, 6), day(2022, 10, 7)), Interval(day(2023, 10, 6), day(2023, 10, 7)))),
    ]


def test_a_relative_year_is_lent_as_well() -> None:
    assert intervals("What did I do last year, on my trip in May?")[1] == Interval(day(2023, 5, 1), day(2023, 6, 1))
    assert intervals("去年我们在五月做了什么")[1] == Interval(day(2023, 5, 1), day(2023, 6, 1))


def test_a_leap_day_lent_to_a_year_without_it_is_no_reading() -> None:
    found = read_dates("on 29 February, in 2023 or 2024", ASKED)[0]

    assert found.readings == (Interval(day(2024, 2, 29), day(2024, 3, 1)),)


@pytest.mark.parametrize(("zone", "asked_at", "yesterday"), [
    ("Pacific/Auckland", datetime(2024, 5, 15, 23, 30), (2024, 5, 14)),
    ("America/Los_Angeles", datetime(2024, 5, 15, 23, 30), (2024, 5, 14)),
    ("Pacific/Auckland", datetime(2024, 5, 16, 0, 30), (2024, 5, 15)),
    ("America/Santiago", datetime(2024, 9, 8, 12), (2024, 9, 7)),  # midnight of that day does not exist there
    ("Africa/Cairo", datetime(2024, 4, 27, 0, 30), (2024, 4, 26)),
])
def test_yesterday_is_the_day_before_on_the_clock_of_the_one_who_asks(
    zone: str, asked_at: datetime, yesterday: tuple[int, int, int]
) -> None:
    local = asked_at.replace(tzinfo=ZoneInfo(zone))
    first = day(*yesterday)

    assert intervals("yesterday", local) == [Interval(first, first + 1)]
    assert intervals("昨天", local) == [Interval(first, first + 1)]


def test_one_instant_is_another_day_in_another_zone() -> None:
    instant = datetime(2024, 5, 15, 12, tzinfo=UTC)
    zones = [ZoneInfo(name) for name in ("Pacific/Auckland", "America/Los_Angeles")]

    days = [intervals("today", instant.astimezone(zone))[0] for zone in zones]

    assert days == [Interval(day(2024, 5, 16), day(2024, 5, 17)), Interval(day(2024, 5, 15), day(2024, 5, 16))]


@pytest.mark.parametrize(("asked_at", "week"), [
    (datetime(2024, 5, 13, tzinfo=UTC), (2024, 5, 6)),  # a Monday
    (datetime(2024, 5, 19, 23, tzinfo=UTC), (2024, 5, 6)),  # the Sunday of the same week
    (datetime(2024, 1, 3, tzinfo=UTC), (2023, 12, 25)),
])
def test_last_week_runs_from_monday_to_sunday(asked_at: datetime, week: tuple[int, int, int]) -> None:
    first = day(*week)

    assert intervals("last week", asked_at) == [Interval(first, first + 7)]


@pytest.mark.parametrize(("zone", "when", "first", "end"), [
    ("America/Santiago", (2024, 9, 8), "2024-09-08T04:00", "2024-09-09T03:00"),  # midnight is skipped
    ("America/Santiago", (2024, 4, 6), "2024-04-06T03:00", "2024-04-07T04:00"),  # 23:00 comes twice
    ("Africa/Cairo", (2024, 4, 26), "2024-04-25T22:00", "2024-04-26T21:00"),
    ("America/Havana", (2024, 11, 3), "2024-11-03T04:00", "2024-11-04T05:00"),  # midnight comes twice
    ("America/Toronto", (1919, 3, 31), "1919-03-31T04:30", "1919-04-01T04:00"),  # the gap begins before midnight
    ("Pacific/Apia", (2011, 12, 30), "2011-12-30T10:00", "2011-12-30T10:00"),  # the day was left out
    ("UTC", (2024, 5, 15), "2024-05-15T00:00", "2024-05-16T00:00"),
])
def test_a_day_begins_with_its_first_instant(zone: str, when: tuple[int, int, int], first: str, end: str) -> None:
    bounds = [datetime.fromisoformat(f"{bound}+00:00") for bound in (first, end)]

    assert list(instants(Interval(day(*when), day(*when) + 1), ZoneInfo(zone))) == bounds


def test_an_open_interval_has_no_instant_there() -> None:
    assert instants(Interval(None, 0), UTC) == (None, datetime(1970, 1, 1, tzinfo=UTC))
    assert instants(Interval(0, None), UTC) == (datetime(1970, 1, 1, tzinfo=UTC), None)


def test_a_naive_moment_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no time zone"):
        read_dates("yesterday", datetime(2024, 5, 15))


PIECES = st.sampled_from(sorted(word_set("""
the a in on last next this before after since between and to from week weeks day days month year weekend ago May march
2023 2024 3 15 5th 31 first two few couple of , - / . early mid late summer winter Monday Friday Q3 1990s 上 下 周 三
月 五 号 年 天 前 后 到 以来 2023年 十 個 昨天 octubre de 5. hier 03/04/2024 2023-02-30 2023-10-05 ' 年代 9999 launch
""")))


@given(st.one_of(
    st.text(max_size=80), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=14).map("".join)),
    st.datetimes(timezones=st.just(UTC)))
def test_any_text_gives_mentions_in_order_that_lie_in_it(text: str, asked_at: datetime) -> None:
    found = read_dates(text, asked_at)
    bounds = [bound for one in found for bound in (one.start, one.end)]

    assert bounds == sorted(bounds)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(reading.first is None or reading.end is None or reading.first < reading.end
               for one in found for reading in one.readings)
    assert all(bool(one.readings) != bool(one.event) for one in found)
    assert all(reading != (None, None) for one in found for reading in one.readings)


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_every_day_is_read_in_every_form(when: date) -> None:
    first = (when - EPOCH).days
    forms = [when.isoformat(), f"{when:%B} {when.day}, {when.year}", f"{when.day} {when:%b} {when.year}",
             f"{when.day}.{when.month}.{when.year}", f"{when.year}年{when.month}月{when.day}日",
             f"{when.year}년 {when.month}월 {when.day}일"]

    assert [intervals(form) for form in forms] == [[Interval(first, first + 1)]] * len(forms)


@given(st.integers(1, 31), st.integers(1, 12), st.integers(1900, 2099))
def test_what_the_calendar_has_not_is_no_date(number: int, month: int, year: int) -> None:
    try:
        wanted = [Interval(day(year, month, number), day(year, month, number) + 1)]
    except ValueError:
        wanted = []

    assert intervals(f"{year}-{month:02}-{number:02}") == wanted


@given(st.dates(), st.integers(-500, 500))
def test_days_are_those_of_the_calendar(when: date, count: int) -> None:
    number = (when - EPOCH).days

    assert (civil(number), day_number(*civil(number))) == ((when.year, when.month, when.day), number)
    week = period("week", number, count)
    assert week.first is not None and (week.first + 3) % 7 == 0 and week.first <= number + 7 * count < week.first + 7
    assert abs(shifted(number, count, "month") - number - count * 30.44) < 40


@pytest.mark.parametrize("piece", [
    "1", " ", "5 ", "in ", "May ", "5 May ", "2023-", "last ", "the ", "二十", "上周", "年",
    "between May 3 and ", "三月到", "a few ", "e\u0301", "'", "2023-10-05", "early the ", "天前",
])
def test_reading_takes_time_in_proportion_to_the_length(piece: str) -> None:
    """A ratio within one run: four times the text takes about four times as long, never sixteen."""
    short, long = (piece * (size // len(piece)) for size in (4_000, 16_000))
    fewest = min(_seconds(long) / _seconds(short) for _ in range(3))

    assert fewest < 12


def _seconds(text: str) -> float:
    begun = time.perf_counter()
    read_dates(text, ASKED)
    return time.perf_counter() - begun
