"""The text of one field of a JSON reply, while the reply arrives."""

from __future__ import annotations

import json
import re

from trace_graph.llm.reading_json import LONGEST
from trace_graph.llm.values import OnText

_OPENED = re.compile(r"<think(?:ing)?>|<\|channel\|>", re.IGNORECASE)
_PASSED = re.compile(
    r"</think(?:ing)?>|<\|channel\|>\s*final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.IGNORECASE)
_WHOLE = re.compile(r"""(?:[^"\\]|\\["\\/bfnrt]|\\u[dD][89abAB]\w{2}\\u\w{4}|\\u(?![dD][89abAB])\w{4})*""")
"""The part of a JSON text that can be decoded: no half escape, no half of a surrogate pair."""


class FieldText:
    """Gives the text of a field on piece by piece; nothing of what a model thinks before it replies."""

    def __init__(self, field: str, on_text: OnText) -> None:
        self._start = re.compile(rf'"{re.escape(field)}"\s*:\s*"')
        self._on_text = on_text
        self._rest = ""
        self._inside = False
        self._over = False

    def __call__(self, raw: str) -> None:
        """Take the next piece of the reply."""
        if self._over:
            return
        self._rest += raw
        # A text begins behind a quote, so that most pieces before it cost nothing.
        if not self._inside and ('"' not in raw or not self._begins()):
            self._over = len(self._rest) > LONGEST
            return
        match = _WHOLE.match(self._rest)
        whole = match[0] if match else ""
        self._over = self._rest[len(whole):].startswith('"')
        self._rest = self._rest[len(whole):]
        if text := _decoded(whole):
            self._on_text(text)

    def _begins(self) -> bool:
        passed = list(_PASSED.finditer(self._rest))
        reply = self._rest[passed[-1].end():] if passed else self._rest
        match = None if _OPENED.search(reply) else self._start.search(reply)
        if match:
            self._inside, self._rest = True, reply[match.end():]
        return self._inside


def _decoded(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:  # an escape that is none: the reply will be refused
        return ""
