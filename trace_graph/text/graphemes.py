"""Where a text may be cut without splitting what a reader sees as one character.

Source: Unicode Annex 29, extended grapheme clusters, without the few prepended marks.
"""

from __future__ import annotations

import unicodedata

LONGEST_GRAPHEME = 64
"""Characters (guess). Marks piled higher than this are cut: the longest emoji has about 10, and the stream-safe
text format (Unicode Annex 15) allows 30 marks."""

_JOINER = "\u200d"
_VIRAMA_CLASS = 9
_FIRST_COMBINING = "\u0300"


def is_border(text: str, position: int, start: int = 0) -> bool:
    """Whether the text may be cut before `position`; `start` is a border at or before it, where looking back ends."""
    if position <= start or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < _FIRST_COMBINING and after < _FIRST_COMBINING:
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _JOINER or _is_one_syllable(before, after):
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, position, start) % 2 == 0
    return True


def border_before(text: str, position: int, start: int = 0) -> int:
    """The last border at or before `position` and after `start`, which is a border itself.

    Where one grapheme fills that whole stretch, the first border after it; one of over `LONGEST_GRAPHEME`
    characters is cut.
    """
    for candidate in range(position, max(start, position - LONGEST_GRAPHEME), -1):
        if is_border(text, candidate, start):
            return candidate
    for candidate in range(position + 1, start + LONGEST_GRAPHEME + 1):
        if is_border(text, candidate, start):
            return min(candidate, len(text))
    return min(max(position, start + 1), len(text))


def _extends(character: str) -> bool:
    return (
        unicodedata.category(character)[0] == "M"
        or character in "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_one_syllable(before: str, after: str) -> bool:
    if unicodedata.combining(before) == _VIRAMA_CLASS:
        return unicodedata.category(after) == "Lo"
    if not (_is_jamo(before) or _is_syllable(before)):
        return False
    if "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb":
        return True
    return _is_leading_jamo(before) and (_is_leading_jamo(after) or _is_syllable(after))


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff" or "\ua960" <= character <= "\ua97c" or "\ud7b0" <= character <= "\ud7fb"


def _is_leading_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u115f" or "\ua960" <= character <= "\ua97c"


def _is_syllable(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, position: int, start: int) -> int:
    count = 0
    while position - count > start and _is_flag_letter(text[position - count - 1]):
        count += 1
    return count
