"""Labels in an answer become numbers, also while it is still being written. Pure.

A model writes `[M3]`, `[M3, M7]` or `(M3)`; people read `[1]`. Numbers count the messages in the order in which they
are first cited. A label that was not given is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from trace_graph.llm.labels import resolve_all

_BRACKETS = re.compile(
    r"[ \t]*[\[(（【]\s{0,2}([A-Za-z]\d{1,5}(?:\s{0,2}[,;、]?\s{0,2}[A-Za-z]\d{1,5}){0,39})\s{0,2}[\])）】]")
_LABEL = re.compile(r"[A-Za-z]\d{1,5}")
_BEGUN = re.compile(r"[ \t]*[\[(（【][A-Za-z0-9,;、\s]{0,500}\Z|[ \t]+\Z")
"""The end of a text that may be the beginning of a citation, of which the longest has fewer characters."""


def without_labels(text: str) -> str:
    """The text with a space in what would be read as a citation: `[M1]` becomes `[M 1]`."""
    return _BRACKETS.sub(lambda found: _LABEL.sub(lambda label: f"{label[0][0]} {label[0][1:]}", found[0]), text)


class Citing:
    """Turns labels into numbers, piece by piece."""

    def __init__(self, labels: Collection[str]) -> None:
        """`labels` are those of the messages that were given."""
        self.dropped = 0
        """Citations of something else."""
        self._labels = {label.casefold(): label for label in labels}
        self._numbers: dict[str, int] = {}
        self._held = ""

    @property
    def cited(self) -> list[str]:
        """The labels cited so far, in the order of their numbers, from 1."""
        return list(self._numbers)

    def feed(self, text: str) -> str:
        """The next piece of the answer, as far as it can be read; an unfinished citation is held back."""
        text = self._held + text
        begun = _BEGUN.search(text)
        end = len(text) if begun is None else begun.start()
        self._held = text[end:]
        return _BRACKETS.sub(self._replaced, text[:end])

    def end(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return _BRACKETS.sub(self._replaced, held)

    def listed(self, choices: object) -> None:
        """Take in the list of citations beside the answer."""
        found = resolve_all(choices, dict.fromkeys(self._labels.values()))
        self.dropped += found.dropped
        for label in found.labels:
            self._number(label)

    def _number(self, label: str) -> int:
        return self._numbers.setdefault(label, len(self._numbers) + 1)

    def _replaced(self, found: re.Match[str]) -> str:
        written = [each.casefold() for each in _LABEL.findall(found[1])]
        known = [self._labels[each] for each in written if each in self._labels]
        if not known and not any(_alike(each, self._labels) for each in written):
            return found[0]  # "(A4)" may be a sheet of paper
        self.dropped += len(written) - len(known)
        numbers = [self._number(label) for label in dict.fromkeys(known)]
        lead = " " if found[0][:1] in " \t" else ""
        return f"{lead}[{', '.join(map(str, numbers))}]" if numbers else ""


def _alike(label: str, labels: Collection[str]) -> bool:
    return any(known[:1] == label[:1] for known in labels)
