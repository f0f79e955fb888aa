"""What the connected engine can do; asked once, at connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trace_graph.store.queries import Variant


@dataclass(frozen=True)
class Engine:
    """One engine's capabilities, as values that queries take as parameters."""

    kind: Literal["arcadedb", "neo4j"]
    version: str
    variants: tuple[Variant, ...]
    """Which texts of a query it understands, the best first."""
    vector_list: Literal["scan", "search"]
    """How vectors of one space are ranked: `search` filters inside the index; otherwise scan a small space exactly,
    over-fetch in a large one."""
    cosine_scale: float
    cosine_shift: float
    """`scale * vector.similarity.cosine(a, b) - shift` is the cosine."""

    @property
    def title(self) -> str:
        """For people."""
        return f"{'ArcadeDB' if self.kind == 'arcadedb' else 'Neo4j'} {self.version}"


def recognise(agent: str, kernel_version: str) -> Engine:
    """The engine behind a connection.

    Args:
        agent: what the server calls itself; ArcadeDB claims to be compatible with a Neo4j and adds its own name.
        kernel_version: of `dbms.components()`.
    """
    if "ArcadeDB" in agent:
        version = agent.rpartition("ArcadeDB")[2].strip(" )")
        return Engine("arcadedb", version, ("arcadedb", "any"), "scan", 1.0, 0.0)
    major = int(kernel_version.partition(".")[0])
    # Calendar versions (2025.06 on) know CYPHER 25; SEARCH with a filter inside the index came in 2026.
    if major >= 2026:
        return Engine("neo4j", kernel_version, ("neo4j-search", "neo4j", "any"), "search", 2.0, 1.0)
    return Engine("neo4j", kernel_version, ("neo4j", "any"), "scan", 2.0, 1.0)
