"""English dates made of dates: between two, before or since one, the week before one; days before an event."""

from __future__ import annotations

from collections.abc import Callable

from trace_graph.text.dates.days import calendar_years, civil, period, shifted, weekday
from trace_graph.text.dates.month_names import MONTHS
from trace_graph.text.dates.number_words import NUMBERS, ORDINALS, UNITS, counted_units
from trace_graph.text.dates.periods import SEASONS, period_date
from trace_graph.text.dates.relative import near_period, relative_date, weekday_near
from trace_graph.text.dates.values import Asked, DateMention, Event, Interval, Unit, YearFrom
from trace_graph.text.dates.words import Token, Tokens, word_set
from trace_graph.text.dates.written import (
    WEEKDAYS,
    Read,
    Resolved,
    day_of_month,
    mention,
    month_at,
    past,
    resolved,
    written_date,
    year_at,
    year_behind,
)

_BRIDGES = frozenset(["to", "until", "till", "through", "thru", "-", "–", "—"])
_SIDES = {"before": -1, "prior": -1, "after": 1, "following": 1, "of": 0}
_OPEN = word_set("before after since until till by")
_FIRST_WORDS = word_set("""
the a an in on from between before after since until till by prior during throughout over within for of this last next
past coming today tonight yesterday tomorrow early beginning start mid middle late end half couple few several day night
morning evening q1 q2 q3 q4
""") | MONTHS.keys() | WEEKDAYS.keys() | SEASONS.keys() | UNITS.keys() | NUMBERS.keys() | ORDINALS.keys()
_LONGEST_EVENT = 6
"""Words of an event that are kept: "two days before the launch of the new boat". Guess."""

_ENDS_AN_EVENT = word_set("""
and or but what when where who whom which why how did does do was were is are that because so if then while with in on
at
""")


def may_begin(token: Token) -> bool:
    """Whether a date can begin with this token; nine words in ten are passed over by it."""
    return token.number is not None or token.written is not None or token.text in _FIRST_WORDS


def simple_date(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The longest date at a token that is not made of others."""
    found = (written_date(words, at, asked), relative_date(words, at, asked), period_date(words, at, asked))
    return max((read for read in found if read), key=lambda read: read[1], default=None)


def compound_date(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The longest date at a token that is made of others, or that counts from an event."""
    rules: tuple[Callable[[Tokens, int, Asked], Read | None], ...] = (
        _days_of_month, _years, _stretch, _beside, _before_last, _open)
    return max((read for rule in rules if (read := rule(words, at, asked))), key=lambda read: read[1], default=None)


def _point(words: Tokens, at: int, asked: Asked) -> Read | None:
    """A date inside a longer one, where even "may" and "fall" can only be dates."""
    place = at + (words.word(at) == "the" and day_of_month(words, at + 1) is not None)
    named = written_date(words, place, asked, named=True)
    others = relative_date(words, at, asked), period_date(words, at, asked, named=True)
    found = [read for read in (named, *others) if read]
    if not found and (day := weekday_near(words, at, asked)) is not None:
        return mention(words, at, at + 1, "day", Resolved((day,), "said", ()))
    return max(found, key=lambda read: read[1], default=None)


def _joined(words: Tokens, at: int, end: int, first: DateMention, last: DateMention) -> Read | None:
    """From the beginning of one date to the end of another, which comes later; one reading, or none."""
    left, right = first.interval, last.interval
    if left is None or right is None or left.first is None or right.end is None:
        return None
    if right.first is None or left.first >= right.end or left.first > right.first:
        return None
    year: YearFrom = "any" if "any" in (first.year, last.year) else first.year
    years = tuple(sorted({*first.years, *last.years}))
    whole, _ = mention(words, at, end, last.precision, Resolved((Interval(left.first, right.end),), year, years))
    return whole._replace(anchors=(first, last)), end


def _stretch(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Between May 3 and May 9, from March to June 2023, March-June 2023."""
    lead = words.word(at)
    start = at + (lead in ("between", "from"))
    first = _point(words, start, asked)
    if first is None or (words.word(start) in WEEKDAYS and first[1] == start + 1):
        return None
    bridge = first[1]
    is_bridge = words.word(bridge) == "and" if lead == "between" else words.word(bridge) in _BRIDGES
    if not is_bridge or (lead not in ("between", "from") and first[0].precision in ("week", "weekend")):
        return None
    last = _point(words, bridge + 1, asked)
    if last is None:
        return None
    # A year behind the second date holds for the first as well; of two without, the second is the next after the first.
    begun, ended = first[0], last[0]
    pairs = [(begun, ended)]
    if begun.year != "said" and ended.years:
        pairs = [(one, ended) for one in _in_years(words, start, asked, ended.years[0], -1)]
    elif begun.readings and ended.year != "said" and (begun.years or begun.year == ended.year == "any"):
        year = civil(begun.readings[0].first or 0)[0]
        pairs = [(begun, one._replace(year=begun.year)) for one in _in_years(words, bridge + 1, asked, year, 1)]
    reads = (_joined(words, at, last[1], left, right) for left, right in pairs)
    return next((read for read in reads if read), None)


def _in_years(words: Tokens, at: int, asked: Asked, year: int, step: int) -> list[DateMention]:
    """A date without a year in that year, and in the one beside it."""
    reads = (_point(words, at, asked._replace(year=one)) for one in (year, year + step))
    return [read[0]._replace(year="said") for read in reads if read]


def _days_of_month(words: Tokens, at: int, asked: Asked) -> Read | None:
    """3-9 May, May 3-9, 2023, between 3 and 9 May."""
    lead = words.word(at)
    start = at + (lead in ("between", "from"))
    bridges = frozenset(["and"]) if lead == "between" else _BRIDGES
    month, place = month_at(words, start), start + 1
    if month is None:
        place = start + (words.word(start) == "the")
    days = _two_days(words, past(words, place, ".") if month else place, bridges)
    if days is None:
        return None
    first, last, end = days
    if month is None:
        end += words.word(end) == "of"
        month, end = month_at(words, end), end + 1
    if month is None or first >= last:
        return None
    year, end = year_behind(words, end, asked)
    begun, ended = resolved(asked, year, month, first), resolved(asked, year, month, last)
    if begun.year == "any" and begun.readings and begun.readings[0].first is not None:
        ended = resolved(asked, civil(begun.readings[0].first)[0], month, last)._replace(year="any", years=())
    left, _ = mention(words, at, end, "day", begun)
    right, _ = mention(words, at, end, "day", ended)
    return _joined(words, at, end, left, right) or mention(words, at, end, "day", begun._replace(readings=()))


def _two_days(words: Tokens, at: int, bridges: frozenset[str]) -> tuple[int, int, int] | None:
    first = day_of_month(words, at)
    if first is None or words.word(first[1]) not in bridges:
        return None
    place = first[1] + 1
    last = day_of_month(words, place + (words.word(place) == "the"))
    return (first[0], last[0], last[1]) if last is not None else None


def _years(words: Tokens, at: int, asked: Asked) -> Read | None:
    """2019-2021, 2023-24: all of them."""
    first = year_at(words, at)
    if first is None or words.word(at + 1) not in ("-", "–", "—", "/"):
        return None
    token = words[at + 2]
    last = year_at(words, at + 2)
    if token.digits == 2 and not token.suffix and token.number == (first + 1) % 100 and token.number > 12:
        last = first + 1
    if last is None or last <= first or words[at].digits != 4:
        return None
    return mention(words, at, at + 3, "year", Resolved(
        (calendar_years(first, last - first + 1),), "said", tuple(sorted({first, last}))))


def _beside(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The week before 3 May, two weeks after 11 August; the day after the wedding, which is left open."""
    begun = _counted_or_single(words, at)
    if begun is None:
        return None
    count, unit, name, side_at = begun
    side = _SIDES.get(words.word(side_at))
    if side is None or (side == 0 and (count or unit not in ("week", "weekend"))):
        return None
    behind = side_at + 1 + (words.word(side_at) == "prior" and words.word(side_at + 1) == "to")
    anchor = _point(words, behind, asked)
    if anchor is None or anchor[0].event:
        return _from_event(words, at, behind, (count or 1) * side, unit) if count or words.word(at) == "the" else None
    if near_period(words, behind, asked) or words.word(behind) in ("last", "next"):
        return None
    readings = tuple(
        moved for one in anchor[0].readings if (moved := _moved(one, side, count, unit or "day", name)) is not None)
    date, end = anchor
    found, _ = mention(words, at, end, unit or "day", Resolved(readings, date.year, date.years))
    return found._replace(anchors=(date,)), end


def _counted_or_single(words: Tokens, at: int) -> tuple[int, Unit | None, int | None, int] | None:
    """What lies beside a date: the count ("two weeks"; 0: "the week", "the Monday"), unit, weekday, place."""
    counted = counted_units(words, at)
    if counted is not None and counted[0] == counted[1]:
        return counted[0], counted[2], None, counted[3]
    place = at + (words.word(at) == "the")
    place += words.word(place) == "last"
    word = words.word(place)
    unit = "day" if word in ("night", "morning", "evening") else UNITS.get(word)
    name = WEEKDAYS.get(word)
    if name is None and (unit is None or word.endswith("s")):
        return None
    return 0, unit, name, place + 1


def _moved(one: Interval, side: int, count: int, unit: Unit, name: int | None) -> Interval | None:
    """What lies so many units before (side -1) or after (1) a date, or the week that holds it (0)."""
    if one.first is None or one.end is None:
        return None
    if side == 0:
        return period(unit, one.first)
    if count:
        return _around(shifted(one.first, side * count, unit), unit)
    if name is not None or unit == "weekend":
        number, size = (name, 1) if name is not None else (5, 2)
        last_start = one.first - size
        day = last_start - (weekday(last_start) - number) % 7 if side < 0 else one.end + (number - weekday(one.end)) % 7
        return Interval(day, day + size)
    if unit in ("day", "week"):
        size = 7 if unit == "week" else 1
        return Interval(one.first - size, one.first) if side < 0 else Interval(one.end, one.end + size)
    return period(unit, one.first if side < 0 else one.end - 1, side)


def _around(day: int, unit: Unit) -> Interval:
    """As wide as the unit, about the day: "two weeks before" is seldom meant to the day."""
    width = {"day": 0, "weekend": 3, "week": 3}.get(unit, 15)
    return period(unit, day) if unit in ("year", "decade") else Interval(day - width, day + width + 1)


def _from_event(words: Tokens, at: int, start: int, count: int, unit: Unit | None) -> Read | None:
    """Two days before the launch: a count from what has to be found first."""
    end = start
    while end < start + _LONGEST_EVENT and not words.clause_ends(end) and words.word(end) not in _ENDS_AN_EVENT:
        end += 1
    if unit is None or not count or end == start or words.word(start) in ("to", "it", "this", "that"):
        return None
    if words[start].number is not None or words.word(start) in ("last", "next"):
        return None
    event = Event(count, unit, words[start].start, words[end - 1].end)
    return DateMention(words[at].start, words[end - 1].end, unit, (), event=event), end


def _before_last(words: Tokens, at: int, asked: Asked) -> Read | None:
    """The week before last, the month after next."""
    start = at + (words.word(at) == "the")
    unit = UNITS.get(words.word(start))
    way = {("before", "last"): -2, ("after", "next"): 2}.get((words.word(start + 1), words.word(start + 2)))
    if unit is None or way is None or words.word(start + 3) in UNITS:
        return None
    return mention(words, at, start + 3, unit, Resolved((period(unit, asked.today, way),), "said", ()))


def _open(words: Tokens, at: int, asked: Asked) -> Read | None:
    """Before May 2023, since March, until yesterday, by the 10th of July; from 2023 on."""
    lead = words.word(at)
    if lead == "from":
        found = _point(words, at + 1, asked)
        if found is None or words.word(found[1]) not in ("on", "onward", "onwards"):
            return None
        return _opened(words, at, found[1] + 1, "since", found[0])
    start = at + (lead == "prior" and words.word(at + 1) == "to")
    if start == at and lead not in _OPEN:
        return None
    found = _point(words, start + 1, asked)
    if found is None or found[0].event:
        return None
    return _opened(words, at, found[1], "before" if lead == "prior" else lead, found[0])


def _opened(words: Tokens, at: int, end: int, lead: str, point: DateMention) -> Read:
    readings = []
    for first, last in point.readings:
        opened = {"before": Interval(None, first), "after": Interval(last, None), "since": Interval(first, None)}
        readings.append(opened.get(lead, Interval(None, last)))
    return DateMention(words[at].start, words[end - 1].end, point.precision, tuple(dict.fromkeys(readings)), point.year,
                       point.years, (point,)), end
