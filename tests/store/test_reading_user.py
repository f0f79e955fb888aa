"""ArcadeDB's user who may only read: made with every server, and able to do nothing else."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from trace_graph.config import Settings
from trace_graph.errors import StoreFailed
from trace_graph.store import arcadedb_http
from trace_graph.store.arcadedb_http import Endpoint
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer
from trace_graph.store.read_only import run_read_only
from trace_graph.store.server_files import READER, ServerState

STATEMENTS = [
    ("sql", "CREATE VERTEX Probe SET id = 'new'"),
    ("sql", "UPDATE Probe SET text = 'x'"),
    ("sql", "DELETE FROM Probe"),
    ("sql", "CREATE VERTEX TYPE NeverSeen"),
    ("sql", "CREATE PROPERTY Probe.never_seen STRING"),
    ("sql", "DROP TYPE Probe UNSAFE"),
    ("sql", "TRUNCATE TYPE Probe UNSAFE"),
    ("sql", "REBUILD INDEX *"),
    ("sql", "ALTER DATABASE `arcadedb.opencypher.loadCsv.allowFileUrls` true"),
    ("sql", "IMPORT DATABASE file:///etc/hostname"),
    ("sql", "EXPORT DATABASE file:///tmp/never-seen.jsonl"),
    ("sql", "BACKUP DATABASE"),
    ("sql", "DEFINE FUNCTION never.seen \"return 1\" LANGUAGE js"),
    ("sqlscript", "INSERT INTO Probe SET id = 'new'"),
    ("opencypher", "LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row"),
    ("opencypher", "LOAD CSV FROM 'http://127.0.0.1:1/' AS row RETURN row"),
    ("opencypher", "CREATE USER eve SET PASSWORD 'evil-evil-evil'"),
]
COMMANDS = [
    "create database never_seen",
    "drop database trace_graph",
    "close database trace_graph",
    "shutdown",
    "set server setting arcadedb.opencypher.loadCsv.allowFileUrls true",
    "set database setting trace_graph arcadedb.opencypher.loadCsv.allowFileUrls true",
    'create user {"name": "eve", "password": "evil-evil-evil", "databases": {"*": ["admin"]}}',
    "drop user root",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose server runs, with one node in it and another database beside it."""
    path = tmp_path_factory.mktemp("reading-user")
    server = LocalServer(path, heap_mb=256)
    try:
        state = asyncio.run(server.ensure())
        arcadedb_http.sql(state.http, state.database, "CREATE VERTEX TYPE Probe")
        arcadedb_http.sql(state.http, state.database, "CREATE VERTEX Probe SET id = 'a', text = 'first'")
        arcadedb_http.create_database(state.http, "other")
        yield path
    finally:
        asyncio.run(server.stop())


@pytest.fixture
def state(folder: Path) -> ServerState:
    """How to reach the server."""
    return asyncio.run(LocalServer(folder, heap_mb=256).ensure())


@pytest.fixture
def reader(state: ServerState) -> Endpoint:
    """The HTTP door, for the user who may only read."""
    return state.as_reader.http


def test_the_password_lies_in_files_that_nobody_else_reads(folder: Path, state: ServerState) -> None:
    files = [folder / "reader.password", folder / "server.json"]

    assert files[0].read_text() == state.reader_password
    assert json.loads(files[1].read_text())["reader_password"] == state.reader_password
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600, 0o600]
    assert state.reader_password not in (state.password, "")
    assert state.reader_password not in repr(state)


def test_a_server_that_was_started_without_the_user_gets_it(folder: Path, state: ServerState) -> None:
    file = folder / "server.json"
    values = json.loads(file.read_text())
    del values["reader_password"]
    file.write_text(json.dumps(values))
    arcadedb_http.server_command(state.http, f"drop user {READER}")
    (folder / "reader.password").unlink()

    again = asyncio.run(LocalServer(folder, heap_mb=256).ensure())

    assert again.pid == state.pid
    assert again.reader_password not in ("", state.reader_password)
    assert arcadedb_http.answers(again.as_reader.http)


def test_the_user_reads(reader: Endpoint) -> None:
    rows = arcadedb_http.sql(reader, "trace_graph", "SELECT id, text FROM Probe")

    assert [(row["id"], row["text"]) for row in rows] == [("a", "first")]


@pytest.mark.parametrize(("language", "statement"), STATEMENTS)
def test_the_user_changes_nothing(language: str, statement: str, reader: Endpoint, state: ServerState) -> None:
    with pytest.raises(StoreFailed, match=r"not allowed|disabled"):
        arcadedb_http._result(
            reader, "POST", "/api/v1/command/trace_graph", {"language": language, "command": statement})

    assert [row["text"] for row in arcadedb_http.sql(state.http, "trace_graph", "SELECT text FROM Probe")] == ["first"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_user_administers_nothing(command: str, reader: Endpoint, state: ServerState) -> None:
    with pytest.raises(StoreFailed, match="Only root user is authorized"):
        arcadedb_http.server_command(reader, command)

    assert arcadedb_http.database_exists(state.http, "trace_graph")


def test_the_user_does_not_see_other_databases(reader: Endpoint, state: ServerState) -> None:
    assert not arcadedb_http.database_exists(reader, "other")
    with (
        neo4j.GraphDatabase.driver(state.bolt_uri, auth=(READER, state.reader_password)) as driver,
        pytest.raises(neo4j.exceptions.Forbidden, match="Access to database 'other' is not allowed"),
    ):
        driver.execute_query("MATCH (n) RETURN n", database_="other")


def test_a_store_on_the_folder_reads_by_this_user(folder: Path, state: ServerState) -> None:
    async def ask() -> list[dict[str, str]]:
        store = await Store.connect(Settings(uri=f"local:{folder}"))
        try:
            return await run_read_only(store, "SHOW CURRENT USER", {})
        finally:
            await store.close()

    assert [row["user"] for row in asyncio.run(ask())] == [READER]
