"""Dates in Chinese, simplified and traditional: 三月五号, 2023年3月, 上周三, 两天前, 去年夏天."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

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
from trace_graph.text.dates.values import Asked, DateMention, Event, Interval, Unit, YearFrom
from trace_graph.text.dates.written import FIRST_YEAR, LAST_YEAR, Resolved, resolved

_DIGITS = {character: number for number, characters in enumerate(
    ("〇零○", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")) for character in characters}
_HAN_NUMBER = "[一二三四五六七八九十两兩]"
_NUMBER = rf"(?:[0-9]{{1,2}}|{_HAN_NUMBER}{{1,3}})"
_LOOSE = r"一两|一兩|两三|兩三|三四|四五|五六|六七|七八|八九|几|幾"
_FEW = (2, 5)
"""How many 几天 are, fewest and most. Guess."""

_NOT_ABOVE = r"(?<![马馬晚早网網路身手以加天地桌线線街楼樓车車海床纸紙脸臉头頭])"
_NOT_BELOW = r"(?<![一楼樓地以之手底天乡鄉留剩私])"
_WEEK = r"(?:周|週|星期|礼拜|禮拜)"
_YEAR_WORDS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "後年": 2}
_DAY_WORDS = {word: offset for offset, words in {
    -3: "大前天", -2: "前天 前晚", -1: "昨天 昨日 昨晚 昨夜", 0: "今天 今日 今晚 今早 今晨", 1: "明天 明日 明早 明晚",
    2: "后天 後天", 3: "大后天 大後天",
}.items() for word in words.split()}
_OFFSETS = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_UNITS: dict[str, Unit] = {
    "天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "禮拜": "week", "月": "month",
    "年": "year",
}
_SEASONS = {"春": SPRING, "夏": SUMMER, "秋": AUTUMN, "冬": WINTER}
_PARTS: dict[str, Part] = {
    "初": "early", "上旬": "early", "中旬": "mid", "中": "mid", "下旬": "late", "底": "late", "末": "late",
    "上半年": "first half", "下半年": "second half",
}

_YEAR = (
    r"(?P<year>(?<![0-9])(?:19|20)[0-9]{2}|[一二][〇零○一二三四五六七八九]{3})年(?![代级級])"
    rf"|(?P<year_word>(?<![过過0-9一二两三四五六七八九十几])(?:{'|'.join(_YEAR_WORDS)}))"
)
_STEP = rf"(?P<{{0}}>{_NOT_ABOVE}上上?|[这這本]|{_NOT_BELOW}下下?)[个個]?"

_PATTERN = rf"""
(?=[0-9〇零○一二两兩三四五六七八九十大前去今明后後上这這本下周週星礼禮昨半几幾最过過近])(?:
(?:{_YEAR})的?(?:(?P<y_month>{_NUMBER})月(?:份|(?P<y_day>{_NUMBER})[日号號](?!楼|樓|线|線|店|院|门|門)|的?(?P<y_month_part>初|上旬|中旬|下旬|底|末))?
    |(?P<y_season>[春夏秋冬])[天季]|(?P<y_quarter_at>第)(?P<y_quarter>[1-4一二三四])季度?
    |(?P<y_part>上半年|下半年|年?初|年?中(?![国國])|年?[底末]))?
|{_STEP.format("month_step")}月(?:份|(?P<s_day>{_NUMBER})[日号號]|(?P<s_part>初|上旬|中旬|下旬|底|末))?
|(?<![0-9一二两兩三四五六七八九十个個.年/-])(?P<month>{_NUMBER})月(?![0-9一二三四五六七八九十天]+[个個天])(?:份|(?P<day>{_NUMBER})[日号號](?!楼|樓|线|線|店|院|门|門)|(?P<part>初|上旬|中旬|下旬|底|末))?(?!天)
|{_STEP.format("week_step")}{_WEEK}(?P<weekday>[一二三四五六日天末1-6])?
|(?<![每一二两三四五六七八九十个個0-9到至])(?:(?P<weekend>周末|週末)|{_WEEK}(?P<bare_weekday>[一二三四五六日天])(?![次到至天年个個]))
|(?P<day_word>{'|'.join(sorted(_DAY_WORDS, key=len, reverse=True))})(?:早上|上午|中午|下午|晚上|夜里)?
|(?P<half_year>半年)(?:以前|之前|前)
|(?P<loose>{_LOOSE})(?P<loose_unit>天|[个個]?(?:星期|礼拜|禮拜|月)|周|週|年)(?:以前|之前|前)(?![几0-9一二两三四五六七八九十])
|(?<![0-9一二两兩三四五六七八九十第])(?P<count>{_NUMBER})(?P<count_unit>天|日|[个個]?(?:星期|礼拜|禮拜|月)|周|週|年)(?:以前|之前|前)(?![一二两三四五六七八九十0-9天年])
|(?:最近|过去|過去|近)的?这?這?(?P<stretch>{_NUMBER}|{_LOOSE})(?P<stretch_unit>天|日|[个個]?(?:星期|礼拜|禮拜|月)|周|週|年)
|(?<![0-9])(?P<decade>19[0-9]|20[0-9])0年代)
"""
_EVENT = rf"""
(?P<side>之前|以前|前|之后|之後|以后|以後|后|後)的?(?P<count>{_NUMBER})(?P<unit>天|周|週|[个個]?(?:星期|礼拜|禮拜|月)|年)
"""
_EVENT_BEFORE = re.compile(r"[\u4e00-\u9fff]{1,8}\Z")
"""The event's own words: what stands right before, up to eight characters. Guess."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_BRIDGE = re.compile(r"\s?(?:到|至|~|～|—|–|-)\s?")
_OPEN_BEHIND = re.compile(r"(?P<before>之前|以前)|(?P<after>之后|之後|以后|以後)|(?P<since>以来|以來|起)")
_NOT_AN_EVENT = re.compile(r".*[之以目从從日午年月天周週号號提当當]\Z")


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(_PATTERN, re.VERBOSE)


@cache
def _events() -> re.Pattern[str]:
    return re.compile(_EVENT, re.VERBOSE)


def chinese_dates(text: str, asked: Asked) -> list[DateMention]:
    """The dates of a text in order of occurrence; stretches and open ones are not joined yet."""
    if not _HAN.search(text):
        return []
    found = [one for match in _dates().finditer(text) if (one := _mention(match, asked))]
    return [*found, *_counted_from_events(text)]


def joined(text: str, mentions: list[DateMention]) -> list[DateMention]:
    """Mentions with 到 between them made one stretch, those with 以前, 以后 or 以来 behind them made open."""
    done: list[DateMention] = []
    for one in mentions:
        if done and (stretch := _stretch(text, done[-1], one)):
            done[-1] = stretch
        else:
            done.append(one)
    return [_opened(text, one) for one in done]


def han_number(text: str) -> int | None:
    """A number to 99 in digits or Chinese numerals (十二, 二十三), None for what is none."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS.get(text)
    if (tens and tens not in _DIGITS) or (ones and ones not in _DIGITS):
        return None
    return 10 * _DIGITS.get(tens, 1) + _DIGITS.get(ones, 0)


def _mention(match: re.Match[str], asked: Asked) -> DateMention | None:
    read = (
        _of_year(match, asked) or _of_near_month(match, asked) or _of_month(match, asked) or _of_week(match, asked)
        or _day(match, asked) or _counted(match, asked)
    )
    if read is None:
        return None
    precision, found = read
    return DateMention(*match.span(), precision, found.readings, found.year, found.years)


def _year_of(match: re.Match[str], asked: Asked) -> int | None:
    if match["year_word"]:
        return civil(asked.today)[0] + _YEAR_WORDS[match["year_word"]]
    written = match["year"]
    if not written:
        return None
    year = int(written) if written.isdecimal() else int("".join(str(_DIGITS[character]) for character in written))
    return year if FIRST_YEAR <= year <= LAST_YEAR else None


def _of_year(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    year = _year_of(match, asked)
    if year is None:
        return None
    if match["y_month"]:
        return _of_numbers(asked, year, match["y_month"], match["y_day"], match["y_month_part"])
    if match["y_season"]:
        begins = _SEASONS[match["y_season"]]
        readings = tuple(season(one, begins) for one in ((year - 1, year) if begins == WINTER else (year,)))
        return "season", Resolved(readings, "said", (year,))
    whole = calendar_years(year)
    if match["y_quarter"]:
        number = han_number(match["y_quarter"])
        assert number is not None and whole.first is not None
        return "quarter", Resolved((period("quarter", whole.first, number - 1),), "said", (year,))
    if match["y_part"]:
        part = _PARTS[match["y_part"] if match["y_part"].endswith("半年") else match["y_part"][-1]]
        return "month", Resolved((part_of(whole, part),), "said", (year,))
    return "year", Resolved((whole,), "said", (year,))


def _of_numbers(asked: Asked, year: int | None, month: str, day: str | None, part: str | None) -> tuple[Unit, Resolved]:
    number, of_month = han_number(month), han_number(day) if day else None
    if number is None or (day and of_month is None):
        return "day", Resolved((), "said", ())
    found = resolved(asked, year, number, of_month)
    if part:
        return "week", found._replace(readings=tuple(part_of(one, _PARTS[part]) for one in found.readings))
    return "day" if day else "month", found


def _of_near_month(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    if not match["month_step"]:
        return None
    whole = period("month", asked.today, _OFFSETS[match["month_step"]])
    assert whole.first is not None
    year, month, _ = civil(whole.first)
    unit, found = _of_numbers(asked, year, str(month), match["s_day"], match["s_part"])
    return unit, found._replace(years=())


def _of_month(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    return _of_numbers(asked, None, match["month"], match["day"], match["part"]) if match["month"] else None


def _of_week(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    """A week or a day of it; without 上, 这 or 下 the latest before today."""
    if match["week_step"]:
        offset, name = _OFFSETS[match["week_step"]], match["weekday"]
        if not name:
            return "week", _said(period("week", asked.today, offset))
        if name == "末":
            return "weekend", _said(period("weekend", asked.today, offset))
        day = asked.today - weekday(asked.today) + 7 * offset + _weekday_number(name)
        return "day", _said(Interval(day, day + 1))
    if match["weekend"]:
        latest = period("weekend", asked.today, 0 if weekday(asked.today) >= 5 else -1)
        return "weekend", _said(latest)
    if match["bare_weekday"]:
        day = asked.today - 1 - (weekday(asked.today - 1) - _weekday_number(match["bare_weekday"])) % 7
        return "day", _said(Interval(day, day + 1))
    return None


def _weekday_number(name: str) -> int:
    number = 7 if name in "日天" else han_number(name)
    assert number is not None  # the pattern lets nothing else through
    return number - 1


def _day(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    if match["day_word"]:
        return "day", _said(period("day", asked.today, _DAY_WORDS[match["day_word"]]))
    if match["decade"]:
        return "decade", _said(calendar_years(int(match["decade"]) * 10, 10))
    return None


def _counted(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    """So many days, weeks, ... ago: that day, that calendar week; the last so many days, with today."""
    if match["half_year"]:
        return "month", _said(period("month", asked.today, -6))
    for count, unit_name in (("count", "count_unit"), ("loose", "loose_unit")):
        if match[count]:
            low, high = _count(match[count])
            unit = _UNITS[match[unit_name].lstrip("个個")]
            if not low:
                return unit, Resolved((), "said", ())
            first = period(unit, asked.today, -high).first
            years = (civil(asked.today)[0] - low,) if unit == "year" and low == high else ()
            return unit, Resolved((Interval(first, period(unit, asked.today, -low).end),), "said", years)
    if match["stretch"]:
        unit = _UNITS[match["stretch_unit"].lstrip("个個")]
        high = _count(match["stretch"])[1]
        first = shifted(asked.today, -high, unit) + (unit in ("day", "week"))
        return unit, _said(Interval(first, asked.today + 1))
    return None


def _count(written: str) -> tuple[int, int]:
    if written in ("几", "幾"):
        return _FEW
    if len(written) == 2 and "十" not in written and not written.isdecimal():
        return _DIGITS[written[0]], _DIGITS[written[1]]
    number = han_number(written) or 0
    return number, number


def _said(interval: Interval) -> Resolved:
    return Resolved((interval,), "said", ())


def _counted_from_events(text: str) -> Iterator[DateMention]:
    """发布会前两天: two days before the launch, which has to be found first."""
    for match in _events().finditer(text):
        number = han_number(match["count"])
        event = _EVENT_BEFORE.search(text[max(0, match.start() - 8):match.start()])
        if number is None or event is None or _NOT_AN_EVENT.match(event[0]):
            continue
        unit = _UNITS[match["unit"].lstrip("个個")]
        count = number if match["side"][-1] in "后後" else -number
        start = match.start() - len(event[0])
        yield DateMention(start, match.end(), unit, (), event=Event(count, unit, start, match.start()))


def _stretch(text: str, first: DateMention, last: DateMention) -> DateMention | None:
    left, right = first.interval, last.interval
    if not _BRIDGE.fullmatch(text[first.end:last.start][:4]) or len(text[first.end:last.start]) > 3:
        return None
    if first.anchors or last.anchors or left is None or right is None:
        return None
    if left.first is None or right.end is None or left.first >= right.end:
        return None
    year: YearFrom = "any" if "any" in (first.year, last.year) else last.year
    return DateMention(first.start, last.end, last.precision, (Interval(left.first, right.end),), year,
                       tuple(sorted({*first.years, *last.years})), (first, last))


def _opened(text: str, one: DateMention) -> DateMention:
    match = _OPEN_BEHIND.match(text, one.end)
    if match is None or one.event:
        return one
    readings = []
    for first, end in one.readings:
        if match["before"]:
            readings.append(Interval(None, first))
        else:
            readings.append(Interval(end if match["after"] else first, None))
    return one._replace(end=match.end(), readings=tuple(readings), anchors=(one,))


