"""Dates that are written out: 2023-10-05, 5 October 2023, May 3rd, der 5. Mai, octubre de 2023, 2023."""

from __future__ import annotations

from typing import NamedTuple

from trace_graph.text.dates.days import calendar_month, calendar_years, civil, day_number
from trace_graph.text.dates.month_names import (
    ALSO_WORDS,
    ENGLISH,
    MONTHS,
    OTHER,
    OTHER_PREPOSITIONS,
    PREPOSITIONS,
    SHORT,
)
from trace_graph.text.dates.number_words import ORDINALS
from trace_graph.text.dates.values import Asked, DateMention, Interval, Unit, YearFrom
from trace_graph.text.dates.words import Tokens, word_set

Read = tuple[DateMention, int]
"""What a rule read, and the place of the first token behind it. Without readings: no date, and no part of it is one."""

FIRST_YEAR, LAST_YEAR = 1900, 2099
"""Four digits outside of these are a number."""

WEEKDAYS = {name: number for number, names in enumerate((
    "monday mon", "tuesday tue tues", "wednesday wed", "thursday thu thur thurs", "friday fri", "saturday sat",
    "sunday sun",
)) for name in names.split()}

_SUFFIXES = frozenset(["", "st", "nd", "rd", "th", "er", "o", "a", "e", "ste", "de", "го"])
_YEAR_SUFFIXES = frozenset(["", "г"])
_OF = frozenset(["of", "de", "del", "di", "da", "do", "van", "des"])
_VERBS_OR_PROTESTS = frozenset(["may", "march", "mar"])
_NUMBERED = word_set("""
page pages room number no nr version release chapter line flight building code pin id item ticket issue error port model
bus route highway article section paragraph step order suite apartment locker rfc iso channel part volume figure table
about over under than exactly only nearly almost
""")
"""What a number of four digits is no year behind."""

_COUNTED = word_set("""
people persons dollars euros pounds yen bucks steps calories kcal miles km kilometers kilometres meters metres feet
points words times copies followers views members guests votes users pages items rows messages lines tokens requests
hours minutes seconds days weeks months years kg grams ml watts rpm mb gb percent usd eur gbp pieces players students
others
""")
"""What a number of four digits is no year before."""

_AFTER_A_MODAL = word_set("i you he she we they it be not have also well need")
_NOT_BEFORE_IN = frozenset(["mayo", "mars", "marca"])
"""English words: chicken in mayo."""


class Resolved(NamedTuple):
    """The days of a date, and where its year came from."""

    readings: tuple[Interval, ...]
    year: YearFrom
    years: tuple[int, ...]


def written_date(words: Tokens, at: int, asked: Asked, *, named: bool = False) -> Read | None:
    """The date that begins at a token. `named`: what stands before tells that a month is meant, may and march too."""
    if words[at].written:
        return _in_digits(words, at)
    if words.word(at) in WEEKDAYS:
        return _behind_weekday(words, at, asked)
    return (
        _day_first(words, at, asked) or _month_first(words, at, asked) or _month(words, at, asked, named=named)
        or _year(words, at, named=named)
    )


def resolved(asked: Asked, year: int | None, month: int, day: int | None = None) -> Resolved:
    """The days of a date; one without a year is that of `asked`, or the latest that has begun."""
    if year is not None:
        return Resolved(_real(year, month, day), "said", (year,))
    if asked.year is not None:
        return Resolved(_real(asked.year, month, day), "elsewhere", ())
    this_year = civil(asked.today)[0]
    for candidate in range(this_year, this_year - 9, -1):  # 29 February may be eight years apart, as in 1896 and 1904
        for found in _real(candidate, month, day):
            if found.first is not None and found.first <= asked.today:
                return Resolved((found,), "any", ())
    return Resolved((), "any", ())


def mention(words: Tokens, at: int, end: int, precision: Unit, found: Resolved) -> Read:
    """The mention that tokens `at` to `end` are."""
    return DateMention(words[at].start, words[end - 1].end, precision, *found), end


def year_at(words: Tokens, at: int) -> int | None:
    """The year that a token is."""
    token = words[at]
    if token.number is None or token.digits != 4 or token.suffix not in _YEAR_SUFFIXES:
        return None
    return token.number if FIRST_YEAR <= token.number <= LAST_YEAR else None


def year_behind(words: Tokens, at: int, asked: Asked) -> tuple[int | None, int]:
    """The year that follows a month or a season ("2023", ", 2023", "of last year"), and the place behind it."""
    place = past(words, at, ".,-/")
    if words.word(place) in _OF or (place == at and words.word(place) == "in"):
        place += 1
    if (year := year_at(words, place)) is not None:
        return year, place + 1
    place = at + (words.word(at) in ("of", "in"))
    offset = {"last": -1, "this": 0, "next": 1}.get(words.word(place))
    if offset is not None and words.word(place + 1) == "year":
        return civil(asked.today)[0] + offset, place + 2
    return None, at


def day_of_month(words: Tokens, at: int) -> tuple[int, int] | None:
    """The day that a token or two are ("5", "5th", "twenty-first"), and the place behind it."""
    token = words[at]
    if token.number is not None and token.digits <= 2 and token.suffix in _SUFFIXES:
        return token.number, at + 1
    return ordinal(words, at)


def ordinal(words: Tokens, at: int) -> tuple[int, int] | None:
    """An ordinal word to thirty-first, and the place behind it."""
    if words.word(at) in ("twenty", "thirty"):
        place = past(words, at + 1, "-")
        low = ORDINALS.get(words.word(place))
        tens = 20 if words.word(at) == "twenty" else 30
        return (tens + low, place + 1) if low is not None and low < 10 else None
    number = ORDINALS.get(words.word(at))
    return (number, at + 1) if number is not None else None


def past(words: Tokens, at: int, marks: str) -> int:
    """The place behind one of these marks, where one stands here."""
    return at + 1 if words.word(at) and words.word(at) in marks else at


def month_at(words: Tokens, at: int) -> int | None:
    """The month that a token names, in any language."""
    return MONTHS.get(words.word(at))


def _real(year: int, month: int, day: int | None) -> tuple[Interval, ...]:
    if day is None:
        return (calendar_month(year, month),) if 1 <= month <= 12 else ()
    first = day_number(year, month, day)
    return (Interval(first, first + 1),) if first is not None else ()


def _in_digits(words: Tokens, at: int) -> Read:
    written = words[at].written
    assert written is not None
    readings = tuple(one for found in written.readings for one in _real(*_as_numbers(found)))
    years = (written.readings[0][0],) if readings else ()
    precision: Unit = "day" if written.readings[0][2] is not None else "month"
    return mention(words, at, at + 1, precision, Resolved(readings, "said", years))


def _as_numbers(found: tuple[int, int | None, int | None]) -> tuple[int, int, int | None]:
    year, month, day = found
    return year, month or 0, day


def _behind_weekday(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Tuesday, 5 March 2024: the weekday adds nothing."""
    place = past(words, past(words, at + 1, "."), ",")
    place += words.word(place) == "the"
    read = _day_first(words, place, asked) or _month_first(words, place, asked)
    if read is None or read[0].precision != "day":
        return None
    return read[0]._replace(start=words[at].start), read[1]


def _day_first(words: Tokens, at: int, asked: Asked) -> Read | None:
    found = day_of_month(words, at)
    if found is None:
        return None
    day, place = found
    bare = words[at].number is not None and not words[at].suffix
    separated = past(words, place, ".-/")
    joined = separated + (words.word(separated) in _OF)
    month = month_at(words, joined)
    if month is None or (words[at].number is None and joined == separated):
        return None
    name = words.word(joined)
    year, end = year_behind(words, joined + 1, asked)
    if name in SHORT and year is None:
        return None
    if name in _VERBS_OR_PROTESTS and bare and year is None and joined == place and not _clear(words, at, joined):
        return None
    if name in _VERBS_OR_PROTESTS and words.word(place) == ".":
        return None
    return mention(words, at, end, "day", resolved(asked, year, month, day))


def _clear(words: Tokens, at: int, month: int) -> bool:
    """Whether "5 may" is meant as a date: written as a name, behind a preposition, or at the end of a clause."""
    return words[month].capital or words.word(at - 1) in PREPOSITIONS or words.clause_ends(month + 1)


def _month_first(words: Tokens, at: int, asked: Asked) -> Read | None:
    month = month_at(words, at)
    if month is None or words.word(at) in SHORT:
        return None
    place = past(words, at + 1, ".-/")
    the = words.word(place) == "the"
    found = day_of_month(words, place + the)
    if found is None or (words.word(place) in ("first", "second", "third") and not the):
        return None
    day, end = found
    if words.word(end) == ":" and words[end].glued and words[end + 1].glued:  # a time of day
        return None
    bare = words[place].number is not None and not words[place].suffix
    year, end = year_behind(words, end, asked)
    if words.word(at) in _VERBS_OR_PROTESTS and bare and year is None and not _clear_behind(words, at, end):
        return None
    if words.word(at) in OTHER and words.word(at) in ("mars", "mai", "mei", "mayo") and year is None:
        return None
    return mention(words, at, end, "day", resolved(asked, year, month, day))


def _clear_behind(words: Tokens, at: int, end: int) -> bool:
    return words[at].capital or words.word(at - 1) in PREPOSITIONS or words.clause_ends(end)


def _month(words: Tokens, at: int, asked: Asked, *, named: bool) -> Read | None:
    month = month_at(words, at)
    if month is None:
        return None
    name = words.word(at)
    year, end = year_behind(words, at + 1, asked)
    if name in SHORT or (name in _NOT_BEFORE_IN and words[at].capital and (named or year is not None)):
        return None
    if year is None and not named and not _is_month(words, at):
        return None
    return mention(words, at, end, "month", resolved(asked, year, month))


def _is_month(words: Tokens, at: int) -> bool:
    """Whether a month's name without day and year is meant as one."""
    name = words.word(at)
    place = at - 1
    if words.word(place) in ("-", ","):
        place -= 1
    before = words.word(place)
    if name not in ENGLISH:
        is_a_word = name in _NOT_BEFORE_IN and (before == "in" or words[at].capital)
        return before in OTHER_PREPOSITIONS and not is_a_word and words.word(place - 1) != "rio"
    if name not in ALSO_WORDS:
        return True
    if not words[at].capital and name == "may" and words.word(at + 1) in _AFTER_A_MODAL:
        return False
    return before in PREPOSITIONS or before in OTHER_PREPOSITIONS - {"a", "de"} or year_at(words, place) is not None


def _year(words: Tokens, at: int, *, named: bool) -> Read | None:
    year = year_at(words, at)
    if year is None:
        return None
    if not named and words[at - 1].number is not None and words[at - 1].text != ",":
        return None
    if words[at + 1].number is not None or words.word(at + 1) in _COUNTED:
        return None
    before = words.word(at - 1 - (words.word(at - 1) in (".", ":", "#")))
    if before in _NUMBERED or _glued_to_letters(words, at + 1):
        return None
    return mention(words, at, at + 1, "year", Resolved((calendar_years(year),), "said", (year,)))


def _glued_to_letters(words: Tokens, at: int) -> bool:
    """Whether a letter of a script without spaces follows at once; the rules of that script read it."""
    return words[at].glued and not words[at].is_word and words.word(at).isalpha()
