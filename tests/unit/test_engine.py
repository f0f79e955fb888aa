"""Which engine stands behind a connection, and what it can do."""

from __future__ import annotations

import pytest

from trace_graph.store.engine import Engine, recognise


@pytest.mark.parametrize(
    ("agent", "kernel", "engine", "title"),
    [
        (
            "Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)",
            "5.26.0",
            Engine("arcadedb", "26.10.2", ("arcadedb", "any"), "scan", 1.0, 0.0),
            "ArcadeDB 26.10.2",
        ),
        ("Neo4j/5.26.12", "5.26.12", Engine("neo4j", "5.26.12", ("neo4j", "any"), "scan", 2.0, 1.0), "Neo4j 5.26.12"),
        (
            "Neo4j/5.27-aura",
            "5.27-aura",
            Engine("neo4j", "5.27-aura", ("neo4j", "any"), "scan", 2.0, 1.0),
            "Neo4j 5.27-aura",
        ),
        (
            "Neo4j/2025.12.1",
            "2025.12.1",
            Engine("neo4j", "2025.12.1", ("neo4j", "any"), "scan", 2.0, 1.0),
            "Neo4j 2025.12.1",
        ),
        (
            "Neo4j/2026.09.0",
            "2026.09.0",
            Engine("neo4j", "2026.09.0", ("neo4j-search", "neo4j", "any"), "search", 2.0, 1.0),
            "Neo4j 2026.09.0",
        ),
    ],
)
def test_an_engine_is_told_by_its_agent_and_its_year(agent: str, kernel: str, engine: Engine, title: str) -> None:
    recognised = recognise(agent, kernel)

    assert (recognised, recognised.title) == (engine, title)


@pytest.mark.parametrize(("agent", "similarity"), [("(ArcadeDB 1)", 0.5), ("Neo4j/5.26.0", 0.75)])
def test_what_either_engine_calls_similarity_becomes_the_cosine(agent: str, similarity: float) -> None:
    """Two vectors at 60 degrees, as ArcadeDB and as Neo4j measure them."""
    engine = recognise(agent, "5.26.0")

    assert engine.cosine_scale * similarity - engine.cosine_shift == 0.5
