"""Days, weeks and years relative to the day of asking in other languages, and Japanese and Korean dates.

Only phrases, and words that are no other word of the language (Spanish "mañana", German "morgen" are mornings too).
"""

from __future__ import annotations

import re
from functools import cache

from trace_graph.text.dates.days import calendar_years, civil, period, weekday
from trace_graph.text.dates.values import Asked, DateMention, Interval, Unit
from trace_graph.text.dates.written import FIRST_YEAR, LAST_YEAR, Resolved, resolved

_PHRASES: dict[tuple[Unit, int], str] = {
    ("day", -2): "anteayer|avant-hier|vorgestern|l'altro ieri|anteontem|eergisteren|позавчера|przedwczoraj|"
                 "一昨日|おととい|그저께|그제",
    ("day", -1): "ayer|hier|gestern|ieri|ontem|gisteren|вчера|wczoraj|きのう|어제",
    ("day", 0): "hoy|aujourd'hui|heute|oggi|vandaag|сегодня|dzisiaj|今日|きょう|오늘",
    ("day", 1): "demain|domani|amanhã|завтра|jutro|明日|あした|내일",
    ("week", -1): "la semana pasada|la semaine dernière|letzte Woche|vorige Woche|la settimana scorsa|"
                  "na semana passada|vorige week|на прошлой неделе|w zeszłym tygodniu|先週|지난주",
    ("week", 0): "esta semana|cette semaine|diese Woche|questa settimana|deze week|на этой неделе|"
                 "w tym tygodniu|今週|이번 주",
    ("week", 1): "la semana que viene|la semaine prochaine|nächste Woche|la settimana prossima|"
                 "na próxima semana|volgende week|на следующей неделе|w przyszłym tygodniu|来週|다음 주",
    ("month", -1): "el mes pasado|le mois dernier|letzten Monat|il mese scorso|no mês passado|"
                   "vorige maand|в прошлом месяце|w zeszłym miesiącu|先月|지난달",
    ("month", 0): "este mes|ce mois-ci|diesen Monat|questo mese|este mês|deze maand|"
                  "в этом месяце|w tym miesiącu|今月|이번 달",
    ("year", -1): "el año pasado|l'année dernière|l'an dernier|letztes Jahr|l'anno scorso|no ano passado|vorig jaar|"
                  "в прошлом году|w zeszłym roku|昨年|작년",
    ("year", 0): "este año|cette année|dieses Jahr|quest'anno|este ano|dit jaar|в этом году|w tym roku|올해",
    ("year", 1): "el año que viene|l'année prochaine|nächstes Jahr|l'anno prossimo|no próximo ano|volgend jaar|"
                 "в следующем году|w przyszłym roku|来年|내년",
}
_UNITS: dict[str, Unit] = {
    "日": "day", "週間": "week", "ヶ月": "month", "か月": "month", "カ月": "month", "年": "year",
    "일": "day", "주": "week", "개월": "month", "년": "year",
}
_JAPANESE_WEEKDAYS = "月火水木金土日"

_PATTERN = r"""
(?P<week>先週|今週|来週)の(?P<weekday>[月火水木金土日])曜日?
|(?<![0-9])(?P<count>[0-9]{1,3})(?P<unit>日|週間|ヶ月|か月|カ月|年)前
|(?<![0-9])(?P<ko_count>[0-9]{1,3})\s?(?P<ko_unit>일|주|개월|년)\s?전
|(?<![0-9])(?:(?P<year>(?:19|20)[0-9]{2})년)\s{0,2}(?:(?P<month>[0-9]{1,2})월(?:\s{0,2}(?P<day>[0-9]{1,2})일)?)?
|(?<![0-9])(?P<only_month>[0-9]{1,2})월(?:\s{0,2}(?P<its_day>[0-9]{1,2})일)?
"""


@cache
def _dates() -> re.Pattern[str]:
    return re.compile(_PATTERN, re.VERBOSE)


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, tuple[Unit, int]]]:
    meanings = {phrase.lower(): meant for meant, phrases in _PHRASES.items() for phrase in phrases.split("|")}
    longest_first = sorted(meanings, key=len, reverse=True)
    spaced = "|".join(map(re.escape, (one for one in longest_first if one[0] < "\u3000")))
    unspaced = "|".join(map(re.escape, (one for one in longest_first if one[0] >= "\u3000")))
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])|{unspaced}", re.IGNORECASE), meanings


def other_dates(text: str, asked: Asked) -> list[DateMention]:
    """The dates of a text that are relative in one of these languages, and numeric ones in Japanese and Korean."""
    pattern, meanings = _phrases()
    plain = text.replace("’", "'")
    found = []
    for match in pattern.finditer(plain):
        meant = meanings.get(match[0].lower())
        if meant is not None:  # None: letters that only ignoring case takes for these
            unit, offset = meant
            years = (civil(asked.today)[0] + offset,) if unit == "year" else ()
            found.append(DateMention(*match.span(), unit, (period(unit, asked.today, offset),), "said", years))
    return found + [one for match in _dates().finditer(text) if (one := _numeric(match, asked))]


def _numeric(match: re.Match[str], asked: Asked) -> DateMention | None:
    read = _weekday(match, asked) or _ago(match, asked) or _korean(match, asked)
    if read is None:
        return None
    precision, found = read
    return DateMention(*match.span(), precision, found.readings, found.year, found.years)


def _weekday(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    if not match["week"]:
        return None
    offset = {"先週": -1, "今週": 0, "来週": 1}[match["week"]]
    day = asked.today - weekday(asked.today) + 7 * offset + _JAPANESE_WEEKDAYS.index(match["weekday"])
    return "day", Resolved((Interval(day, day + 1),), "said", ())


def _ago(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    count, name = match["count"] or match["ko_count"], match["unit"] or match["ko_unit"]
    if not count:
        return None
    unit = _UNITS[name]
    return unit, Resolved((period(unit, asked.today, -int(count)),), "said", ())


def _korean(match: re.Match[str], asked: Asked) -> tuple[Unit, Resolved] | None:
    month, day = match["month"] or match["only_month"], match["day"] or match["its_day"]
    year = int(match["year"]) if match["year"] else None
    if year is not None and not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    if month:
        return "day" if day else "month", resolved(asked, year, int(month), int(day) if day else None)
    return ("year", Resolved((calendar_years(year),), "said", (year,))) if year is not None else None
