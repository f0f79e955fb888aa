"""Whether every name, number and date of a wording occurs in what it was made from. Pure.

Source of the idea: entity-level factual consistency of summaries (Nan et al. 2021, "Entity-level Factual Consistency of
Abstractive Text Summarization", section 3: summaries with a named entity that the source lacks are dropped).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from trace_graph.organize.grounded_dates import Days, absolute_dates
from trace_graph.organize.summary_words import REPORTING, opens
from trace_graph.organize.words import Lexicon, clauses, key_of
from trace_graph.text.characters import HANGUL, UNSPACED
from trace_graph.text.dates.words import folded
from trace_graph.text.terms import terms

_RARE = 12.5
# -ln of a word's probability from which it names something, in scripts without capitals. As in `summaries`.
_NO_WORD = 19.0
# From which it is no word of the lexicon but characters beside each other (read off: 东京 14, 张伟 24).
_EVERYDAY = 10.0
# Up to which a word is an article or pronoun of any language (read off: the 7, der 7.6, they 9.8; Tom 10.2).
_SHORTEST_STEM = 2
# Characters at the beginning of a Korean or Arabic word that must occur where the word with its ending does not.
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_POSSESSIVE = re.compile(r"['’][sS]?$|['’](?=[sS]$)[sS]")
_BEGINS = frozenset(".!?…:;\n\"“”«»„([{*•–—|/")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"[,. \u202f\u00a0](?=\d{3}(?!\d))")
_UNSPACED_WORD = re.compile(f"[{UNSPACED}]")
_KATAKANA = re.compile("^[\u30a1-\u30fa\u30fc]{2,}$")
_WRITTEN_ALIKE = re.compile("[\u30a1-\u30fa\u30fc]+|[^\\W\\d_\u3041-\u309f\u30a1-\u30fa\u30fc]+")
# Runs of katakana, and of letters that are no kana: what stands between in hiragana is grammar.
_KOREAN_VERB = re.compile(f"[{HANGUL}][다요]$")
_HANGUL = re.compile(f"[{HANGUL}]")
_COUNTED = "个個位次年天周週岁歳歲只隻件本张張场場家人名条條部块元台匹回枚"
_HAN_NUMBER = re.compile(f"[二三四五六七八九十]+(?=[{_COUNTED}])")
# Without 两, which is "both" as well.
_HAN_DIGITS = {"一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_SURNAMES = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅郑鄭梁谢謝宋唐许許邓鄧韩韓冯馮曹彭曾萧蕭田董潘袁蔡蒋蔣余杜叶葉程魏苏蘇吕呂丁沈")
_HAN_NAME = re.compile(f"(?<![一二两兩三四五六七八九十几幾这這那每])[{_SURNAMES}][\u4e00-\u9fff]")
_NUMBER_LISTS = (
    "two three four five six seven eight nine ten eleven twelve",
    "zwei drei vier fünf sechs sieben acht neun zehn - zwölf",
    "deux trois quatre cinq six sept huit neuf dix onze douze",
    "dos tres cuatro cinco seis siete ocho nueve diez - doce",
    "- tre quattro cinque - sette otto nove dieci undici dodici",
    "dois três quatro cinco seis sete oito nove dez - doze",
    "два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
)
_WORDS_OF_NUMBERS = {
    word: number for line in _NUMBER_LISTS for number, word in enumerate(line.split(), start=2) if word != "-"}
# Left out: words that are more often something else (once, due, sei, elf).
_LOOSELY = {"one": 1, "once": 1, "couple": 2, "pair": 2, "both": 2, "twice": 2, "две": 2, "due": 2, "elf": 11,
            "dozen": 12, "zero": 0}
# These words of a source stand for the number as well.


@dataclass(frozen=True, slots=True)
class Source:
    """One text that a wording was made from."""

    text: str
    author: str = ""
    at: datetime | None = None
    """When it was said; None for a text whose dates do not depend on that, such as a child's summary."""


class _Span(NamedTuple):
    start: int
    end: int


class Grounds:
    """What the sources hold, read once, against which any number of wordings is held."""

    def __init__(self, sources: Sequence[Source], lexicon: Lexicon, *, known: Iterable[str] = ()) -> None:
        """`known` are texts whose words may be used besides, for example the name of the space."""
        self._lexicon = lexicon
        texts = [f"{source.author}\n{source.text}" for source in sources] + list(known)
        joined = unicodedata.normalize("NFKC", "\n".join(texts))
        self._folded = folded(joined)
        self._days = Days()
        for source in sources:
            self._days.read(source.text, source.at)
        self._words = {folded(word) for word in _parts(joined)} | self._days.words()
        self._stems = {stem for word in self._words for stem in terms(word)}
        self._numbers = _values(joined)

    def lacking(self, text: str, *, is_title: bool = False, beside: str = "") -> list[str]:
        """The names, numbers and dates of a text that no source has, as they are written, in order, each once.

        A number may stand in digits or in a word (to twelve), a date in any form and as "yesterday" in a source. A name
        is a capitalised word; at the beginning of a sentence, and in a title, none with which sentences begin, and none
        that stands without a capital in the text or `beside` it (of a title: in its summary). In scripts without
        capitals it is a rare word, a word in katakana, or a Chinese surname with what follows.
        """
        text = unicodedata.normalize("NFKC", text)
        dates = absolute_dates(text)
        taken = [_Span(one.start, one.end) for one in dates]
        found = [(one.start, text[one.start:one.end]) for one in dates
                 if not self._days.hold(one) and not self._says(text[one.start:one.end])]
        found += self._numbers_lacking(text, taken)
        small = {stem for word in _WORD.findall(f"{text} {beside}") if word.islower() for stem in terms(word)}
        found += self._names_lacking(text, taken, small, is_title=is_title)
        found += self._words_lacking(text)
        return list(dict.fromkeys(written for _, written in sorted(found)))

    def _says(self, written: str) -> bool:
        """Whether a source has these very words: a year beside them in the text may give them another meaning there."""
        return re.search(rf"(?<!\w){re.escape(folded(written))}(?!\w)", self._folded) is not None

    def _numbers_lacking(self, text: str, taken: Collection[_Span]) -> Iterator[tuple[int, str]]:
        for match in _NUMBER.finditer(text):
            if not _inside(match, taken) and _value(match.group()) not in self._numbers:
                yield match.start(), match.group()
        for match in _WORD.finditer(text):
            number = _WORDS_OF_NUMBERS.get(match.group().casefold())
            if number is not None and not _inside(match, taken) and (
                    str(number) not in self._numbers and folded(match.group()) not in self._words):
                yield match.start(), match.group()
        for match in _HAN_NUMBER.finditer(text):
            if not _inside(match, taken) and str(_han_value(match.group())) not in self._numbers:
                yield match.start(), match.group()

    def _names_lacking(
        self, text: str, taken: Collection[_Span], small: Collection[str], *, is_title: bool
    ) -> Iterator[tuple[int, str]]:
        for match in _WORD.finditer(text):
            word = _bare(match.group())
            if not word[:1].isupper() or _inside(match, taken) or self._knows(word):
                continue
            doubtful = is_title or _begins(text, match.start())
            if doubtful and (not self._may_be_name(word) or all(stem in small for stem in terms(word))):
                continue
            yield match.start(), word

    def _words_lacking(self, text: str) -> Iterator[tuple[int, str]]:
        """Words of scripts without capitals."""
        if text.isascii():
            return
        written = " ".join(word for clause in clauses(text, self._lexicon) for word in clause)
        for word in _WRITTEN_ALIKE.findall(written):
            if word.upper() != word.lower() or len(word) < 2 or _KOREAN_VERB.search(word):
                continue
            if word in REPORTING or self._has_part(word) or not key_of(word):
                continue
            if _KATAKANA.match(word) or self._lexicon.rarity(word) >= _RARE:
                yield text.find(word), word
        for match in _HAN_NAME.finditer(text):
            name = match.group()  # one that is longer, and no word of the lexicon, was found above
            if folded(name) not in self._folded and self._lexicon.rarity(name) >= _NO_WORD:
                yield match.start(), name

    def _has_part(self, word: str) -> bool:
        plain = folded(word)
        if plain in self._folded:
            return True
        spaced = _HANGUL.match(word) or not _UNSPACED_WORD.match(word)
        return bool(spaced) and len(word) > _SHORTEST_STEM and folded(word[:_SHORTEST_STEM]) in self._folded

    def _knows(self, word: str) -> bool:
        plain = folded(word)
        if plain in self._words or plain.removesuffix("s") in self._words:
            return True
        stems = terms(word)
        # No stem at all: a word such as "The", which names nothing.
        return not stems or self._stems.issuperset(stems)

    def _may_be_name(self, word: str) -> bool:
        """Whether a word that would have a capital here in any case may be a name; in doubt it may."""
        if len(word) > 1 and word.isupper():
            return True
        lower = word.casefold()
        return not opens(lower) and self._lexicon.rarity(lower) > _EVERYDAY


def _parts(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        yield _bare(match.group())
        if "'" in match.group() or "’" in match.group():
            yield match.group()


def _bare(word: str) -> str:
    """Without a possessive ending."""
    return _POSSESSIVE.sub("", word)


def _begins(text: str, start: int) -> bool:
    """Whether a sentence, a line or a quotation begins here."""
    before = text[:start].rstrip(" \t'’")
    return not before or before[-1] in _BEGINS


def _inside(match: re.Match[str], spans: Collection[_Span]) -> bool:
    return any(span.start <= match.start() < span.end for span in spans)


def _values(text: str) -> set[str]:
    found: set[str] = set()
    for match in _NUMBER.finditer(text):
        found |= {_value(match.group()), *(_value(part) for part in re.split("[.,:]", match.group()))}
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        number = _WORDS_OF_NUMBERS.get(word, _LOOSELY.get(word))
        if number is not None:
            found.add(str(number))
    found |= {str(_han_value(run)) for run in re.findall("[一二两兩三四五六七八九十]+", text)}
    return found


def _value(number: str) -> str:
    """One form of a number: digits of any script as 0 to 9, no thousands separators, a point before decimals."""
    digits = "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in number)
    plain = _THOUSANDS.sub("", digits).replace(",", ".")
    return plain.lstrip("0") or "0"


def _han_value(run: str) -> int:
    """Of a number to 99 in Chinese characters; digits that only stand beside each other are read as such."""
    if "十" not in run:
        return int("".join(str(_HAN_DIGITS[one]) for one in run))
    tens, _, ones = run.partition("十")
    return 10 * _HAN_DIGITS.get(tens[-1:], 1) + _HAN_DIGITS.get(ones[:1], 0)
