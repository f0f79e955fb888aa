"""Where a long message is cut into the passages that are searched one by one."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, pairwise
from typing import NamedTuple

from trace_graph.text.characters import UNSPACED, WIDE_PUNCTUATION
from trace_graph.text.graphemes import border_before, is_border

LONGEST_WHOLE = 120
"""Words of a message that is not cut. Source: design, section 3, "over about 120 words"."""

PASSAGE_WORDS = 100
"""Words a passage aims at. Source: design, section 3, "parts of about 100"."""

_EARLIEST_CUT, _LATEST_CUT = 0.7, 1.2
"""Where a paragraph or sentence may end a passage, as shares of the words aimed at (guess)."""

_CHARACTERS_A_WORD = 3
"""Of text without spaces, so that it is cut every 300 characters or so (guess)."""

_LONGEST_WORD = 40
"""Characters; a longer one is an address, encoded data or an unknown script, and is measured by its length (guess)."""

_PIECE = 15
"""Characters of unspaced text between two places where it may be cut."""

_UNSPACED_CLASS = f"{UNSPACED}{WIDE_PUNCTUATION}"
_PARTS = re.compile(rf"(?P<unspaced>[{_UNSPACED_CLASS}]+)|[^\s{_UNSPACED_CLASS}]+")
_UNSPACED_PIECES = re.compile(rf"[^。！？]{{1,{_PIECE}}}[。！？」』）]{{0,{_PIECE}}}|[。！？」』）]{{1,{_PIECE}}}")
_PARAGRAPH_ENDS = re.compile(r"(?:\n[^\S\n]*\n|\u2029)\s*")
_SENTENCE_ENDS = re.compile(r"[.!?…؟।۔][\"'”’»)\]]{0,4}\s+|[。！？][」』）]{0,4}\s*|\n\s*")


class Span(NamedTuple):
    """A stretch of a text, in characters: from `start` up to, not including, `end`."""

    start: int
    end: int


class _Layout(NamedTuple):
    """Where a text may be cut; all positions in order."""

    text: str
    pieces: list[int]
    """Where the smallest parts that are kept whole begin."""
    words: list[float]
    """Words before each piece, and of the whole text at the end."""
    paragraph_ends: list[int]
    sentence_ends: list[int]


def passages(text: str) -> list[Span]:
    """Cuts a text of over 120 words into consecutive spans of about 100 words that cover all of it.

    Spans end at a paragraph, else a sentence or line, else white space, and never inside a grapheme. Text without
    spaces is cut every 300 characters or so. A shorter text gives no spans: it is its own passage.
    """
    if len(text) <= LONGEST_WHOLE:
        return []
    layout = _layout(text)
    total = layout.words[-1]
    spans: list[Span] = []
    start, done = 0, 0.0
    while total - done > LONGEST_WHOLE:
        left = total - done
        end = _cut(layout, start, done, PASSAGE_WORDS if left > 2 * PASSAGE_WORDS else left / 2)
        spans.append(Span(start, end))
        start, done = end, layout.words[bisect_left(layout.pieces, end)]
    if spans and start < len(text):
        spans.append(Span(start, len(text)))
    return spans


def _cut(layout: _Layout, start: int, done: float, aim: float) -> int:
    """Where the passage that begins at `start`, after `done` words, ends: the best place near `aim` words."""
    low = bisect_left(layout.words, done + aim * _EARLIEST_CUT)
    high = bisect_right(layout.words, done + aim * _LATEST_CUT) - 1
    middle = min(bisect_left(layout.words, done + aim), high)
    target = layout.pieces[middle]
    for ends in (layout.paragraph_ends, layout.sentence_ends):
        inside = slice(bisect_left(ends, layout.pieces[low]), bisect_right(ends, layout.pieces[high]))
        for end in sorted(ends[inside], key=lambda position: abs(position - target)):
            if is_border(layout.text, end, start):
                return end
    for index in sorted(range(low, high + 1), key=lambda index: abs(index - middle)):
        end = layout.pieces[index]
        if layout.text[end - 1].isspace() and is_border(layout.text, end, start):
            return end
    return border_before(layout.text, target, start)


def _layout(text: str) -> _Layout:
    pieces: list[int] = []
    weights: list[float] = []
    for part in _PARTS.finditer(text):
        start, end = part.span()
        if part.lastgroup is None and end - start <= _LONGEST_WORD:
            pieces.append(start)
            weights.append(1.0)
            continue
        if part.lastgroup == "unspaced":
            inner = [piece.start() for piece in _UNSPACED_PIECES.finditer(text, start, end)]
        else:
            inner = list(range(start, end, _PIECE))
        pieces.extend(inner)
        weights.extend((after - before) / _CHARACTERS_A_WORD for before, after in pairwise([*inner, end]))
    return _Layout(
        text,
        pieces,
        [0.0, *accumulate(weights)],
        [found.end() for found in _PARAGRAPH_ENDS.finditer(text)],
        [found.end() for found in _SENTENCE_ENDS.finditer(text)],
    )
