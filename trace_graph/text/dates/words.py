"""A text as words, numbers and marks, for the rules of languages that put spaces between words."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from trace_graph.text.characters import HANGUL, UNSPACED

_LONGEST_WORD = 24
"""Characters of the longest word that is looked at; what is longer is no word of a date."""

_FURTHEST_LOOK = 64
"""Tokens that a rule may look beyond the last; the longest date has under 30."""

_NUMERIC = r"""
(?<![A-Za-z0-9_./:+@\#=\\-])
(?:
    (?P<year>(?:19|20)[0-9]{2})
    (?:(?P<mark>[-/])(?:(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})|(?P<month_alone>1[0-2]|0?[1-9]))|\.(?P<month_2>[0-9]{2})\.(?P<day_2>[0-9]{2}))
    (?:[Tt\ ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?
  | (?P<left>[0-9]{1,2})(?P<mark_2>[-/.])(?P<right>[0-9]{1,2})(?P=mark_2)(?P<last_year>(?:19|20)[0-9]{2})
)
(?![A-Za-z0-9_%]|[-/.:+@][A-Za-z0-9_])
"""
_LETTER = f"(?:(?![{UNSPACED}{HANGUL}])[^\\W_])"
_TOKEN = re.compile(
    rf"(?P<numeric>{_NUMERIC})|(?P<word>{_LETTER}+(?:[\u0300-\u036f]+{_LETTER}*)*)"
    r"|(?P<sign>\S)",
    re.VERBOSE,
)
_NUMBER = re.compile(r"([0-9]{1,4})([^\W\d_]{0,4})")


class Written(NamedTuple):
    """A date in digits: year, month and day, as often as it can be read; a part that it has not is None."""

    readings: tuple[tuple[int, int | None, int | None], ...]


class Token(NamedTuple):
    """A word, a number, a mark, or a date in digits."""

    text: str
    """Lower case, without accents; empty behind the last one."""
    start: int
    end: int
    number: int | None = None
    """Of digits, up to four; a suffix such as th may follow them."""
    suffix: str = ""
    digits: int = 0
    glued: bool = False
    """Nothing stands between the token before and this one."""
    capital: bool = False
    is_word: bool = False
    """Letters and digits of a script with spaces."""
    written: Written | None = None


_NOTHING = Token("", 0, 0)


class Tokens:
    """The tokens of a text; behind both ends there is an empty one."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = _tokens(text)
        self._count = len(found)
        # Empty ones behind the end, which are before the beginning as well: list[-1] is the last.
        self._tokens = found + [_NOTHING] * _FURTHEST_LOOK
        self._words = [token.text for token in self._tokens]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> Token:
        return self._tokens[place]

    def word(self, place: int) -> str:
        """The text of a token; empty behind both ends."""
        return self._words[place]

    def stands_alone(self, first: int, end: int) -> bool:
        """Whether the tokens are no piece of a longer name, as in `Monday.com`, `v2023`, `/2023/` and `#2023`."""
        before = self[first - 1]
        if self[first].glued and (before.is_word or before.written or before.text in _JOINERS):
            return False
        after, beyond = self[end], self[end + 1]
        if not after.glued:
            return True
        if after.is_word or after.written or after.text in _UNITS:
            return False
        return not (after.text in _JOINERS and beyond.glued and beyond.is_word)

    def clause_ends(self, place: int) -> bool:
        """Whether the sentence ends before this token, or pauses there."""
        return self.word(place) in _PAUSES


_JOINERS = frozenset("./\\-_@#&+=:$€£¥~^")
_UNITS = frozenset("%°$€£¥_")
_PAUSES = frozenset(["", *".,;:!?)(\"”»…-–—，。？！；、：）"])


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(words.split())


def folded(word: str) -> str:
    """Lower case, without accents."""
    if word.isascii():
        return word.lower()
    return "".join(one for one in unicodedata.normalize("NFKD", word.lower()) if not unicodedata.combining(one))


def _tokens(text: str) -> list[Token]:
    # Full-width digits become narrow ones, a character each, so that places stay what they are.
    narrow = text.translate(NARROW)
    found: list[Token] = []
    last = 0
    for match in _TOKEN.finditer(narrow):
        glued = bool(found) and match.start() == last
        last = match.end()
        found.append(_token(match, glued))
    return found


NARROW = {0xFF10 + digit: 0x30 + digit for digit in range(10)}


def _token(match: re.Match[str], glued: bool) -> Token:
    start, end = match.span()
    if match["numeric"]:
        return Token("0", start, end, glued=glued, written=_written(match))
    if match["sign"]:
        return Token(match["sign"], start, end, glued=glued)
    if end - start > _LONGEST_WORD:
        return Token("x", start, end, glued=glued, is_word=True)
    word = match["word"]
    number = _NUMBER.fullmatch(word)
    if number is None:
        return Token(folded(word), start, end, glued=glued, capital=word[0].isupper(), is_word=True)
    return Token(folded(word), start, end, int(number[1]), folded(number[2]), len(number[1]), glued, is_word=True)


def _written(match: re.Match[str]) -> Written:
    """Day before month behind dots; with - or / either, unless a number over 12 tells."""
    if match["year"]:
        month, day = match["month"] or match["month_alone"] or match["month_2"], match["day"] or match["day_2"]
        return Written(((int(match["year"]), int(month), int(day) if day else None),))
    left, right, year = int(match["left"]), int(match["right"]), int(match["last_year"])
    orders = {(year, right, left): None}
    if match["mark_2"] != ".":
        orders[year, left, right] = None
    return Written(tuple(orders))
