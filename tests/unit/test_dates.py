from __future__ import annotations

import math
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_graph.retrieve.dates import DateRange, date_ranges, date_score

ASKED = datetime(2026, 1, 15, tzinfo=UTC)


def day(year: int, month: int, number: int) -> int:
    return (date(year, month, number) - date(1970, 1, 1)).days


def exact(year: int, month: int, number: int, *, every_year: bool = False) -> list[DateRange]:
    return [DateRange(day(year, month, number), day(year, month, number), 1.0, 7.0, every_year)]


def ranges(question: str) -> list[DateRange]:
    return date_ranges(question, ASKED)


OCTOBER_2023 = [
    DateRange(day(2023, 10, 1), day(2023, 10, 31), 1.0, 0.0),
    DateRange(day(2023, 11, 1), day(2023, 11, 10), 0.4, 0.0),
]
YEAR_2023 = [DateRange(day(2023, 1, 1), day(2023, 12, 31), 0.5, 0.0)]


@pytest.mark.parametrize(
    "question",
    [
        "What happened on 5 October 2023?", "on October 5, 2023", "on October 5th 2023", "on 5 October, 2023",
        "Oct 5, 2023", "Oct. 5th, 2023", "the 5th of October 2023", "October the 5th, 2023",
        "5 oct 2023", "2023-10-05", "2023/10/05", "2023-10-05T12:30:00Z", "OCTOBER 05 2023",
        "in 2023 on October 5", "the fifth: 5th  of  October  of 2023",
    ],
)
def test_a_day_with_its_year(question: str) -> None:
    assert ranges(question) == exact(2023, 10, 5)


@pytest.mark.parametrize("question", ["on Oct 5th", "5 October?", "October 5", "the 5th of Oct"])
def test_a_day_without_a_year_is_of_every_year(question: str) -> None:
    assert ranges(question) == exact(2000, 10, 5, every_year=True)


@pytest.mark.parametrize(
    "question",
    ["in October 2023", "October, 2023", "Oct 2023", "2023-10", "October of 2023", "in October in 2023"],
)
def test_a_month_with_its_year(question: str) -> None:
    assert ranges(question) == OCTOBER_2023


def test_a_month_without_a_year_is_of_every_year() -> None:
    assert ranges("What did she do in December?") == [
        DateRange(day(2000, 12, 1), day(2000, 12, 31), 1.0, 0.0, True),
        DateRange(day(2001, 1, 1), day(2001, 1, 10), 0.4, 0.0, True),
    ]


@pytest.mark.parametrize("question", ["Where was he in 2023?", "2023", "what of 2023, then"])
def test_a_year_alone(question: str) -> None:
    assert ranges(question) == YEAR_2023


@pytest.mark.parametrize(
    "question", ["in May?", "during March", "in may", "of May", "in Jan", "in Dec."]
)
def test_months_that_are_words_count_behind_a_preposition(question: str) -> None:
    assert [(one.weight, one.every_year) for one in ranges(question)] == [(1.0, True), (0.4, True)]


@pytest.mark.parametrize(
    "question",
    [
        "", "May I ask?", "may she come", "They march for peace", "What did Jan say?", "a mar on it", "marched in",
        "Mayor", "10 people", "page 12345", "20231 items", "12023", "in the augustine order", "decided", "12:30",
        "1850", "2023-13-45", "31 June 2023", "29 February 2023", "two days before the launch",
    ],
)
def test_what_is_no_date_is_not_read(question: str) -> None:
    assert ranges(question) == []


@pytest.mark.parametrize("question", ["May 5", "5 May", "the 5th of May", "march 5th"])
def test_months_that_are_words_count_next_to_a_day(question: str) -> None:
    assert [(one.weight, one.every_year) for one in ranges(question)] == [(1.0, True)]


def test_june_and_april_count_alone() -> None:
    assert len(ranges("What did she plan for June?")) == 2


def test_a_date_takes_the_year_named_elsewhere_in_the_question() -> None:
    assert ranges("on August 11 or on August 15 2023") == exact(2023, 8, 11) + exact(2023, 8, 15)


def test_a_stretch_counts_inside_and_its_ends_count_as_they_do_alone() -> None:
    assert ranges("between August 11 and August 15 2023") == [
        *exact(2023, 8, 11), *exact(2023, 8, 15), DateRange(day(2023, 8, 11), day(2023, 8, 15), 1.0, 7.0)]


def test_the_day_that_a_week_is_counted_from_counts_as_well() -> None:
    assert ranges("the week before August 3, 2023") == [
        *exact(2023, 8, 3), DateRange(day(2023, 7, 27), day(2023, 8, 2), 1.0, 7.0)]


def test_a_part_of_a_month_or_year_leaves_the_whole_its_weight() -> None:
    assert ranges("in mid-October 2023") == [*OCTOBER_2023, DateRange(day(2023, 10, 11), day(2023, 10, 20), 1.0, 7.0)]
    assert ranges("in summer 2023") == [*YEAR_2023, DateRange(day(2023, 6, 1), day(2023, 8, 31), 1.0, 23.0)]


def test_an_open_stretch_weighs_little_beside_its_date() -> None:
    assert ranges("since 5 October 2023") == [
        *exact(2023, 10, 5), DateRange(day(2023, 10, 5), day(9999, 12, 31), 0.25, 0.0)]
    assert ranges("by 2023") == [*YEAR_2023, DateRange(day(1, 1, 1), day(2023, 12, 31), 0.25, 0.0)]


def test_relative_dates_are_scored_as_what_they_mean() -> None:
    assert ranges("yesterday") == exact(2026, 1, 14)
    assert ranges("上周") == [DateRange(day(2026, 1, 5), day(2026, 1, 11), 1.0, 7.0)]
    assert ranges("last year") == [DateRange(day(2025, 1, 1), day(2025, 12, 31), 0.5, 0.0)]
    assert ranges("last month") == [
        DateRange(day(2025, 12, 1), day(2025, 12, 31), 1.0, 0.0),
        DateRange(day(2026, 1, 1), day(2026, 1, 10), 0.4, 0.0),
    ]


def test_both_readings_of_a_date_count() -> None:
    assert ranges("03/04/2023") == exact(2023, 4, 3) + exact(2023, 3, 4)


def test_a_leap_year_does_not_widen_a_day_without_a_year() -> None:
    assert ranges("on 28 February") == exact(2000, 2, 28, every_year=True)
    assert ranges("on 29 February") == exact(2000, 2, 29, every_year=True)


def test_a_date_takes_each_of_several_years() -> None:
    assert ranges("on 5 October of 2022 or 2023, and on 6 October") == [
        *exact(2022, 10, 5), *exact(2022, 10, 6), *exact(2023, 10, 6),
    ]


def test_a_repeated_date_counts_once() -> None:
    assert ranges("in 2023, yes, 2023") == YEAR_2023


def test_the_score_of_a_day_falls_with_distance() -> None:
    asked = ranges("on 5 October 2023")

    assert date_score(day(2023, 10, 5), asked) == 1.0
    assert date_score(day(2023, 10, 12), asked) == pytest.approx(math.exp(-1))
    assert date_score(day(2023, 9, 28), asked) == pytest.approx(math.exp(-1))


def test_a_month_scores_inside_and_shortly_after() -> None:
    asked = ranges("in October 2023")
    days = [(9, 30), (10, 1), (10, 31), (11, 1), (11, 10), (11, 11)]

    assert [date_score(day(2023, month, number), asked) for month, number in days] == [0.0, 1.0, 1.0, 0.4, 0.4, 0.0]
    assert date_score(day(2022, 10, 15), asked) == 0.0


def test_a_month_of_every_year_scores_in_any_year() -> None:
    december, february = ranges("in December"), ranges("in February")

    assert date_score(day(1999, 12, 31), december) == 1.0
    assert date_score(day(2024, 1, 10), december) == 0.4
    assert date_score(day(2024, 1, 11), december) == 0.0
    assert [date_score(day(2024, 2, 29), february), date_score(day(2023, 3, 1), february)] == [1.0, 0.4]


def test_a_day_of_every_year_is_matched_by_the_nearest_year() -> None:
    asked = ranges("on December 31")

    assert date_score(day(2024, 1, 7), asked) == pytest.approx(math.exp(-1))
    assert date_score(day(2023, 12, 31), asked) == 1.0
    assert date_score(day(2023, 2, 28), ranges("on 29 February")) == 1.0


def test_a_year_scores_half() -> None:
    assert date_score(day(2023, 5, 5), YEAR_2023) == 0.5
    assert date_score(day(2024, 1, 1), YEAR_2023) == 0.0


def test_the_best_range_counts_and_no_range_scores_nothing() -> None:
    assert date_score(day(2023, 10, 5), ranges("in 2022, or on 5 October 2023")) == 1.0
    assert date_score(day(2023, 10, 5), []) == 0.0


@pytest.mark.parametrize("asked_at", [datetime(2024, 6, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)])
def test_a_stretch_without_a_year_may_end_at_a_leap_day(asked_at: datetime) -> None:
    stretch = date_ranges("from 5 November to 28 February", asked_at)[-1]

    assert (stretch.every_year, date_score(day(2023, 1, 5), [stretch])) == (True, 1.0)


@given(st.text(max_size=60), st.dates())
def test_a_score_is_a_share(question: str, when: date) -> None:
    asked = ranges(question + " in May or on 29 Feb or in 2023-12")

    assert 0.0 <= date_score(day(when.year, when.month, when.day), asked) <= 1.0


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_every_date_is_read_in_every_form(when: date) -> None:
    forms = [when.isoformat(), f"{when:%B} {when.day}, {when.year}", f"{when.day} {when:%b} {when.year}"]

    assert [ranges(form) for form in forms] == [exact(when.year, when.month, when.day)] * 3


def test_a_long_question_is_read_in_linear_time() -> None:
    assert ranges("5 " * 20_000 + "on October 5 " + " " * 100_000 + "2023") == exact(2023, 10, 5)
