"""The two ranked lists that recall begins with: messages by keywords, and by meaning."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.retrieve.question import Question
from trace_graph.store.connection import Store


class Found(NamedTuple):
    """A message of a ranked list."""

    score: float
    author: str


async def text_list(store: Store, scope: Scope, question: Question, k: int) -> dict[str, Found]:
    """The k best messages by keywords, by id, best first; their scores have no scale.

    Several keyword queries where the engines would refuse one: a message's scores of them are added.
    """
    found: dict[str, Found] = {}
    # A limit counts before any filter: of so many, k are no later ones.
    shared = {"spaces": scope.ids, "bounds": scope.bounds, "k": k, "fetch": k + scope.later_messages}
    for text in question.searches:
        for id, score, author in await store.read_lists("recall_by_text", text=text, **shared):
            found[id] = Found(found[id].score + score if id in found else score, author)
    return dict(sorted(found.items(), key=lambda one: -one[1].score)[:k])


async def vector_list(
    store: Store, scope: Scope, vector: Vector, k: int, stored: Mapping[str, int]
) -> dict[str, Found]:
    """The k messages nearest in meaning, by id, scored by cosine (of the index's own precision), best first.

    `stored` counts the messages of the whole database.
    """
    readable = sum(space.messages for space in scope.spaces)
    shared = {"vector": vector.tolist(), "spaces": scope.ids, "bounds": scope.bounds, "k": k}
    fetch = k + scope.later_messages
    if store.engine.vector_list == "search" and search_is_safe(readable + scope.later_messages, fetch):
        found = await store.read_lists("recall_by_vector_search", **shared, fetch=fetch)
        return _by_cosine(found, 2.0, 1.0)
    if not scan_is_cheaper(readable, stored["messages"], k):
        fetch = over_fetch(readable, stored["messages"], k)
        found = await store.read_lists("recall_by_vector_index", **shared, fetch=fetch)
        if len(found) >= min(k, readable):
            return _by_cosine(found, 2.0, 1.0)
        # Other spaces, or what came later, lie nearer to the question and took the places: only a scan finds the rest.
    scanned = await store.read_lists("recall_by_vector_scan", **shared)
    return _by_cosine(scanned, store.engine.cosine_scale, store.engine.cosine_shift)


def search_is_safe(indexed: int, fetch: int) -> bool:
    """Whether the index that filters inside of it may be asked for so many of so many.

    Neo4j 2026.09.0 fails, with an index out of bounds in Lucene, where it is to give more than it has of a space and
    anything was ever deleted (seen 2026-11-30). Half of what is counted leaves room for what was erased, or has no
    vector.
    """
    return 2 * fetch <= indexed


def scan_is_cheaper(readable: int, stored: int, k: int) -> bool:
    """Whether to scan the readable vectors exactly instead of over-fetching from the index of all.

    Source: estimate from the engines' measured costs: about 6,000 of 100,000 is where the two meet.
    """
    return readable * readable <= 2 * k * stored


def over_fetch(readable: int, stored: int, k: int) -> int:
    """How many to take from the index so that about k of them are readable. Source: the trial of the engines."""
    return max(k, round(1.5 * k * stored / max(1, readable)))


def most_promising(
    by_text: Mapping[str, Found], by_vector: Mapping[str, Found], names: Container[str], settings: RecallSettings
) -> list[str]:
    """The ids of the two lists whose neighbours are worth reading, the most promising first.

    What a list does not hold counts as its worst: no keyword, or the cosine of its end.
    Source: measured; without the speaker it costs .010 of the evidence (docs/decisions/0003-recall.md).
    """
    highest = max((one.score for one in by_text.values()), default=0.0) or 1.0
    lowest = min((one.score for one in by_vector.values()), default=0.0)
    promise = {
        id: (by_text[id].score / highest if id in by_text else 0.0)
        + settings.vector_weight * (by_vector[id].score if id in by_vector else lowest)
        + (settings.speaker_weight if one.author in names else 0.0)
        for id, one in {**by_text, **by_vector}.items()}
    return sorted(promise, key=lambda id: -promise[id])[:settings.expanded_large]


def _by_cosine(rows: Sequence[Sequence[Any]], scale: float, shift: float) -> dict[str, Found]:
    return {id: Found(scale * score - shift, author) for id, score, author in rows}
