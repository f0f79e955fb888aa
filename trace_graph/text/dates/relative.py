"""English dates that count from the day of asking: yesterday, last Friday, next week, three days ago, the past year."""

from __future__ import annotations

from trace_graph.text.dates.days import civil, period, shifted, weekday
from trace_graph.text.dates.month_names import ENGLISH
from trace_graph.text.dates.number_words import UNITS, count_at, counted_units
from trace_graph.text.dates.values import Asked, Interval, Unit
from trace_graph.text.dates.words import Tokens, word_set
from trace_graph.text.dates.written import WEEKDAYS, Read, Resolved, mention, resolved, written_date

PARTS_OF_DAY = word_set("morning afternoon evening night noon lunchtime")
_OWNERS = word_set("the a an my his her their our your its s every each any whose")
_DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_SPOKEN_LEADS = word_set("on since until till by before after this last next past coming")
_NAMED_DAYS = word_set("black good ash cyber taco giving easter palm bloody whit shrove super throwback")
_NO_DAY_BEHIND = _OWNERS | _NAMED_DAYS | {"to", "through"}
_OPENING = word_set("before after since until till by")
"""A weekday behind these is read by the rule for open stretches."""

_HABITS = word_set("mornings afternoons evenings nights school to through")
_STRETCH_LEADS = word_set("in over during within for throughout from of")
_DIRECTIONS = {"last": -1, "this": 0, "next": 1}
_SHORT_WEEKDAYS = frozenset(name for name in WEEKDAYS if not name.endswith("day"))


def relative_date(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The longest of the dates that begin at a token."""
    rules = (_day_word, _weekday, _direction, _ago, _ahead, _stretch, _day_of_near_month)
    return max((read for rule in rules if (read := rule(words, at, asked))), key=lambda read: read[1], default=None)


def near(words: Tokens, at: int, end: int, unit: Unit, interval: Interval, *years: int) -> Read:
    """The mention of a stretch that follows from the day of asking."""
    return mention(words, at, end, unit, Resolved((interval,), "said", years))


def near_period(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Last week, this month, next year: the calendar's own, a week from Monday."""
    lead = words.word(at)
    past_or_coming = {"past": -1, "coming": 1}.get(words.word(at + 1)) if lead == "this" else None
    offset = past_or_coming if past_or_coming is not None else _DIRECTIONS.get(lead)
    place = at + 1 + (past_or_coming is not None)
    unit = UNITS.get(words.word(place))
    if offset is None or unit is None or unit == "day" or words.word(place).endswith("s"):
        return None
    found = period(unit, asked.today, offset)
    years = (civil(asked.today)[0] + offset,) if unit == "year" else ()
    return near(words, at, place + 1, unit, found, *years)


def weekday_near(words: Tokens, at: int, asked: Asked) -> Interval | None:
    """The latest day of that name before the day of asking, where a token names one."""
    number = _weekday_number(words, at)
    if number is None:
        return None
    day = asked.today - 1 - (weekday(asked.today - 1) - number) % 7
    return Interval(day, day + 1)


def _weekday_number(words: Tokens, at: int) -> int | None:
    name = words.word(at)
    return WEEKDAYS.get(name) if name not in _SHORT_WEEKDAYS or words[at].capital else None


def _day_word(words: Tokens, at: int, asked: Asked) -> Read | None:
    word, first = words.word(at), words.word(at + 1)
    if (word, first) == ("last", "night"):
        return near(words, at, at + 2, "day", period("day", asked.today, -1))
    if word == "this" and first in PARTS_OF_DAY:
        return near(words, at, at + 2, "day", period("day", asked.today))
    start = at + (word == "the")
    if words.word(start) == "day" and (words.word(start + 1), words.word(start + 2)) in (
            ("before", "yesterday"), ("after", "tomorrow")):
        offset = -2 if words.word(start + 1) == "before" else 2
        return near(words, at, start + 3, "day", period("day", asked.today, offset))
    if word not in _DAYS:
        return None
    end = at + 1 + (first in PARTS_OF_DAY)
    return near(words, at, end, "day", period("day", asked.today, _DAYS[word]))


def _weekday(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Monday, on Monday, last Monday: the latest before today. This Monday: this week's. Next Monday: next week's.

    Guess: people differ on what "next Friday" is on a Wednesday. A weekday with neither a preposition nor a word of
    direction counts at the end of a clause only: "the Sunday paper", "Monday.com".
    """
    lead = words.word(at)
    place = at + (lead in _SPOKEN_LEADS)
    if lead == "this" and words.word(place) in ("past", "coming"):
        lead, place = words.word(place), place + 1
    number = _weekday_number(words, place)
    if number is None or lead in _OPENING or written_date(words, place, asked):
        return None
    if words.word(at - 1) in (_NO_DAY_BEHIND if place == at else _OWNERS - {"the"}):
        return None
    end = place + 1 + (words.word(place + 1) in PARTS_OF_DAY)
    of_week = _of_near_week(words, end, asked, number)
    if of_week is not None:
        return near(words, at, of_week[1], "day", of_week[0])
    is_clear = place > at or (words[at].capital and words.clause_ends(end))
    if not is_clear or words.word(place + 1) in _HABITS:
        return None
    return near(words, at, end, "day", _weekday_day(lead, number, asked))


def _weekday_day(lead: str, number: int, asked: Asked) -> Interval:
    monday = asked.today - weekday(asked.today)
    if lead == "this":
        day = monday + number
    elif lead == "next":
        day = monday + 7 + number
    elif lead == "coming":
        day = asked.today + 1 + (number - weekday(asked.today + 1)) % 7
    else:
        day = asked.today - 1 - (weekday(asked.today - 1) - number) % 7
    return Interval(day, day + 1)


def _of_near_week(words: Tokens, at: int, asked: Asked, number: int) -> tuple[Interval, int] | None:
    """The week that is named behind a weekday: Tuesday last week, Tuesday of this week."""
    place = at + (words.word(at) == "of")
    offset = _DIRECTIONS.get(words.word(place))
    if offset is None or words.word(place + 1) != "week":
        return None
    day = asked.today - weekday(asked.today) + 7 * offset + number
    return Interval(day, day + 1), place + 2


def _direction(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Last week, last week on Tuesday, last May; not "the last week", "her last year", "last year of school"."""
    read = near_period(words, at, asked) or _near_month(words, at, asked)
    if read is None or words.word(at - 1) in _OWNERS:
        return None
    found, end = read
    if found.precision == "week":
        place = end + (words.word(end) == "on")
        number = _weekday_number(words, place)
        if number is not None and found.readings[0].first is not None:
            day = found.readings[0].first + number
            return near(words, at, place + 1, "day", Interval(day, day + 1))
    return None if words.word(end) == "of" else read


def _near_month(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Last May: the latest that is over. This May: this year's. Next May: the first that has not begun."""
    lead, name = words.word(at), words[at + 1]
    month = ENGLISH.get(name.text)
    if lead not in _DIRECTIONS or month is None:
        return None
    if name.text in ("march", "mar", "sep") and not name.capital:
        return None
    if lead == "this" and name.text == "may" and not name.capital:
        return None
    year, this_month, _ = civil(asked.today)
    if lead == "last":
        year -= month >= this_month
    elif lead == "next":
        year += month <= this_month
    found = resolved(asked, year, month)
    return mention(words, at, at + 2, "month", found)


def _ago(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Three weeks ago: the week that many before this one, Monday to Sunday. A few days ago: any of them."""
    weekdays = _weekdays_ago(words, at, asked)
    if weekdays is not None:
        return weekdays
    counted = counted_units(words, at)
    if counted is None or words.word(counted[3]) not in ("ago", "back") or words.word(at - 1) == "half":
        return None
    low, high, unit, place = counted
    first = period(unit, asked.today, -high).first
    end = period(unit, asked.today, -low).end
    years = (civil(asked.today)[0] - low,) if unit == "year" and low == high else ()
    return near(words, at, place + 1, unit, Interval(first, end), *years)


def _weekdays_ago(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Two Fridays ago."""
    count = count_at(words, at)
    if count is None or words.word(count[2] + 1) != "ago":
        return None
    number = WEEKDAYS.get(words.word(count[2]).removesuffix("s"))
    if number is None or count[0] != count[1]:
        return None
    day = asked.today - 1 - (weekday(asked.today - 1) - number) % 7 - 7 * (count[0] - 1)
    return near(words, at, count[2] + 2, "day", Interval(day, day + 1))


def _ahead(words: Tokens, at: int, asked: Asked) -> Read | None:
    """In three days; three days from now."""
    start = at + (words.word(at) == "in")
    counted = counted_units(words, start)
    if counted is None:
        return None
    low, high, unit, place = counted
    from_now = words.word(place) == "from" and words.word(place + 1) in ("now", "today")
    if not from_now and (start == at or words.word(start) in ("a", "an") or not words.clause_ends(place)):
        return None  # "in two weeks of work", "how much in a day" is how long it takes
    first = period(unit, asked.today, low).first
    end = period(unit, asked.today, high).end
    return near(words, at, place + 2 * from_now, unit, Interval(first, end))


def _stretch(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The last three days, over the past year: up to today and with it, counted in days from today."""
    lead = words.word(at)
    start = at + (lead in _STRETCH_LEADS)
    the = words.word(start) == "the"
    place = start + the
    way = {"last": -1, "past": -1, "next": 1}.get(words.word(place))
    if way is None or (at == start and words.word(at - 1) in _OWNERS):
        return None
    counted = counted_units(words, place + 1)
    if counted is None:
        unit = UNITS.get(words.word(place + 1))
        is_stretch = the and way < 0 and (start > at or words.word(place) == "past")
        if unit is None or not is_stretch:
            return None
        counted = (1, 1, unit, place + 2)
    _, high, unit, end = counted
    if words.word(end) in ("of", "ago") or unit == "weekend":
        return None
    if way < 0:
        found = Interval(shifted(asked.today, -high, unit) + (unit in ("day", "week")), asked.today + 1)
    else:
        found = Interval(asked.today + 1, shifted(asked.today, high, unit) + 1)
    return near(words, at, end, unit, found)


def _day_of_near_month(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The 3rd of last month; "on the 3rd", at the end of a clause, is the latest that has begun."""
    lead = words.word(at)
    start = at + (lead in ("on", "since", "until", "by", "before", "after"))
    token = words[start + 1]
    if words.word(start) != "the" or token.number is None or token.suffix not in ("st", "nd", "rd", "th"):
        return None
    year, month, today = civil(asked.today)
    end = start + 2
    offset = _DIRECTIONS.get(words.word(end + 1)) if words.word(end) == "of" else None
    if offset is not None and words.word(end + 2) == "month":
        end += 3
    elif start > at and lead == "on" and words.clause_ends(end):
        offset = 0 if token.number <= today else -1
    else:
        return None
    months = year * 12 + month - 1 + offset
    found = resolved(asked, months // 12, months % 12 + 1, token.number)
    return mention(words, at, end, "day", found._replace(years=()))
