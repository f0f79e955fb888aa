"""Chinese words put right by how they stand in all messages of a topic: the tokenizer alone cuts some of them.

What belongs to one word has the same neighbour each time, and a word has different ones on both sides.
Source: accessor variety (Feng et al. 2004), on the few messages of one topic.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

Clauses = list[list[str]]
"""The words of one message, clause by clause."""

_HAN = re.compile("[\u3400-\u9fff]+$")
_LONGEST_WORD = 4
# Characters of a word that is looked for within a longer row (guess: names of five are rare).
_BOUND = 0.5
# Of a character's occurrences that must stand before the same one, for the two to be one word (guess).
_NEVER_JOINED = frozenset(
    "的了是在我你您他她它们不也就都和跟与及或很太更最又还再才只要会能吗呢吧啊呀哦嗯这那哪一二三四五六七八九十百千万两几个"
)
"""Particles, pronouns and numerals: no part of a word, however often they stand before another one."""


def respelled(messages: Sequence[Clauses]) -> list[Clauses]:
    """The messages of one topic with their Chinese words put right; all others stay as they are."""
    if not any(_HAN.match(word) for word in _words(messages)):
        return list(messages)
    joined = _joined(messages)
    parts = _parts(joined)
    return [[[parts.get(word, word) for word in clause] for clause in message] for message in joined]


def _words(messages: Iterable[Clauses]) -> Iterable[str]:
    return (word for message in messages for clause in message for word in clause)


def _joined(messages: Sequence[Clauses]) -> list[Clauses]:
    """Two characters that were taken for two words are one where they belong together (`年 糕`: `年糕`)."""
    times = Counter(word for word in _words(messages) if len(word) == 1)
    pairs = Counter(pair for message in messages for clause in message for pair in pairwise(clause))
    bound = {
        (first, second) for (first, second), count in pairs.items()
        if len(first) == len(second) == 1 and count >= 2 and count == times[second] and count >= _BOUND * times[first]
        and _HAN.match(first + second) and not {first, second} & _NEVER_JOINED}
    return [[_with_pairs(clause, bound) for clause in message] for message in messages]


def _with_pairs(clause: Sequence[str], bound: set[tuple[str, str]]) -> list[str]:
    found: list[str] = []
    before = ""
    for word in clause:
        if (before, word) in bound:
            found[-1] += word
            before = ""
        else:
            found.append(word)
            before = word
    return found


def _parts(messages: Sequence[Clauses]) -> dict[str, str]:
    """For a row of characters that is no word (`桂花开`, once): the word in it that others have too (`桂花`)."""
    places: dict[str, set[int]] = defaultdict(set)
    within: dict[str, set[int]] = defaultdict(set)
    left: dict[str, set[str]] = defaultdict(set)
    right: dict[str, set[str]] = defaultdict(set)
    for place, message in enumerate(messages):
        for word in _words([message]):
            if not _HAN.match(word):
                continue
            places[word].add(place)
            for part, start, end in _within(word):
                within[part].add(place)
                # The end of a row is a neighbour of its own each time.
                left[part].add(word[start - 1] if start else f"{place}")
                right[part].add(word[end] if end < len(word) else f"{place}")
    known = {part for part, found in within.items() if min(len(found), len(left[part]), len(right[part])) >= 2}
    rows = [word for word in places if len(word) > 2 and len(places[word]) == 1]
    best = {row: max((part for part, _, _ in _within(row) if part in known), default="",
                     key=lambda part: (len(part), len(within[part]), part)) for row in rows}
    return {row: part for row, part in best.items() if part and part != row}


def _within(word: str) -> list[tuple[str, int, int]]:
    """All parts of two to four characters, the whole among them, with their place."""
    return [(word[start:end], start, end) for start in range(len(word) - 1)
            for end in range(start + 2, min(start + _LONGEST_WORD, len(word)) + 1)]
