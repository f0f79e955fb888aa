"""The best passage of each long message: what stands for it in the ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trace_graph.access.scopes import Scope
from trace_graph.embed.protocol import Vector
from trace_graph.retrieve.question import Question
from trace_graph.retrieve.ranked_lists import over_fetch, scan_is_cheaper
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row


@dataclass(frozen=True)
class Part:
    """A passage of a long message."""

    message: str
    span: tuple[int, int]
    """Characters of the message's text."""
    hits: tuple[str, ...]
    length: int
    """Terms in it."""
    cosine: float | None
    """None where it was found by keywords."""
    found_by: str


async def best_parts(
    store: Store, scope: Scope, question: Question, vector: Vector | None, *, k: int, stored: Mapping[str, int]
) -> dict[str, Part]:
    """For each long message that a passage was found of, its best passage: most distinct terms, then cosine.

    `stored` counts the whole database's passages.
    """
    parts: list[Part] = []
    for text in question.searches:
        rows = await store.read("recall_passages_text", text=text, spaces=scope.ids, k=k + scope.later_passages)
        rows = await _there_then(store, scope, rows, k)
        parts += [_part(row, question, "passage text") for row in rows]
    if vector is not None:
        rows = await _nearest(store, scope, vector, k, stored["passages"])
        parts += [_part(row, question, "passage vector") for row in rows]
    best: dict[str, Part] = {}
    for part in parts:
        if part.message not in best or _goodness(part) > _goodness(best[part.message]):
            best[part.message] = part
    return best


async def _nearest(store: Store, scope: Scope, vector: Vector, k: int, stored: int) -> list[Row]:
    readable = sum(space.passages for space in scope.spaces)
    shared = {
        "vector": vector.tolist(), "spaces": scope.ids, "k": k + scope.later_passages,
        "scale": store.engine.cosine_scale, "shift": store.engine.cosine_shift}
    if not scan_is_cheaper(readable, stored, k):
        rows = await store.read("recall_passages_index", **shared, fetch=over_fetch(readable, stored, k))
        rows = await _there_then(store, scope, rows, k)
        if len(rows) >= min(k, readable):
            return rows
    return await _there_then(store, scope, await store.read("recall_passages_scan", **shared), k)


async def _there_then(store: Store, scope: Scope, rows: list[Row], k: int) -> list[Row]:
    """The k first passages of messages that there were then: a passage does not say since when it is there."""
    if not scope.later_passages:
        return rows
    ids = sorted({row["message"] for row in rows})
    known = {
        row["id"] for row in await store.read("recorded_in", ids=ids, spaces=scope.ids)
        if row["change_seq"] <= scope.bounds[row["space"]]}
    return [row for row in rows if row["message"] in known][:k]


def _goodness(part: Part) -> tuple[int, float, int]:
    # Of equals the first in its message, so that the order in which an index gives them decides nothing.
    return len(set(part.hits)), part.cosine or 0.0, -part.span[0]


def _part(row: Row, question: Question, found_by: str) -> Part:
    hits, length = question.hits(row["terms"])
    return Part(row["message"], (row["start"], row["end"]), hits, length, row.get("cosine"), found_by)
