"""Candidates from the database: two ranked lists with their neighbours, and passages of long messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.retrieve.question import Question
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

BY_VECTOR = 10
"""The column of a recall query's row that says whether the list by vectors brought it."""


class Candidate(NamedTuple):
    """One message that may be an answer, or a neighbour of one."""

    id: str
    space: str
    session: str
    seq: int
    author: str
    day: int
    """Days since 1970-01-01, on the clock of the place where it was said."""
    tokens: int
    hits: tuple[str, ...]
    """The question's terms in it, as often as they occur, without the space's key."""
    length: int
    """Terms in it; of its best passage for a long message."""
    cosine: float
    """-1 to 1; of its best passage for a long message."""
    found_by: tuple[str, ...]
    part: tuple[int, int] | None = None
    """The passage that stands for a long message."""


@dataclass(frozen=True)
class _Part:
    message: str
    span: tuple[int, int]
    hits: tuple[str, ...]
    length: int
    cosine: float | None
    found_by: str


async def find_candidates(
    store: Store, scope: Scope, question: Question, vector: Vector | None, settings: RecallSettings
) -> list[Candidate]:
    """All messages worth scoring, with the neighbours that their windows need; about 500, in no order.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    rows = await _message_rows(store, scope, question, vector, settings)
    found = {candidate.id: candidate for candidate in map(_candidate, rows)}
    if any(space.passages for space in scope.spaces):
        parts = await _best_parts(store, scope, question, vector, settings)
        missing = [message for message in parts if message not in found]
        if missing:
            more = await store.read_lists(
                "recall_rows", ids=missing, terms=list(question.keys), vector=_floats(vector), spaces=scope.ids,
                scale=store.engine.cosine_scale, shift=store.engine.cosine_shift)
            found = {candidate.id: candidate for candidate in map(_candidate, more)} | found
        for message, part in parts.items():
            if message in found:
                found[message] = _standing_for(found[message], part)
    return list(found.values())


async def _message_rows(
    store: Store, scope: Scope, question: Question, vector: Vector | None, settings: RecallSettings
) -> list[list[Any]]:
    readable = sum(space.messages for space in scope.spaces)
    k = settings.candidates if readable < settings.large_from else settings.candidates_large
    shared: dict[str, Any] = {"text": question.lucene, "terms": list(question.keys), "spaces": scope.ids, "k": k}
    if vector is None:
        return await store.read_lists("recall_candidates_text", **shared) if question.lucene else []
    shared |= {
        "vector": _floats(vector), "scale": store.engine.cosine_scale, "shift": store.engine.cosine_shift}
    if store.engine.vector_list == "search":
        return await store.read_lists("recall_candidates_search", **shared)
    stored = (await store.read("count_stored"))[0]["messages"]
    if not scan_is_cheaper(readable, stored, k):
        rows = await store.read_lists("recall_candidates_index", **shared, fetch=over_fetch(readable, stored, k))
        if sum(row[BY_VECTOR] for row in rows) >= min(k, readable):
            return rows
        # Other spaces lie nearer to the question and took the places: only a scan finds what is here.
    return await store.read_lists("recall_candidates_scan", **shared)


async def _best_parts(
    store: Store, scope: Scope, question: Question, vector: Vector | None, settings: RecallSettings
) -> Mapping[str, _Part]:
    """For each long message that a passage was found of, its best passage: most distinct terms, then cosine."""
    shared: dict[str, Any] = {"terms": list(question.keys), "spaces": scope.ids, "k": settings.candidates}
    parts: list[_Part] = []
    if question.lucene:
        rows = await store.read("recall_passages_text", text=question.lucene, **shared)
        parts += [_part(row, "passage text") for row in rows]
    if vector is not None:
        shared |= {
            "vector": _floats(vector), "scale": store.engine.cosine_scale, "shift": store.engine.cosine_shift}
        readable = sum(space.passages for space in scope.spaces)
        stored = (await store.read("count_stored"))[0]["passages"]
        rows = []
        if not scan_is_cheaper(readable, stored, settings.candidates):
            rows = await store.read(
                "recall_passages_index", **shared, fetch=over_fetch(readable, stored, settings.candidates))
        if len(rows) < min(settings.candidates, readable):
            rows = await store.read("recall_passages_scan", **shared)
        parts += [_part(row, "passage vector") for row in rows]
    best: dict[str, _Part] = {}
    for part in parts:
        if part.message not in best or _goodness(part) > _goodness(best[part.message]):
            best[part.message] = part
    return best


def scan_is_cheaper(readable: int, stored: int, k: int) -> bool:
    """Whether to scan the readable vectors exactly instead of over-fetching from the index of all.

    Source: estimate from the engines' measured costs: about 6,000 of 100,000 is where the two meet.
    """
    return readable * readable <= 2 * k * stored


def over_fetch(readable: int, stored: int, k: int) -> int:
    """How many to take from the index so that about k of them are readable. Source: the trial of the engines."""
    return max(k, round(1.5 * k * stored / max(1, readable)))


def _standing_for(candidate: Candidate, part: _Part) -> Candidate:
    """A long message is scored by its best passage: its own length would drown the words that matter."""
    return candidate._replace(
        hits=part.hits, length=part.length, part=part.span,
        cosine=candidate.cosine if part.cosine is None else max(part.cosine, candidate.cosine),
        found_by=(*(way for way in candidate.found_by if way != "neighbour"), part.found_by))


def _goodness(part: _Part) -> tuple[int, float]:
    return len(set(part.hits)), part.cosine or 0.0


def _part(row: Row, found_by: str) -> _Part:
    return _Part(
        row["message"], (row["start"], row["end"]), _bare(row["hits"]), row["length"], row.get("cosine"), found_by)


_WAYS = {
    (0, 0): ("neighbour",), (1, 0): ("text",), (0, 1): ("vector",), (1, 1): ("text", "vector")}
"""How a candidate was found, by what the two lists say: the keyword list, the vector list."""


def _candidate(row: Sequence[Any]) -> Candidate:
    """A row of the recall queries: their columns stand in the header of cypher/recall.cypher."""
    id, space, session, seq, author, day, tokens, hits, length, by_text, by_vector, cosine = row
    return Candidate(
        id, space, session, seq, author, day, tokens, _bare(hits) if hits else (), length, cosine,
        _WAYS[by_text, by_vector])


def _bare(hits: Sequence[str]) -> tuple[str, ...]:
    return tuple([hit.partition("_")[2] for hit in hits])


def _floats(vector: Vector | None) -> list[float] | None:
    return None if vector is None else vector.tolist()
