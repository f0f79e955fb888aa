"""The schema: created once, changed forward only, refused when it is newer than this code."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from trace_graph.errors import EngineTimeout, EngineUnavailable, SchemaTooNew, StoreFailed
from trace_graph.store import arcadedb_http
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.queries import NamedQuery, shipped_queries

VECTOR_INDEXES = ("vector_message_embedding", "vector_passage_embedding")
FULLTEXT_INDEXES = ("fulltext_message_terms", "fulltext_passage_terms")

LOOK_AGAIN = (0.05, 0.3)
"""Seconds between two tries of a step, at random."""
TRIES_OF_A_REFUSAL = 20
"""Of a step that the engine refuses in the same words. Guess: 3 s. Measured with five processes that made the schema at
once: each sentence came at most once to a process."""

Door = Literal["cypher", "arcadedb sql"]


@dataclass(frozen=True)
class Migration:
    """One step forward. Each of its queries may run twice."""

    version: int
    cypher: tuple[str, ...]
    """Names of schema queries that every engine takes by Cypher."""
    indexes: tuple[str, ...]
    """Names of schema queries that ArcadeDB takes by SQL, Neo4j by Cypher."""
    fill: tuple[str, ...] = ()
    """Names of writing queries that bring what is there up to date; each runs until it answers 0."""


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        version=1,
        cypher=(
            "constraint_meta_id", "constraint_space_id", "constraint_space_name", "constraint_space_key",
            "constraint_topic_id", "constraint_revision_id", "constraint_revision_current", "constraint_message_id",
            "constraint_message_place", "constraint_message_external", "constraint_passage_id",
            "constraint_session_key", "constraint_event_id", "constraint_event_place", "constraint_parent_live",
            "index_message_space",
            "index_message_waiting", "index_passage_space", "index_topic_space", "index_topic_stale",
            "index_session_space", "index_revision_space", "index_event_space",
        ),
        indexes=FULLTEXT_INDEXES,
    ),
    Migration(version=2, cypher=("index_message_filed", "index_topic_filed"), indexes=(), fill=("note_filed_in",)),
    Migration(version=3, cypher=("constraint_recall_id", "index_recall_space"), indexes=()),
    Migration(
        version=4,
        cypher=(
            "constraint_call_id", "index_call_space", "index_call_day", "index_call_model", "index_call_passing"),
        indexes=()),
)

LATEST = MIGRATIONS[-1].version


async def schema_version(store: Store) -> int:
    """The version that the database is at; 0 when trace-graph has not written to it yet."""
    rows = await store.read("read_meta")
    return int(rows[0]["schema_version"]) if rows else 0


async def ensure_schema(store: Store, *, seconds: float = 120.0) -> None:
    """Bring the database to the latest schema. Several processes may do so at once.

    Raises: SchemaTooNew, EngineTimeout when it cannot be done in `seconds`.
    """
    version = await schema_version(store)
    if version > LATEST:
        raise SchemaTooNew(f"This database has schema {version}; this trace-graph knows up to {LATEST}.")
    for migration in MIGRATIONS[version:]:
        await _persist(partial(_apply, store, migration), seconds)


async def ensure_vector_indexes(store: Store, dimension: int, *, seconds: float = 120.0) -> None:
    """Create the vector indexes for embeddings of this many dimensions, where they are not there yet."""
    await _persist(partial(_run_indexes, store, VECTOR_INDEXES, dimension), seconds)


async def renew_schema(store: Store, dimension: int | None, *, seconds: float = 120.0) -> None:
    """Create again what is missing of the latest schema; the vector indexes too where their `dimension` is given.

    Raises: StoreFailed where the data break a constraint, EngineUnavailable, EngineTimeout.
    """
    for migration in MIGRATIONS:
        await _persist(partial(_make, store, migration), seconds)
    if dimension is not None:
        await ensure_vector_indexes(store, dimension, seconds=seconds)


async def _apply(store: Store, migration: Migration) -> None:
    if await schema_version(store) >= migration.version:
        return  # meanwhile another process has done it
    await _make(store, migration)
    for name in migration.fill:
        await _fill(store, name)
    await store.write(lambda transaction: transaction.run("write_meta", version=migration.version), "write_meta")


async def _make(store: Store, migration: Migration) -> None:
    """Create what a migration wants and is not there yet."""
    if store.engine.kind == "arcadedb":
        await _run_sql(store, shipped_queries().pick("types", store.engine.variants), None)
    for name in migration.cypher:
        await store.run_schema(shipped_queries().pick(name, store.engine.variants))
    await _run_indexes(store, migration.indexes, None)


async def _fill(store: Store, name: str) -> None:
    async def step(transaction: Transaction) -> int:
        (answer,) = (await transaction.run(name))[0].values()
        return int(answer)

    while await store.write(step, name):
        pass


async def _run_indexes(store: Store, names: Sequence[str], dimension: int | None) -> None:
    for name in names:
        query = shipped_queries().pick(name, store.engine.variants)
        if store.engine.kind == "arcadedb":
            await _run_sql(store, query, dimension)
        else:
            await store.run_schema(_with_dimension(query, dimension))
    if store.engine.kind == "neo4j":
        await store.run_schema(shipped_queries().pick("await_indexes", store.engine.variants))


async def _run_sql(store: Store, query: NamedQuery, dimension: int | None) -> None:
    if store.server is None:
        raise EngineUnavailable(
            "This ArcadeDB is not the embedded one, and its HTTP door is not known.",
            fix="Use TRACE_GRAPH_URI=local:/path for ArcadeDB, or a Neo4j.")
    for statement in _with_dimension(query, dimension).text.split(";"):
        await asyncio.to_thread(arcadedb_http.sql, store.server.http, store.server.database, statement.strip())


def _with_dimension(query: NamedQuery, dimension: int | None) -> NamedQuery:
    """The query with the number of dimensions put in: no engine takes a parameter there. An int, so no text gets in."""
    if dimension is None:
        return query
    return NamedQuery(**{**vars(query), "text": query.text.replace("{dimension}", str(int(dimension)))})


async def _persist(step: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Repeat a step that may run twice: engines refuse concurrent schema changes although IF NOT EXISTS is used.

    What is refused in the same words again and again is refused for good.
    """
    deadline = time.monotonic() + seconds
    refused: Counter[str] = Counter()
    while True:
        try:
            await step()
            return
        except (EngineTimeout, StoreFailed) as error:
            refused[error.message] += isinstance(error, StoreFailed)
            if time.monotonic() > deadline or refused[error.message] >= TRIES_OF_A_REFUSAL:
                raise
            await asyncio.sleep(random.uniform(*LOOK_AGAIN))
