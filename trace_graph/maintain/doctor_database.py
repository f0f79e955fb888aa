"""Are the indexes and constraints of the schema there, and do they serve?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trace_graph.errors import StoreFailed
from trace_graph.maintain.doctor_checks import INDEXES
from trace_graph.maintain.doctor_findings import Finding
from trace_graph.store.connection import Store
from trace_graph.store.queries import shipped_queries
from trace_graph.store.schema import MIGRATIONS, VECTOR_INDEXES

_COVERS = re.compile(r"FOR (?:\(n:|\(\)-\[r:)(\w+)\b.*?\b[nr]\.(\w+)", re.DOTALL)


@dataclass(frozen=True, order=True)
class Index:
    """One index as the schema wants it."""

    covers: str
    """Label or type, and property: `Message(space)`."""
    unique: bool


def expected_indexes(*, with_vectors: bool) -> list[Index]:
    """The indexes of the latest schema; those of vectors once an embedder has been taken into use."""
    names = [name for migration in MIGRATIONS for name in (*migration.cypher, *migration.indexes)]
    return [_index(name) for name in (*names, *(VECTOR_INDEXES if with_vectors else ()))]


async def wrong_indexes(store: Store) -> list[Finding]:
    """The indexes and constraints that are missing, or not online."""
    meta = await store.read("read_meta")
    rows = await store.read("doctor_indexes")
    online = {
        Index(f"{row['labels'][0]}({row['properties'][0]})", unique)
        for row in rows if row["state"] == "ONLINE" and row["labels"]
        # What is unique also serves as an index.
        for unique in {row["owner"] is not None, False}}
    wanted = expected_indexes(with_vectors=bool(meta and meta[0]["indexed"]))
    return Finding.of(INDEXES, None, [index.covers for index in wanted if index not in online])


def _index(name: str) -> Index:
    # Neo4j's text says what ArcadeDB's covers as well.
    text = shipped_queries().pick(name, ("neo4j", "any")).text
    covers = _COVERS.search(text)
    if covers is None:
        raise StoreFailed(f"It cannot be seen what the schema query {name} covers.")
    return Index(f"{covers[1]}({covers[2]})", name.startswith("constraint_"))
