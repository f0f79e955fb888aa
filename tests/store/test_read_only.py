"""Nothing that is asked at the read-only door changes anything, reads a file or reaches an address; honest reads do."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.engines.releases import EngineAddress
from tests.store.prepared import Graph
from tests.store.read_only_attempts import CALLS, EITHER, LOADS, UNREADABLE, WRITES
from trace_graph.config import Settings
from trace_graph.errors import EngineTimeout, NotFound, Refused, StoreFailed, UsageError, WriteRefused
from trace_graph.store import arcadedb_http
from trace_graph.store.connection import Store
from trace_graph.store.read_only import run_named, run_read_only
from trace_graph.store.server_files import READER, ServerState

Run = Callable[[Coroutine[Any, Any, Any]], Any]
SECRET = "canary-7f2b1c"
ATTEMPTS = [
    pytest.param(query, refusals, id=f"{kind}: {name}")
    for kind, queries, refusals in (
        ("write", WRITES, WriteRefused), ("call", CALLS, WriteRefused), ("load", LOADS, WriteRefused),
        ("unreadable", UNREADABLE, UsageError), ("either", EITHER, (WriteRefused, UsageError)))
    for name, query in queries.items()
]


@pytest.fixture(scope="module")
def open_store(engine_address: EngineAddress, settings: Settings, run: Run) -> Iterator[Store]:
    """A store that knows the user of ArcadeDB who may only read, as it does for an engine that it started itself."""
    store = run(Store.connect(settings))
    if engine_address.http_url is not None:
        password = secrets.token_urlsafe(16)
        bolt_port, http_port = (urlsplit(url).port for url in (engine_address.uri, engine_address.http_url))
        assert bolt_port is not None and http_port is not None
        store.server = ServerState(
            0, bolt_port, http_port, engine_address.password, engine_address.user, password)
        arcadedb_http.save_user(store.server.http, READER, password, {store.server.database: [READER]})
    yield store
    run(store.close())


@pytest.fixture(scope="module")
def probes(graph: Graph, run: Run) -> Iterator[None]:
    """Two nodes and a relationship to write at."""
    clear = "MATCH (p:Probe) DETACH DELETE p"
    run(graph.rows(clear))
    run(graph.rows(
        "CREATE (:Probe {id: 'a', n: 1, text: 'first', at: datetime('2026-03-01T12:00:00+02:00'), tags: ['x', 'y']})"
        "-[:LINKS {weight: 0.5}]->(:Probe {id: 'b', n: 2, text: 'second'})"))
    yield
    run(graph.rows(clear))


class Listener:
    """A web server on loopback that notes every request."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listener.requests.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(f"{SECRET},1\n".encode())

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/canary.csv"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    listening = Listener()
    yield listening
    listening.close()


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("canary") / "canary.csv"
    path.write_text(f"{SECRET},1\n")
    path.chmod(0o644)
    return path


async def state_of(graph: Graph) -> list[Any]:
    """What any write would change: counts of nodes, relationships and properties, the probes, and the schema."""
    questions = (
        "MATCH (n) RETURN count(n) AS nodes, sum(size(keys(n))) AS properties",
        "MATCH ()-[r]->() RETURN count(r) AS relationships, sum(size(keys(r))) AS properties",
        "MATCH (p:Probe) RETURN p.id AS id, p.text AS text, labels(p) AS labels ORDER BY id",
    )
    indexes = sorted(str(row["name"]) for row in await graph.rows("SHOW INDEXES"))
    constraints = sorted(str(row["name"]) for row in await graph.rows("SHOW CONSTRAINTS"))
    return [await graph.rows(question) for question in questions] + [indexes, constraints]


@pytest.fixture(scope="module")
def before(graph: Graph, run: Run, probes: None) -> list[Any]:
    """The state that every attempt must leave as it is."""
    state: list[Any] = run(state_of(graph))
    return state


@pytest.mark.parametrize(("query", "refusals"), ATTEMPTS)
def test_an_attempt_is_refused_and_nothing_has_changed(
    query: str, refusals: Any, open_store: Store, graph: Graph, run: Run, before: list[Any], listener: Listener,
    canary: Path,
) -> None:
    text = query.replace("{file}", str(canary)).replace("{address}", listener.address)
    parameters = {"file": f"file://{canary}", "address": listener.address}

    with pytest.raises(refusals) as raised:
        run(run_read_only(open_store, text, parameters))

    assert run(state_of(graph)) == before
    assert listener.requests == []
    assert SECRET not in raised.value.message + raised.value.fix


@pytest.mark.parametrize("query", [
    LOADS["file"], LOADS["address"], LOADS["in a subquery"], LOADS["in COLLECT"], LOADS["and written"],
    CALLS["db.createLabel"], CALLS["db.index.vector.createNodeIndex"], CALLS["apoc.merge.node"],
])
def test_the_engine_refuses_by_itself_what_its_plan_shows(
    query: str, open_store: Store, graph: Graph, run: Run, before: list[Any], listener: Listener, canary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The words of a query are a second wall, not the only one."""
    monkeypatch.setattr("trace_graph.store.read_only.refuse_by_words", lambda query: None)
    text = query.replace("{file}", str(canary)).replace("{address}", listener.address)

    with pytest.raises((WriteRefused, UsageError, StoreFailed)):
        run(run_read_only(open_store, text, {}))

    assert run(state_of(graph)) == before
    assert listener.requests == []


def test_the_canaries_sing_where_nobody_stops_them(
    engine_address: EngineAddress, graph: Graph, run: Run, listener: Listener
) -> None:
    """Without this the test above could pass because the canary is deaf."""
    if engine_address.kind == "arcadedb":
        pytest.skip("The embedded engine is started with LOAD CSV switched off for everybody.")

    rows = run(graph.rows("LOAD CSV FROM $address AS row RETURN row", address=listener.address))

    assert rows == [{"row": [SECRET, "1"]}]
    assert listener.requests == ["/canary.csv"]
    listener.requests.clear()


HONEST: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "property": ("MATCH (p:Probe) RETURN p.id AS id ORDER BY id", [{"id": "a"}, {"id": "b"}]),
    "parameter": ("MATCH (p:Probe {id: $id}) RETURN p.text AS text", [{"text": "first"}]),
    "relationship": ("MATCH (:Probe)-[r:LINKS]->(b) RETURN r.weight AS w, b.id AS id", [{"w": 0.5, "id": "b"}]),
    "optional": (
        "MATCH (p:Probe {id: 'b'}) OPTIONAL MATCH (p)-[:LINKS]->(x) RETURN p.id AS id, x AS x",
        [{"id": "b", "x": None}]),
    "aggregation": ("MATCH (p:Probe) RETURN count(p) AS n, sum(p.n) AS total", [{"n": 2, "total": 3}]),
    "collect": ("MATCH (p:Probe) WITH p ORDER BY p.id RETURN collect(p.n) AS ns", [{"ns": [1, 2]}]),
    "union": (
        "MATCH (p:Probe {id: 'a'}) RETURN p.id AS id UNION ALL MATCH (p:Probe {id: 'b'}) RETURN p.id AS id",
        [{"id": "a"}, {"id": "b"}]),
    "unwind": ("UNWIND [1, 2] AS x RETURN x * 2 AS twice", [{"twice": 2}, {"twice": 4}]),
    "subquery": ("CALL () { MATCH (p:Probe) RETURN p ORDER BY p.id LIMIT 1 } RETURN p.id AS id", [{"id": "a"}]),
    "exists": ("MATCH (p:Probe) WHERE EXISTS { MATCH (p)-[:LINKS]->() } RETURN p.id AS id", [{"id": "a"}]),
    "count subquery": (
        "MATCH (p:Probe) RETURN p.id AS id, COUNT { (p)-[:LINKS]-() } AS n ORDER BY id",
        [{"id": "a", "n": 1}, {"id": "b", "n": 1}]),
    "path length": ("MATCH path = (:Probe {id: 'a'})-[:LINKS*1..3]->(:Probe) RETURN length(path) AS n", [{"n": 1}]),
    "case": (
        "MATCH (p:Probe) RETURN CASE p.n WHEN 1 THEN 'one' ELSE 'more' END AS n ORDER BY n",
        [{"n": "more"}, {"n": "one"}]),
    "list comprehension": ("RETURN [x IN range(1, 4) WHERE x % 2 = 0 | x * x] AS xs", [{"xs": [4, 16]}]),
    "reduce": ("RETURN reduce(total = 0, x IN [1, 2, 3] | total + x) AS total", [{"total": 6}]),
    "map projection": ("MATCH (p:Probe {id: 'b'}) RETURN p {.id, .n} AS p", [{"p": {"id": "b", "n": 2}}]),
    "labels": ("MATCH (p:Probe {id: 'a'}) RETURN labels(p) AS labels, keys(p) = [] AS bare", [
        {"labels": ["Probe"], "bare": False}]),
    "moment": ("MATCH (p:Probe {id: 'a'}) RETURN p.at AS at", [{"at": datetime(2026, 3, 1, 10, tzinfo=UTC)}]),
    "date": ("RETURN date('2026-02-03') AS day", [{"day": "2026-02-03"}]),
    "duration": ("RETURN duration('P1DT2H') AS gap", [{"gap": "P1DT2H"}]),
    "truncated date": ("RETURN toString(date.truncate('month', date('2026-02-03'))) AS day", [{"day": "2026-02-01"}]),
    "limits": ("MATCH (p:Probe) RETURN p.id AS id ORDER BY id SKIP 1 LIMIT 1", [{"id": "b"}]),
    "comment": ("// reads\nMATCH (p:Probe {id: 'b'}) /* CREATE */ RETURN p.n AS n", [{"n": 2}]),
    "words in a text": ("RETURN 'LOAD CSV, CALL dbms.x(), SET' AS text", [{"text": "LOAD CSV, CALL dbms.x(), SET"}]),
    "words as a name": ("MATCH (p:Probe {id: 'b'}) RETURN p.n AS `set`", [{"set": 2}]),
    "words as properties": ("WITH {load: 1, call: 3} AS x RETURN x.load AS csv, x.call AS b", [{"csv": 1, "b": 3}]),
    "procedure": ("CALL db.labels() YIELD label WITH label WHERE label = 'Nothing' RETURN label", []),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_read_is_answered(name: str, open_store: Store, run: Run, probes: None) -> None:
    query, expected = HONEST[name]
    if name == "procedure" and open_store.engine.kind == "arcadedb":
        pytest.skip("ArcadeDB answers CALL db.labels() itself, and does not look at the rest of the query.")

    found = run(run_read_only(open_store, query, {"id": "a"}))

    assert list(found) == expected
    assert found.cut is False


@pytest.mark.parametrize("query", ["CALL db.labels()", "CALL dbms.components()", "SHOW INDEXES", "SHOW CONSTRAINTS"])
def test_what_the_database_holds_may_be_asked(query: str, open_store: Store, run: Run, probes: None) -> None:
    assert len(run(run_read_only(open_store, query, {}))) > 0


def test_a_vector_index_may_be_asked(open_store: Store, run: Run) -> None:
    query = "CALL db.index.vector.queryNodes('Message[embedding]', 1, $v) YIELD node, score RETURN score LIMIT 0"

    assert run(run_read_only(open_store, query, {"v": [1.0] + [0.0] * 255})) == []


def test_graph_values_come_as_plain_ones(open_store: Store, run: Run, probes: None) -> None:
    query = "MATCH path = (a:Probe {id: 'a'})-[r:LINKS]->(b:Probe) RETURN a, r, b, path"

    [row] = run(run_read_only(open_store, query, {}))

    a, r, b = row["a"], row["r"], row["b"]
    assert {key: a[key] for key in ("labels", "properties")} == {
        "labels": ["Probe"],
        "properties": {
            "id": "a", "n": 1, "text": "first", "at": datetime(2026, 3, 1, 10, tzinfo=UTC), "tags": ["x", "y"]}}
    assert r == {"id": r["id"], "type": "LINKS", "start": a["id"], "end": b["id"], "properties": {"weight": 0.5}}
    assert row["path"] == [a, r, b]


def test_explain_returns_the_plan_and_runs_nothing(open_store: Store, run: Run, probes: None) -> None:
    [row] = run(run_read_only(open_store, "EXPLAIN MATCH (p:Probe) RETURN p.id", {}))

    assert row.keys() == {"plan"}
    assert "Probe" in row["plan"]


def test_the_row_limit_cuts_and_says_so(open_store: Store, run: Run) -> None:
    found = run(run_read_only(open_store, "UNWIND range(1, 100000) AS x RETURN x", {}, rows=3))

    assert list(found) == [{"x": 1}, {"x": 2}, {"x": 3}]
    assert found.cut is True


def test_as_many_rows_as_the_limit_are_not_cut(open_store: Store, run: Run) -> None:
    found = run(run_read_only(open_store, "UNWIND range(1, 3) AS x RETURN x", {}, rows=3))

    assert list(found) == [{"x": 1}, {"x": 2}, {"x": 3}]
    assert found.cut is False


def test_the_time_limit_ends_a_query_and_says_so(open_store: Store, run: Run) -> None:
    slow = "UNWIND range(1, 3000) AS x UNWIND range(1, 3000) AS y WITH x, y WHERE x * y = -1 RETURN count(*) AS n"

    with pytest.raises(EngineTimeout) as raised:
        run(run_read_only(open_store, slow, {}, seconds=0.2))

    assert raised.value.message == "The query did not finish within its limit of 0.2 s, and was given up."
    assert run(run_read_only(open_store, "RETURN 1 AS one", {})) == [{"one": 1}]


@pytest.mark.parametrize("limits", [{"rows": 0}, {"seconds": 0}, {"seconds": float("nan")}])
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any], open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError, match="above 0"):
        run(run_read_only(open_store, "RETURN 1", {}, **limits))


def test_a_missing_parameter_is_named(open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError, match="ordered_by"):
        run(run_read_only(open_store, "MATCH (p:Probe {id: $ordered_by}) RETURN p", {}))


def test_a_fault_in_the_query_is_placed(open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError) as raised:
        run(run_read_only(open_store, "RETURN 1 AS one RETRN", {}))

    place = "line 1, column 16" if open_store.engine.kind == "arcadedb" else "(line 1, column 17 (offset: 16))"
    assert place in raised.value.message


def test_a_parameter_that_no_database_knows_is_refused(open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError, match="A parameter holds a value that the database does not know"):
        run(run_read_only(open_store, "RETURN $x AS x", {"x": object()}))


def test_a_fault_of_a_value_does_not_show_the_value(open_store: Store, run: Run, probes: None) -> None:
    with pytest.raises(UsageError) as raised:
        run(run_read_only(open_store, "MATCH (p:Probe) RETURN date(p.text) AS x", {}))

    assert "first" not in raised.value.message


def test_a_parameter_does_not_stay_for_the_next_query(open_store: Store, run: Run) -> None:
    with pytest.raises((WriteRefused, UsageError)):
        run(run_read_only(open_store, "SESSION SET $stays = 'evil'", {}))

    with pytest.raises(UsageError, match="stays"):
        run(run_read_only(open_store, "RETURN $stays AS x", {}))


def test_several_may_ask_at_once(open_store: Store, run: Run) -> None:
    async def ask() -> list[Any]:
        return await asyncio.gather(*(run_read_only(open_store, "RETURN $x AS x", {"x": x}) for x in range(8)))

    assert run(ask()) == [[{"x": x}] for x in range(8)]


def test_an_arcadedb_without_a_reading_user_is_refused(store: Store, engine_address: EngineAddress, run: Run) -> None:
    if engine_address.kind != "arcadedb":
        pytest.skip("Neo4j's read access needs no user of its own.")

    with pytest.raises(Refused, match="no user is known here who may only read"):
        run(run_read_only(store, "RETURN 1", {}))


def test_a_named_query_is_run(open_store: Store, run: Run) -> None:
    assert run(run_named(open_store, "find_spaces", {"names": ["no such space"], "spaces": []})) == []


def test_a_named_query_may_carry_its_variant(open_store: Store, run: Run) -> None:
    parameters = {
        "vector": [1.0] + [0.0] * 255, "spaces": ["no such space"], "k": 5, "bounds": {}, "fetch": 5}

    if "neo4j-search" in open_store.engine.variants:
        assert len(run(run_named(open_store, "recall_by_vector_search (neo4j-search)", parameters))) == 1
    else:
        with pytest.raises(UsageError, match="does not run the query recall_by_vector_search"):
            run(run_named(open_store, "recall_by_vector_search (neo4j-search)", parameters))


def test_a_variant_that_is_not_there_is_refused(open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError, match=r"does not run the query find_spaces \(neo4j\)"):
        run(run_named(open_store, "find_spaces (neo4j)", {"names": []}))


def test_a_named_query_that_writes_is_refused(open_store: Store, run: Run) -> None:
    with pytest.raises(WriteRefused, match=r"The query before_adding changes the database \(mode write\)"):
        run(run_named(open_store, "before_adding", {"sessions": [], "keys": []}))


def test_the_parameters_of_a_named_query_must_fit(open_store: Store, run: Run) -> None:
    with pytest.raises(UsageError) as raised:
        run(run_named(open_store, "find_spaces", {"nmaes": []}))

    assert raised.value.message == (
        "The parameters of the query find_spaces do not fit: it needs names and it does not take nmaes.")


def test_an_unknown_named_query_is_not_found(open_store: Store, run: Run) -> None:
    with pytest.raises(NotFound):
        run(run_named(open_store, "no_such_query", {}))
