"""How many tokens a text costs, without a tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable

from trace_graph.text.characters import UNSPACED, WIDE_PUNCTUATION

TokenCounter = Callable[[str], int]
"""Gives the tokens of a text; a user may plug in the one of their model."""

_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}{WIDE_PUNCTUATION}]")


def count_words(text: str) -> float:
    """The number of white-space separated words; a character of a script without spaces counts as 0.75 word.

    Source: 0.75 is a guess (a Han character is 0.7 to 1.5 tokens of common models).
    """
    return _quarter_words(text) / 4


def count_tokens(text: str) -> int:
    """The words of `count_words` x 1.33, rounded up.

    A character of a script without spaces so counts as one token. Special tokens of a model that occur in the text
    are ordinary text. Source: retrieval recipe, words x 1.33.
    """
    return -(-_quarter_words(text) * 133 // 400)


def _quarter_words(text: str) -> int:
    if text.isascii():
        return 4 * len(text.split())
    rest, characters = _UNSPACED_CHARACTER.subn(" ", text)
    return 4 * len(rest.split()) + 3 * characters
