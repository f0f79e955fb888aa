"""Candidates from the database: the most promising of two ranked lists with their neighbours, and passages."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.retrieve.passages import Part, best_parts
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.ranked_lists import most_promising, text_list, vector_list
from trace_graph.store.connection import Store
from trace_graph.store.engine import Engine


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
    role: str = "user"


async def find_candidates(
    store: Store, scope: Scope, question: Question, vector: Vector | None, settings: RecallSettings,
    *, only: Collection[str] | None = None,
) -> list[Candidate]:
    """All messages worth scoring, with the neighbours that their windows need; 500 to 1,000, in no order.

    With `only` those and no others, as far as they are there: what an earlier recall scored.
    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    is_large = sum(space.messages for space in scope.spaces) >= settings.large_from
    k = settings.candidates_large if is_large else settings.candidates
    stored = await _stored(store) if vector is not None else {}
    by_text = await text_list(store, scope, question, k)
    by_vector = await vector_list(store, scope, vector, k, stored) if vector is not None else {}
    parts: dict[str, Part] = {}
    if any(space.passages for space in scope.spaces):
        parts = await best_parts(store, scope, question, vector, settings=settings, stored=stored)
    ids = most_promising(by_text, by_vector, question.names, settings) if is_large else [*by_text, *by_vector]
    found = await with_neighbours(store, scope, question, vector, {*ids, *parts} if only is None else only)
    if only is not None:
        found = [one for one in found if one.id in only]
    return list(_described(found, by_text, by_vector, parts))


async def _stored(store: Store) -> Mapping[str, int]:
    """Messages and passages of the whole database."""
    return (await store.read("count_stored"))[0]


async def with_neighbours(
    store: Store, scope: Scope, question: Question, vector: Vector | None, ids: Iterable[str]
) -> list[Candidate]:
    """These messages and the neighbours that their windows need; how they were found is not said.

    Raises: EngineUnavailable, EngineTimeout, StoreFailed.
    """
    wanted = sorted(ids)
    rows = await store.read_lists(
        "recall_rows", ids=wanted, spaces=scope.ids, bounds=scope.bounds,
        vector=None if vector is None else vector.tolist(),
    ) if wanted else []
    return [_candidate(row, question, store.engine) for row in rows]


def _candidate(row: Sequence[Any], question: Question, engine: Engine) -> Candidate:
    """A row of recall_rows: its columns stand in the query's header."""
    id, space, session, seq, author, day, tokens, terms, similarity, role = row
    hits, length = question.hits(terms)
    cosine = 0.0 if similarity is None else engine.cosine_scale * similarity - engine.cosine_shift
    return Candidate(id, space, session, seq, author, day, tokens, hits, length, cosine, (), role=role)


def _described(
    candidates: Iterable[Candidate], by_text: Container[str], by_vector: Container[str], parts: Mapping[str, Part]
) -> Iterable[Candidate]:
    """Each candidate with how it was found; a long message is scored by its best passage.

    Its own length would drown the words that matter.
    """
    for one in candidates:
        ways = [way for way, found in (("text", by_text), ("vector", by_vector)) if one.id in found]
        part = parts.get(one.id)
        if part is None:
            yield one._replace(found_by=tuple(ways) or ("neighbour",))
        else:
            yield one._replace(
                hits=part.hits, length=part.length, part=part.span, found_by=(*ways, part.found_by),
                cosine=one.cosine if part.cosine is None else max(part.cosine, one.cosine))
