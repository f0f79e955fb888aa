"""Which session the messages of a conversation get that has no id of its own.

Two files of one name, `monday/chat.json` and `tuesday/chat.json`, are two conversations, and a file that has grown is
still the same one. So a conversation is known by its file's name and its beginning: its messages up to the first one of
a user, at most ten. That names its session (`chat/1f0c52b7a9de`), and the messages' ids are made from the session and
from what each one holds.

What follows from it: a conversation may grow at its end, have a later message mended, be moved to another folder, or
change its place among others of its file, and nothing is stored twice. It is another one when its beginning is changed,
when its file gets another name, or when the file held less than the beginning at its first import. Two that begin word
for word alike (times included, where the messages have any) in files of one name are taken for one; in one file they
are told apart by their order.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from trace_graph.ingest.importers.lines import Place

LONGEST_BEGINNING = 10
"""Messages, where none is a user's. Guess: system prompts and greetings."""
LONGEST_STEM = 200
"""Characters of the file's name in a session's, which has at most 256."""


class Said(NamedTuple):
    """One message whose session is known."""

    place: Place
    value: object
    """The message as the file has it."""
    session: str


class Names:
    """Names the sessions of one file; `stem` is its name without the ending."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._seen: Counter[str] = Counter()

    def session(self, beginning: list[object]) -> str:
        """The session of a conversation that begins so; not the same twice."""
        digest = hashlib.sha256(_text(beginning).encode()).hexdigest()[:12]
        self._seen[digest] += 1
        again = f"/{self._seen[digest]}" if self._seen[digest] > 1 else ""
        return f"{self._stem[:LONGEST_STEM]}/{digest}{again}"


class Conversation:
    """One conversation while it is read: holds messages back until its beginning is complete."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._held: list[tuple[Place, object]] = []
        self._session: str | None = None

    def add(self, place: Place, value: object) -> Iterator[Said]:
        """Take the next message; the messages whose session is known by now."""
        if self._session is not None:
            yield Said(place, value, self._session)
            return
        self._held.append((place, value))
        if _is_users(value) or len(self._held) == LONGEST_BEGINNING:
            yield from self.end()

    def end(self) -> Iterator[Said]:
        """The messages that are held back yet."""
        if not self._held:
            return
        self._session = self._names.session([value for _, value in self._held])
        held, self._held = self._held, []
        for place, value in held:
            yield Said(place, value, self._session)


def _is_users(value: object) -> bool:
    return isinstance(value, dict) and value.get("role") == "user"


def _text(values: list[object]) -> str:
    try:
        return json.dumps(values, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # no message either: it is rejected by itself
        return json.dumps([None] * len(values))
