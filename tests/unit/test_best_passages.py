"""Which passage stands for a long message."""

from __future__ import annotations

import itertools

from trace_graph.config import RecallSettings
from trace_graph.retrieve.passages import Part, best_of_each
from trace_graph.retrieve.question import Question

QUESTION = Question("?", ("petrel", "boat"), ("s1_petrel", "s1_boat"), frozenset(), ())


def part(message: str, start: int, *hits: str, cosine: float | None = 0.0) -> Part:
    return Part(message, (start, start + 600), hits, 50, cosine, "passage text")


def best(*parts: Part) -> dict[str, tuple[int, int]]:
    return {id: one.span for id, one in best_of_each(parts, QUESTION, RecallSettings()).items()}


def test_keywords_and_meaning_are_weighed_together() -> None:
    words, meaning = part("a", 0, "petrel", "boat", cosine=0.1), part("a", 600, cosine=0.6)
    both = part("a", 1200, "petrel", cosine=0.6)

    assert best(words, meaning, both) == {"a": (1200, 1800)}


def test_each_message_has_its_own() -> None:
    assert best(part("a", 0), part("a", 600, "boat"), part("b", 0, cosine=0.2), part("b", 600, cosine=0.3)) == {
        "a": (600, 1200), "b": (600, 1200)}


def test_of_equals_the_first_in_the_text_in_whatever_order_they_come() -> None:
    parts = [part("a", start, "boat", cosine=None) for start in (0, 600, 1200)]

    assert {tuple(best(*order)["a"]) for order in itertools.permutations(parts)} == {(0, 600)}


def test_nothing_found_is_nothing() -> None:
    assert best() == {}
