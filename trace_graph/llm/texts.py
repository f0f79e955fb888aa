"""The texts that a prompt's ids stand for: read when a request is made, and again when it is rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class MessageText:
    """A message as a prompt shows it."""

    author: str
    role: str
    occurred_at: datetime
    """With the sender's own offset."""
    text: str


@dataclass(frozen=True)
class RevisionText:
    """A wording of a topic as a prompt shows it."""

    title: str
    text: str


@dataclass(frozen=True)
class Named:
    """The ids that a prompt's inputs name."""

    messages: frozenset[str] = frozenset()
    revisions: frozenset[str] = frozenset()

    @classmethod
    def of(cls, messages: Iterable[str] = (), revisions: Iterable[str | None] = ()) -> Named:
        """Without the None among them."""
        return cls(frozenset(messages), frozenset(one for one in revisions if one is not None))


@dataclass(frozen=True)
class Texts:
    """By id. Whoever renders a prompt looks an id up here and nowhere else, so that a request can be rebuilt."""

    messages: Mapping[str, MessageText] = field(default_factory=dict)
    revisions: Mapping[str, RevisionText] = field(default_factory=dict)

    def lacks(self, named: Named) -> list[str]:
        """The ids among these that have no text here (erased since), sorted."""
        return sorted((named.messages - self.messages.keys()) | (named.revisions - self.revisions.keys()))
