"""A question, read: its terms, the speakers it names, the dates it names. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import get_args

from trace_graph.access.scopes import Scope
from trace_graph.models import Role
from trace_graph.retrieve.asking import Meant, asks_for_many, meant_role, without_asking_words
from trace_graph.retrieve.dates import DateRange, date_ranges
from trace_graph.text.terms import MOST_CLAUSES, lucene_query, prefixed, terms

MOST_TERMS = 1000
"""Distinct terms of a question that are looked for, the first ones. Guess: a page of text has 200."""

READ_FOR_DATES = 10_000
"""First characters of a question in which dates, and how it asks, are looked for. Guess: three pages."""


@dataclass(frozen=True)
class Question:
    """What the ranking needs to know of a question."""

    text: str
    terms: tuple[str, ...]
    """Distinct, without the names of speakers, which are a signal of their own, and without words that only ask."""
    keys: tuple[str, ...]
    """The terms with each space's key in front, as they stand in the index."""
    names: frozenset[str]
    """Speakers that the question names, as they are written in the memory."""
    ranges: tuple[DateRange, ...]
    role: Meant | None = None
    """Whose words are asked for, the user's or the assistant's, where the question says so."""
    wants_many: bool = False
    """Whether the answer is spread by nature: a list, a count, an order, a summary."""

    @property
    def has_meaning(self) -> bool:
        """Whether it holds a letter, a digit or a picture; the vector of bare punctuation would find just anything."""
        return any(unicodedata.category(character)[0] in "LN" or unicodedata.category(character) == "So"
                   for character in self.text)

    @property
    def searches(self) -> list[str]:
        """The keyword queries, each as long as the engines take; none where there is no term to look for.

        All terms of a space stand in one query, so that its messages are ranked by all of them.
        """
        spaces = max(1, MOST_CLAUSES // max(1, len(self.terms)))
        step = spaces * len(self.terms)
        return [lucene_query(self.keys[start:start + step]) for start in range(0, len(self.keys), step or 1)]

    def hits(self, keys: str | None) -> tuple[tuple[str, ...], int]:
        """The question's terms among a message's indexed ones, each as often as it occurs; and how many it has.

        None of what is not read: the message is so long that passages stand for it.
        """
        if keys is None:
            return (), 0
        all_keys = keys.split(" ")
        return tuple([self._term_of[key] for key in all_keys if key in self._term_of]), len(all_keys)

    @cached_property
    def _term_of(self) -> dict[str, str]:
        return {key: key.partition("_")[2] for key in self.keys}


def read_question(text: str, scope: Scope, asked_at: datetime) -> Question:
    """Read a question against the spaces it is put to."""
    authors = {author for space in scope.spaces for author in space.authors} - set(get_args(Role))
    named = {term for author in authors for term in terms(author)}
    distinct = tuple(dict.fromkeys(terms(text)))
    # Nothing but names: then the names are all there is to look for.
    wanted = tuple(term for term in distinct if term not in named) or distinct
    wanted = without_asking_words(wanted)[:MOST_TERMS]
    keys = tuple(key for space in scope.spaces for key in prefixed(wanted, space.key))
    head = text[:READ_FOR_DATES]
    return Question(
        text=text, terms=wanted, keys=keys, names=frozenset(_named(text, authors)),
        ranges=tuple(date_ranges(head, asked_at)), role=meant_role(head), wants_many=asks_for_many(head))


def _named(text: str, authors: Iterable[str]) -> set[str]:
    """Authors whose whole name, or a word of at least three letters of it, stands in the text.

    In scripts without spaces between words a name need not stand alone.
    """
    folded = text.casefold()
    words = set(re.findall(r"\w+", folded))
    found = set()
    for author in authors:
        parts = re.findall(r"\w+", author.casefold())
        whole = set(parts) <= words and author.casefold() in folded
        in_part = any(len(part) >= 3 and part in words for part in parts)
        unspaced = not author.isascii() and author in text
        if whole or in_part or unspaced:
            found.add(author)
    return found
