"""`read_dates`: the dates that a text names, in order of occurrence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from trace_graph.errors import InvalidInput
from trace_graph.text.dates.chinese import chinese_dates, joined
from trace_graph.text.dates.compound import compound_date, may_begin, simple_date
from trace_graph.text.dates.days import day_number, number_of
from trace_graph.text.dates.other_languages import other_dates
from trace_graph.text.dates.values import Asked, DateMention, Interval
from trace_graph.text.dates.words import NARROW, Tokens

_MOST_YEARS = 8
"""Years of one text that a date without a year may take, the first ones. Guess."""

_FIRST_DAY, _LAST_DAY = day_number(1), day_number(9999, 12, 31)


def read_dates(text: str, asked_at: datetime) -> list[DateMention]:
    """The dates that a text names, in order of occurrence; no two share a character.

    Days are those of the clock of `asked_at`, whose offset says in which zone the text was written: "yesterday" is the
    day before its local day. A week runs from Monday to Sunday, "last week" is the one before this one, "three weeks
    ago" the third before it; "the last three weeks" are the 21 days that end today. Seasons are the northern
    hemisphere's. A date without a year takes the years that other dates of the text name; where none does, it means
    every year, and its interval is the latest that has begun.

    In digits, 2023-10-05 and 2023/10/05 begin with the year, 5.10.2023 with the day; 03/04/2023 has two readings.
    A date that is in no calendar (2023-02-30) is not read, and neither are its parts.

    Raises:
        InvalidInput: a naive `asked_at`.
    """
    if asked_at.tzinfo is None or asked_at.utcoffset() is None:
        raise InvalidInput("The moment of asking has no time zone.", fix="Pass an aware datetime.")
    asked = Asked(number_of(asked_at.date()))
    tokens = Tokens(text)
    found = _mentions(tokens, asked)
    years = sorted({year for one in found for year in one.years})[:_MOST_YEARS]
    if years and any(one.year == "any" for one in found):
        found = _with_years(found, [_mentions(tokens, asked._replace(year=year)) for year in years])
    return found


def _mentions(tokens: Tokens, asked: Asked) -> list[DateMention]:
    text = tokens.text.translate(NARROW)
    found = _apart([*_of_words(tokens, asked), *chinese_dates(text, asked), *other_dates(text, asked)])
    return [one for one in joined(text, found) if one.event or (one.readings and all(map(_is_real, one.readings)))]


def _of_words(tokens: Tokens, asked: Asked) -> Iterator[DateMention]:
    """The longest date at each token, and from its end on."""
    place = 0
    while place < len(tokens):
        if not may_begin(tokens[place]):
            place += 1
            continue
        reads = (simple_date(tokens, place, asked), compound_date(tokens, place, asked))
        fitting = [read for read in reads if read and tokens.stands_alone(place, read[1])]
        found, end = max(fitting, key=lambda read: read[1], default=(None, place + 1))
        if found is not None:
            yield found
        place = end


def _apart(mentions: Iterable[DateMention]) -> list[DateMention]:
    """In order of occurrence; of two that overlap, the first, or the longer of two that begin together."""
    found: list[DateMention] = []
    for one in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def _is_real(interval: Interval) -> bool:
    """Whether it lies in the years 1 to 9999, and is a stretch at all."""
    first, end = interval
    if first is not None and end is not None and first >= end:
        return False
    assert _FIRST_DAY is not None and _LAST_DAY is not None
    return all(bound is None or _FIRST_DAY <= bound <= _LAST_DAY for bound in interval)


def _with_years(found: list[DateMention], of_years: list[list[DateMention]]) -> list[DateMention]:
    """The mentions with every year in the place of those that named none."""
    by_place = [{(one.start, one.end): one for one in mentions} for mentions in of_years]
    return [one if one.year != "any" else _lent(one, by_place) for one in found]


def _lent(one: DateMention, by_place: list[dict[tuple[int, int], DateMention]]) -> DateMention:
    versions = [there for mentions in by_place if (there := mentions.get((one.start, one.end)))]
    if not versions:
        return one
    readings = tuple(dict.fromkeys(reading for there in versions for reading in there.readings))
    anchors = tuple(dict.fromkeys(anchor for there in versions for anchor in there.anchors))
    return versions[0]._replace(readings=readings, anchors=anchors)
