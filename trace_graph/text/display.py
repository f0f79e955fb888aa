"""How stored text is shown on a terminal: nothing hidden, nothing live."""

from __future__ import annotations

import re

from trace_graph.text.characters import IGNORABLE
from trace_graph.text.graphemes import border_before

_FLAG_BY_TAGS = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_DOUBTFUL = re.compile(rf"({_FLAG_BY_TAGS})|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{IGNORABLE}]")
_HIDDEN = re.compile(rf"[\s\x00-\x1f\x7f-\x9f{IGNORABLE}]")
_VARIATION = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, one_line: bool = False) -> str:
    r"""The text with everything that a terminal would act on or hide written as an escape (`\x1b`, `\u202e`).

    So are control characters, bidi controls, tag and zero-width characters, and lone surrogates. Kept: emoji, flags,
    variation selectors after a character, and joiners between letters or emoji that use them. Line ends and tabs are
    kept as well, unless `one_line` is set.
    """
    if not one_line:
        text = text.replace("\r\n", "\n")
    return _DOUBTFUL.sub(lambda found: _shown(found, one_line), text)


def clip(text: str, limit: int) -> str:
    """The text cut to at most `limit` characters, the last of them an ellipsis where something was cut.

    It is cut between graphemes, so less than `limit` may be left.
    """
    if len(text) <= limit:
        return text
    if limit <= 1:
        return "…"[:limit]
    end = border_before(text, limit - 1)
    return text[: end if end < limit else 0].rstrip() + "…"


def _shown(found: re.Match[str], one_line: bool) -> str:
    character = found.group()
    if found.group(1) or (character in "\n\t" and not one_line) or _belongs(found.string, found.start()):
        return character
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _belongs(text: str, position: int) -> bool:
    """Whether an invisible character shapes the one before it, as it does in ordinary writing."""
    if position == 0:
        return False
    before, character = text[position - 1], text[position]
    if _VARIATION.match(character):
        return not _HIDDEN.match(before)
    if character not in _JOINERS or position + 1 == len(text):
        return False
    joins = not before.isascii() and (_VARIATION.match(before) or not _HIDDEN.match(before))
    return bool(joins) and not _HIDDEN.match(text[position + 1])
