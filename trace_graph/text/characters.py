"""Which characters are invisible, and which scripts are written without spaces.

The constants are bodies of character classes for `re`: put them between square brackets.
"""

from __future__ import annotations

import re

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Characters that leave no mark of their own: zero-width, joiners, bidi controls, variation selectors, tags, fillers.

Source: Unicode 16, Default_Ignorable_Code_Point, and the format characters (Cf) that are not drawn.
"""

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3005-\u3007\u3021-\u302f\u3031-\u3035\u303b\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f"
    "\U0001b000-\U0001b16f\U00020000-\U0003fffd"
)
"""Letters of scripts that put no spaces between words: Han, kana, bopomofo, Thai, Lao, Burmese, Khmer."""

HANGUL = "\u1100-\u115e\u1161-\u11ff\u3131-\u3163\u3165-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
"""Korean: written with spaces, but endings are joined to the words."""

WIDE_PUNCTUATION = "\u3001-\u3004\u3008-\u3020\u3030\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
"""Punctuation of the scripts without spaces, each as wide as a letter of theirs."""

_DRAWN_FORMAT = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
_BLANK_SYMBOL = "\u2800"
_SEEN = re.compile(rf"[^\s\x00-\x1f\x7f-\x9f{IGNORABLE}{_DRAWN_FORMAT}{_BLANK_SYMBOL}]")


def is_blank(text: str) -> bool:
    """Whether nothing is left without white space, control, format and other invisible characters."""
    return _SEEN.search(text) is None
