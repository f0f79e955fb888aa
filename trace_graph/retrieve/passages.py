"""The best passage of each long message: what stands for it in the ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trace_graph.access.scopes import Scope
from trace_graph.config import RecallSettings
from trace_graph.embed.protocol import Vector
from trace_graph.retrieve.bm25 import bm25, normalised, term_counts
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
    """None where it has no vector, or the question none."""
    found_by: str


async def best_parts(
    store: Store, scope: Scope, question: Question, vector: Vector | None, *, settings: RecallSettings,
    stored: Mapping[str, int]
) -> dict[str, Part]:
    """For each long message that a passage was found of, its best passage, by keywords and meaning together.

    `stored` counts the whole database's passages.
    """
    k = settings.candidates
    rows: dict[str, tuple[Row, str]] = {}
    scale = {"scale": store.engine.cosine_scale, "shift": store.engine.cosine_shift}
    if vector is not None:
        for row in await _nearest(store, scope, vector, k, stored["passages"]):
            rows[row["id"]] = row, "passage vector"
    asked = None if vector is None else vector.tolist()
    for text in question.searches:
        found = await store.read(
            "recall_passages_text", text=text, spaces=scope.ids, k=k + scope.later_passages, vector=asked, **scale)
        for row in await _there_then(store, scope, found, k):
            rows[row["id"]] = row, "passage text"
    parts = [_part(row, question, found_by) for row, found_by in rows.values()]
    return best_of_each(parts, question, settings)


def best_of_each(parts: Sequence[Part], question: Question, settings: RecallSettings) -> dict[str, Part]:
    """The passage that stands for each message: the best by keywords and meaning, of equals the first in its text."""
    if not parts:
        return {}
    counts = term_counts([part.hits for part in parts], question.terms)
    lengths = np.array([part.length for part in parts], dtype=np.float64)
    cosines = np.array([part.cosine or 0.0 for part in parts])
    goodness = normalised(bm25(counts, lengths, k1=settings.k1, b=settings.b)) + settings.vector_weight * cosines
    # Of equal passages the first of the message: engines list them in orders of their own.
    places = sorted(range(len(parts)), key=lambda place: (-goodness[place], parts[place].span))
    best: dict[str, Part] = {}
    for place in places:
        best.setdefault(parts[place].message, parts[place])
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


def _part(row: Row, question: Question, found_by: str) -> Part:
    hits, length = question.hits(row["terms"])
    return Part(row["message"], (row["start"], row["end"]), hits, length, row["cosine"], found_by)
