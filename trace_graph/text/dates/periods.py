"""English names of longer stretches and of parts: summer 2022, Q3 2024, the 1990s, early May, the last week of May."""

from __future__ import annotations

import re
from typing import get_args

from trace_graph.text.dates.days import (
    AUTUMN,
    SPRING,
    SUMMER,
    WINTER,
    Part,
    calendar_years,
    civil,
    part_of,
    period,
    season,
    shifted,
    weekday,
)
from trace_graph.text.dates.number_words import UNITS, count_at
from trace_graph.text.dates.relative import near, near_period
from trace_graph.text.dates.values import Asked, Interval, Unit
from trace_graph.text.dates.words import Tokens, word_set
from trace_graph.text.dates.written import (
    WEEKDAYS,
    Read,
    Resolved,
    mention,
    ordinal,
    written_date,
    year_behind,
)

SEASONS = {"spring": SPRING, "summer": SUMMER, "autumn": AUTUMN, "fall": AUTUMN, "winter": WINTER}

_SEASON_LEADS = word_set("in during throughout")
_BEHIND_A_SEASON = word_set("""
and or when with for at to but if on while as did do does was were is are i we you he she they holiday holidays vacation
break months
""")
_PARTS: dict[str, Part] = {
    "early": "early", "beginning": "early", "start": "early", "mid": "mid", "middle": "mid", "late": "late",
    "end": "late",
}
_DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90,
}
_QUARTER = re.compile(r"q([1-4])")
_SIZES: list[Unit] = ["day", "weekend", "week", "month", "season", "quarter", "year", "decade"]
_PART_PRECISION: dict[Unit, Unit] = {"month": "week", "week": "day", "decade": "year"}


def period_date(words: Tokens, at: int, asked: Asked, *, named: bool = False) -> Read | None:
    """The longest season, quarter, decade, or part of a month or of a longer stretch, that begins at a token.

    `named`: what stands before tells that a season is meant.
    """
    found = [rule(words, at, asked) for rule in (_part, _half, _counted_part, _quarter, _decade)]
    found.append(_season(words, at, asked, named=named))
    return max((read for read in found if read), key=lambda read: read[1], default=None)


def _whole(words: Tokens, at: int, asked: Asked) -> Read | None:
    """A stretch that has parts: a month, a season, a quarter, a year, a decade."""
    place = at + (words.word(at) in ("in", "of", "on"))
    place += words.word(place) == "the"
    found = (
        _season(words, place, asked, named=True) or _quarter(words, place, asked) or _decade(words, place, asked)
        or near_period(words, place, asked) or written_date(words, place, asked, named=True)
    )
    return found if found is not None and found[0].precision not in ("day", "weekend") else None


def _part(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Early May, mid-2023, the end of last month."""
    start = at + (words.word(at) == "the")
    name = words.word(start)
    part = _PARTS.get(name)
    if part is None:
        return None
    place = start + 1 + (words.word(start + 1) == "-")
    spelled = name in ("beginning", "start", "middle", "end")
    if spelled and words.word(place) != "of":
        return None
    return _made_of(words, at, _whole(words, place, asked), part)


def _half(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The first half of September."""
    start = at + (words.word(at) == "the")
    name = f"{words.word(start)} {words.word(start + 1)}"
    part = next((one for one in get_args(Part) if one == name and one.endswith("half")), None)
    if part is None or words.word(start + 2) != "of":
        return None
    return _made_of(words, at, _whole(words, start + 2, asked), part)


def _made_of(words: Tokens, at: int, whole: Read | None, part: Part) -> Read | None:
    if whole is None:
        return None
    found = whole[0]
    readings = tuple(part_of(one, part) for one in found.readings)
    return _within(words, at, whole, _PART_PRECISION.get(found.precision, "month"), readings)


def _within(words: Tokens, at: int, whole: Read, precision: Unit, readings: tuple[Interval, ...]) -> Read:
    of_whole, end = whole
    made, _ = mention(words, at, end, precision, Resolved(readings, of_whole.year, of_whole.years))
    return made._replace(anchors=(of_whole,)), end


def _counted_part(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The second week of May, the last two weeks of August, the first Monday in March, the last day of 2023."""
    start = at + (words.word(at) == "the")
    is_last = words.word(start) == "last"
    number = (0, start + 1) if is_last else ordinal(words, start)
    if number is None:
        return None
    which, place = number
    count = count_at(words, place) if which in (0, 1) else None
    many, place = (count[1], count[2]) if count is not None else (1, place)
    name = words.word(place)
    unit = UNITS.get(name)
    if words.word(place + 1) not in ("of", "in") or (unit is None and (name not in WEEKDAYS or many > 1)):
        return None
    whole = _whole(words, place + 1, asked)
    if whole is None or _SIZES.index(unit or "day") >= _SIZES.index(whole[0].precision):
        return None
    readings = tuple(
        cut for one in whole[0].readings
        if (cut := _cut(one, which, many, unit or "day", WEEKDAYS.get(name) if unit is None else None)) is not None)
    return _within(words, at, whole, unit or "day", readings)


def _cut(whole: Interval, which: int, many: int, unit: Unit, of_name: int | None) -> Interval | None:
    """The units from the which-th of a stretch (0: the last ones); weeks are seven days."""
    first, end = whole
    assert first is not None and end is not None
    if of_name is not None or unit == "weekend":
        number = 5 if of_name is None else of_name
        size = 2 if of_name is None else 1
        day = (first + (number - weekday(first)) % 7 + 7 * (which - 1) if which
               else end - 1 - (weekday(end - 1) - number) % 7)
        return Interval(day, day + size) if day < end else None
    if which == 0:
        found = Interval(max(first, shifted(end, -many, unit)), end)
    else:
        found = Interval(shifted(first, which - 1, unit), min(end, shifted(first, which - 1 + many, unit)))
    assert found.first is not None and found.end is not None
    return found if found.first < found.end else None


def _season(words: Tokens, at: int, asked: Asked, *, named: bool = False) -> Read | None:
    """Summer 2022, last winter, in the fall; a season alone only behind a preposition, every year's."""
    led = words.word(at) in _SEASON_LEADS
    start = at + led
    start += (led or named) and words.word(start) == "the"
    begins = SEASONS.get(words.word(start))
    if begins is None:
        return _near_season(words, at, asked)
    year, end = year_behind(words, start + 1, asked)
    if year is not None:
        found, _ = mention(words, at, end, "season", Resolved(_seasons(year, begins), "said", (year,)))
        whole, _ = mention(words, at, end, "year", Resolved((calendar_years(year),), "said", (year,)))
        return found._replace(anchors=(whole,)), end
    if not (led or named) or not (words.clause_ends(end) or words.word(end) in _BEHIND_A_SEASON):
        return None
    return mention(words, at, end, "season", _season_without_year(asked, begins))


def _seasons(year: int, begins: int) -> tuple[Interval, ...]:
    """Winter 2022 may have begun or ended in 2022."""
    return (season(year - 1, begins), season(year, begins)) if begins == WINTER else (season(year, begins),)


def _season_without_year(asked: Asked, begins: int) -> Resolved:
    if asked.year is not None:
        return Resolved(_seasons(asked.year, begins), "elsewhere", ())
    year, month, _ = civil(asked.today)
    return Resolved((season(year - (begins > month), begins),), "any", ())


def _near_season(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Last summer: the latest that is over. This summer: this year's. Next summer: the first that has not begun."""
    past = words.word(at) == "this" and words.word(at + 1) == "past"
    lead = "last" if past else words.word(at)
    place = at + 1 + past
    begins = SEASONS.get(words.word(place))
    if begins is None or lead not in ("last", "this", "next") or words.word(at - 1) in ("the", "her", "his", "my"):
        return None
    year = civil(asked.today)[0]
    if lead == "this":
        # In January and February this winter is the one that began last year.
        running = season(year - 1, begins)
        year -= running.end is not None and asked.today < running.end
        return near(words, at, place + 1, "season", season(year, begins))
    around = [season(one, begins) for one in range(year - 2, year + 2)]
    if lead == "last":
        found = max(one for one in around if one.end is not None and one.end <= asked.today)
    else:
        found = min(one for one in around if one.first is not None and one.first > asked.today)
    return near(words, at, place + 1, "season", found)


def _quarter(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Q3 2024, the third quarter of 2024; without a year only "in Q3"."""
    led = words.word(at) in ("in", "during")
    start = at + led
    short = _QUARTER.fullmatch(words.word(start))
    if short:
        number, place = int(short[1]), start + 1
    else:
        start += words.word(start) == "the"
        found = ordinal(words, start)
        if found is None or words.word(found[1]) != "quarter" or not 1 <= found[0] <= 4:
            return None
        number, place = found[0], found[1] + 1
    year, end = year_behind(words, place, asked)
    if year is None:
        if not short or not led or asked.year is not None:
            return None
        this_year = civil(asked.today)[0]
        first = _quarter_of(this_year, number).first
        year = this_year - (first is not None and first > asked.today)
        return near(words, at, end, "quarter", _quarter_of(year, number))
    return mention(words, at, end, "quarter", Resolved((_quarter_of(year, number),), "said", (year,)))


def _quarter_of(year: int, number: int) -> Interval:
    first = calendar_years(year).first
    assert first is not None
    return period("quarter", first, number - 1)


def _decade(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The 1990s, the '90s, the nineties."""
    token = words[at]
    if token.number is not None and token.suffix == "s" and token.digits == 4 and token.number % 10 == 0:
        year, end = token.number, at + 1
        return near(words, at, end, "decade", calendar_years(year, 10)) if 1900 <= year <= 2090 else None
    if words.word(at) != "the":
        return None
    place = at + 1 + (words.word(at + 1) in ("'", "’", "‘"))
    token = words[place]
    short = token.number if token.digits == 2 and token.suffix == "s" else _DECADES.get(token.text)
    if short is None or short % 10 or (place == at + 1 and short < 20) or words.word(place + 1) in ("when", "f", "°"):
        return None
    this_year = civil(asked.today)[0]
    year = max(century + short for century in (1900, 2000) if century + short <= max(this_year, 1990))
    return near(words, at, place + 1, "decade", calendar_years(year, 10))
