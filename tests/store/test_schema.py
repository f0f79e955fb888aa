"""The schema: made once however many make it, and kept by the database itself."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import neo4j
import pytest

from tests.engines.releases import EngineAddress
from tests.store.conftest import Run
from tests.store.prepared import Graph, connect
from tests.store.talk import conversation
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import Conflict, EngineTimeout, SchemaTooNew, StoreFailed
from trace_graph.memory import Memory
from trace_graph.store import arcadedb_http, retrying, schema
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.local_server import LocalServer
from trace_graph.store.queries import shipped_queries
from trace_graph.store.schema import LATEST, MIGRATIONS, ensure_schema, ensure_vector_indexes, schema_version

pytestmark = pytest.mark.each_release

CONSTRAINTS = sorted(name for name in MIGRATIONS[0].cypher if name.startswith("constraint_"))


def test_making_the_schema_again_changes_nothing(store: Store, run: Run) -> None:
    async def twice() -> tuple[int, int]:
        before = await schema_version(store)
        await ensure_schema(store)
        return before, await schema_version(store)

    assert run(twice()) == (LATEST, LATEST)


def test_the_schema_of_neo4j_holds_every_constraint_and_every_index_is_online(
    store: Store, graph: Graph, run: Run
) -> None:
    """PC-068, PC-077: what IF NOT EXISTS promises is looked up."""
    if store.engine.kind != "neo4j":
        pytest.skip("ArcadeDB has no SHOW INDEXES; its constraints are tried one by one.")

    kept = run(graph.rows("SHOW CONSTRAINTS YIELD name RETURN collect(name) AS names"))[0]["names"]
    states = run(graph.rows("SHOW INDEXES YIELD name, state RETURN name, state"))

    assert {name.removeprefix("constraint_") for name in CONSTRAINTS} - set(kept) == set()
    assert {"Message[terms]", "Passage[terms]", "Message[embedding]", "Passage[embedding]"} - {
        row["name"] for row in states
    } == set()
    assert [row for row in states if row["state"] != "ONLINE"] == []


def test_a_database_of_a_newer_version_is_refused(settings: Settings, graph: Graph, run: Run) -> None:
    async def add() -> Any:
        async with Memory(settings=settings, embedder=StaticEmbedder.shipped()) as memory:
            return await memory.add("Too late.", space="never")

    async def read() -> Any:
        async with Memory(settings=settings, embedder=StaticEmbedder.shipped()) as memory:
            return await memory.spaces()

    run(graph.rows("MATCH (n:Meta) SET n.schema_version = $version", version=LATEST + 1))
    try:
        for use in (add, read):
            with pytest.raises(SchemaTooNew) as refused:
                run(use())
            assert refused.value.message == (
                f"This database has schema {LATEST + 1}; this trace-graph knows up to {LATEST}."
            )
    finally:
        run(graph.rows("MATCH (n:Meta) SET n.schema_version = $version", version=LATEST))


def test_an_older_program_does_not_set_the_version_back(store: Store, graph: Graph, run: Run) -> None:
    """One that began to migrate before a newer one did, and ends after it."""
    run(graph.rows("MATCH (n:Meta) SET n.schema_version = $version", version=LATEST + 1))
    try:
        rows = run(store.write(lambda transaction: transaction.run("write_meta", version=LATEST), "write_meta"))
    finally:
        run(graph.rows("MATCH (n:Meta) SET n.schema_version = $version", version=LATEST))

    assert rows == [{"schema_version": LATEST + 1}]


Write = Callable[[Transaction, str], Any]


async def two_messages(transaction: Transaction, id: str) -> None:
    await transaction.run("append_messages", messages=[{"id": id}, {"id": id}])


async def one_place(transaction: Transaction, id: str) -> None:
    rows = [{"id": f"{id}{end}", "place_key": f"{id}/session/1"} for end in "ab"]
    await transaction.run("append_messages", messages=rows)


async def one_external_id(transaction: Transaction, id: str) -> None:
    rows = [{"id": f"{id}{end}", "external_key": f"{id}/D1:1"} for end in "ab"]
    await transaction.run("append_messages", messages=rows)


async def second_current_revision(transaction: Transaction, id: str) -> None:
    await transaction.run("create_topics", topics=[{"id": id}])
    for end in "ab":
        await transaction.run(
            "add_revisions",
            revisions=[{"topic": id, "properties": {"id": f"{id}{end}", "current_key": id, "title": "t"}}],
        )


async def second_live_parent(transaction: Transaction, id: str) -> None:
    await transaction.run("create_topics", topics=[{"id": f"{id}{end}"} for end in "abc"])
    for parent in "ab":
        await transaction.run(
            "place_topics",
            placements=[{"parent": f"{id}{parent}", "child": f"{id}c", "properties": {"live_key": f"{id}c"}}],
        )


async def one_topic(transaction: Transaction, id: str) -> None:
    await transaction.run("create_topics", topics=[{"id": id}, {"id": id}])


async def one_passage(transaction: Transaction, id: str) -> None:
    await transaction.run("append_messages", messages=[{"id": id}])
    await transaction.run("append_passages", passages=[{"message": id, "properties": {"id": id}}] * 2)


async def one_event(transaction: Transaction, id: str) -> None:
    for _ in range(2):
        await transaction.run("append_event", event={"id": id})


async def one_ledger_place(transaction: Transaction, id: str) -> None:
    for end in "ab":
        await transaction.run("append_event", event={"id": f"{id}{end}", "place_key": f"{id}/1"})


async def one_space_name(transaction: Transaction, id: str) -> None:
    for end in "ab":
        await transaction.run(
            "create_space", space={"id": f"{id}{end}", "name": id, "key": f"{id}{end}"}, topic={"id": f"{id}{end}"}
        )


async def one_space_key(transaction: Transaction, id: str) -> None:
    for end in "ab":
        await transaction.run(
            "create_space", space={"id": f"{id}{end}", "name": f"{id}{end}", "key": id}, topic={"id": f"{id}{end}"}
        )


@pytest.mark.parametrize(
    "breaking",
    [
        two_messages,
        one_place,
        one_external_id,
        second_current_revision,
        second_live_parent,
        one_topic,
        one_passage,
        one_event,
        one_ledger_place,
        one_space_name,
        one_space_key,
    ],
)
def test_the_database_refuses_what_breaks_a_unique_key(
    store: Store, graph: Graph, run: Run, monkeypatch: pytest.MonkeyPatch, breaking: Write
) -> None:
    monkeypatch.setattr(retrying, "TRIES_OF_A_TAKEN_KEY", 1)
    id = f"unique-{secrets.token_hex(6)}"

    async def work(transaction: Transaction) -> None:
        await breaking(transaction, id)

    with pytest.raises(Conflict):
        run(store.write(work, breaking.__name__))
    assert run(graph.rows("MATCH (n) WHERE n.id STARTS WITH $id RETURN n.id AS id", id=id)) == []


def test_a_schema_query_that_is_refused_for_good_ends_soon(
    store: Store, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "LOOK_AGAIN", (0.0, 0.0))
    tried: list[int] = []

    async def refused(*_: object) -> None:
        tried.append(1)
        raise StoreFailed("The database refused the operation.")

    monkeypatch.setattr(schema, "_run_indexes", refused)

    with pytest.raises(StoreFailed):
        run(ensure_vector_indexes(store, 256))

    assert len(tried) == schema.TRIES_OF_A_REFUSAL


def test_a_schema_query_has_a_deadline(store: Store, run: Run) -> None:
    name = "constraint_meta_id"

    with pytest.raises(EngineTimeout) as late:
        run(store.run_schema(shipped_queries().pick(name, store.engine.variants), seconds=0))

    assert late.value.message == f"The database did not finish in 0 s ({name})."


def test_a_database_of_schema_1_is_told_what_its_children_lie_in(
    memory: Memory, graph: Graph, run: Run, space: str, engine_address: EngineAddress
) -> None:
    children = (
        "MATCH (s:Space {name: $name}) MATCH (c {space: s.id}) WHERE c.filed_in IS NOT NULL "
        "RETURN c.id AS id, c.filed_in AS parent, c.segment AS segment ORDER BY id")

    async def work() -> tuple[list[Any], list[Any], list[Any]]:
        await memory.add_many(conversation(), space=space)
        await memory.organize(space=space)
        before = await graph.rows(children, name=space)
        await graph.rows("MATCH (c:Message) SET c.filed_in = null, c.segment = null")
        await graph.rows("MATCH (c:Topic) SET c.filed_in = null")
        await graph.rows("MATCH (n:Meta) SET n.schema_version = 1")
        old = await graph.rows(children, name=space)
        connected = await connect(engine_address)
        try:
            await ensure_schema(connected)
        finally:
            await connected.close()
        return before, old, await graph.rows(children, name=space)

    before, old, after = run(work())

    assert len(before) > 48
    assert (old, after) == ([], before)


@asynccontextmanager
async def connections(settings: Settings, count: int) -> AsyncIterator[list[Store]]:
    opened = [await Store.connect(settings) for _ in range(count)]
    try:
        yield opened
    finally:
        for one in opened:
            await one.close()


def test_four_connections_at_once_make_one_schema_in_an_empty_database(tmp_path: Any) -> None:
    """PC-077."""
    settings = Settings(uri=f"local:{tmp_path / 'data'}", heap_mb=512)

    async def make() -> tuple[list[int], list[str], list[int]]:
        async with connections(settings, 4) as stores:
            await asyncio.gather(*(ensure_schema(store) for store in stores))
            await asyncio.gather(*(ensure_vector_indexes(store, 8) for store in stores))
            versions = [await schema_version(store) for store in stores]
            server = stores[0].server
            assert server is not None
            rows = await asyncio.to_thread(
                arcadedb_http.sql,
                server.http,
                server.database,
                "SELECT name FROM schema:indexes WHERE name LIKE '%[embedding]' OR name LIKE '%[terms]' ORDER BY name",
            )
            async with neo4j.AsyncGraphDatabase.driver(
                server.bolt_uri, auth=(server.user, server.password)
            ) as driver:
                count, _, _ = await driver.execute_query(
                    "MATCH (n:Meta) RETURN count(n) AS n", database_=server.database
                )
            return versions, sorted({row["name"] for row in rows}), [count[0]["n"]]

    try:
        made = asyncio.run(make())
    finally:
        asyncio.run(LocalServer(settings.data_folder).stop())

    assert made == (
        [LATEST] * 4,
        ["Message[embedding]", "Message[terms]", "Passage[embedding]", "Passage[terms]"],
        [1],
    )
