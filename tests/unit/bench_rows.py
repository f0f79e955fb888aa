"""Questions of a made-up run, for tests of what is made of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from trace_graph.bench.results import Found, QuestionResult, System

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def row(
    id: str, category: str, half: Literal["tune", "report"] | None = "report", **ranks: int | None
) -> QuestionResult:
    """A question with one piece of evidence; a message of the ranking costs 100 tokens."""
    named: dict[str, System] = {"product": "trace-graph", "bm25": "bm25", "last": "last"}
    return QuestionResult(
        id=id, pool="p", category=category, half=half, asked_at=NOON, evidence=["e"],
        found={
            named[system]: Found(ranks=[rank], tokens=[None if rank is None or rank > 40 else rank * 100.0])
            for system, rank in ranks.items()})
