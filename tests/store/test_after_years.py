"""What a topic has behind it, closed placements and superseded wordings, costs nothing to those who ask of today."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from tests.store.talk import conversation
from trace_graph.memory import Memory
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.queries import shipped_queries

PLANTED = 2_000
"""Closed placements of a topic, and superseded revisions of it: what years leave behind."""
MOST = {"neo4j": 3.0, "arcadedb": 10.0}
"""Times the work that the same query does where nothing is behind. Where years cost something they cost a hundredfold;
of ArcadeDB only seconds are known, which another process may disturb."""
ROUNDS = 15
"""Of timing, young and old in turn; the best of each counts, so that a busy machine disturbs neither."""

PLACEMENTS = """
MATCH (t:Topic {id: $topic})
UNWIND range(1, $count) AS number
CREATE (t)-[p:PARENT_OF]->(m:Message)
SET m.id = t.id + '/' + toString(number), p.recorded_at = t.recorded_at,
    p.retired_at = t.recorded_at, p.segment = toString(number)
"""
TOPICS = """
MATCH (t:Topic {id: $topic})
MATCH (child:Topic {space: $space}) WHERE NOT child.id IN [$topic, $leaf]
WITH t, collect(child) AS children
UNWIND range(1, $count) AS number
WITH t, children[number % size(children)] AS child
CREATE (t)-[p:PARENT_OF]->(child)
SET p.recorded_at = t.recorded_at, p.retired_at = t.recorded_at
"""
REVISIONS = """
MATCH (t:Topic {id: $topic})
UNWIND range(1, $count) AS number
CREATE (t)-[:HAS_REVISION]->(r:SummaryRevision)
SET r.id = t.id + '/' + toString(number), r.topic = t.id, r.number = -number, r.title = 'Old',
    r.text = 'What it said then.', r.method = 'extractive', r.recorded_at = t.recorded_at, r.retired_at = t.recorded_at
"""


class _Undone(Exception):
    """Raised by a test so that its transaction is rolled back."""


@pytest.fixture(scope="module")
def spaces(memory: Memory, graph: Graph, run: Run) -> Iterator[dict[str, dict[str, dict[str, Any]]]]:
    """Parameters of each query, of a young space and of one alike whose root and a leaf have years behind them.

    What was closed led to many children, as no child moves often: to messages that lie elsewhere now.
    """

    async def make() -> dict[str, dict[str, dict[str, Any]]]:
        found = {}
        for age in ("young", "old"):
            name = f"{age}-{secrets.token_hex(6)}"
            await memory.add_many(conversation(), space=name)
            await memory.organize(space=name)
            found[age] = await _asked(graph, name)
        old = found["old"]
        root, leaf = old["children_of"]["topics"][0], old["topic_contents"]["topics"][0]
        space = old["tree_state"]["spaces"][0]
        await graph.rows(PLACEMENTS, topic=leaf, count=PLANTED)
        await graph.rows(TOPICS, topic=root, leaf=leaf, space=space, count=PLANTED)
        for topic in (root, leaf):
            await graph.rows(REVISIONS, topic=topic, count=PLANTED)
        return found

    yield run(make())


async def _asked(graph: Graph, name: str) -> dict[str, dict[str, Any]]:
    rows = await graph.rows(
        "MATCH (s:Space {name: $name}) MATCH (t:Topic {filed_in: s.root}) WHERE t.child_count = 0 "
        "MATCH (m:Message {filed_in: t.id}) "
        "RETURN s.id AS space, s.root AS root, t.id AS leaf, m.id AS message, m.place_key AS place "
        "ORDER BY t.recorded_at, leaf, place DESC LIMIT 1", name=name)
    of = rows[0]
    spaces, closing = [of["space"]], {"retired_at": None, "retired_seq": None}
    await graph.rows("MATCH (t:Topic {id: $leaf}) SET t.stale_in = $space", leaf=of["leaf"], space=of["space"])
    return {
        "children_of": {"topics": [of["root"]], "spaces": spaces},
        "close_placements_of_messages": {"closed": [{"child": of["message"], **closing}]},
        "close_placements_of_topics": {"closed": [{"child": of["leaf"], **closing}]},
        "describe_messages": {"ids": [of["message"]], "shown": [of["message"]], "spaces": spaces},
        "segments_before": {"keys": [of["place"]], "spaces": spaces},
        "sibling_titles": {"topics": [of["leaf"]], "spaces": spaces},
        "stale_topics": {"spaces": spaces},
        "topic_contents": {"topics": [of["leaf"]], "spaces": spaces},
        "topic_current": {"topic": of["leaf"], "spaces": spaces},
        "topic_paths": {"ids": [of["leaf"]], "spaces": spaces},
        "topic_phrases": {"spaces": spaces},
        "tree_messages": {"spaces": spaces},
        "tree_shape": {"spaces": spaces},
        "tree_state": {"spaces": spaces},
        "tree_topics": {"spaces": spaces},
    }


async def seconds(store: Store, name: str, parameters: dict[str, Any]) -> float:
    """How long one query takes in an open transaction that is rolled back."""
    taken = 0.0

    async def work(transaction: Transaction) -> None:
        nonlocal taken
        started = time.perf_counter()
        await transaction.run(name, **parameters)
        taken = time.perf_counter() - started
        raise _Undone

    try:
        await store.write(work, name)
    except _Undone:
        return taken
    raise AssertionError("the transaction is rolled back")


async def work_of(store: Store, graph: Graph, name: str, asked: dict[str, dict[str, Any]]) -> dict[str, float]:
    """What the query costs where it is young and where it is old: touches on Neo4j, seconds on ArcadeDB."""
    if store.engine.kind == "neo4j":
        text = f"CYPHER replan=force PROFILE {shipped_queries().pick(name, store.engine.variants).text}"
        return {age: float(await graph.work(text, **parameters)) for age, parameters in asked.items()}
    taken: dict[str, list[float]] = {age: [] for age in asked}
    for _ in range(ROUNDS):
        for age, parameters in asked.items():
            taken[age].append(await seconds(store, name, parameters))
    return {age: min(times) for age, times in taken.items()}


def test_what_is_closed_costs_nothing(
    store: Store, graph: Graph, run: Run, spaces: dict[str, dict[str, dict[str, Any]]]
) -> None:
    """Whoever asks what is so now never reads what was once so."""
    names = sorted(spaces["young"])

    async def measure() -> dict[str, dict[str, float]]:
        return {
            name: await work_of(store, graph, name, {age: asked[name] for age, asked in spaces.items()})
            for name in names
        }

    costs = run(measure())

    most = MOST[store.engine.kind]
    ratios = {name: cost["old"] / cost["young"] for name, cost in costs.items()}
    assert {name: (round(ratio, 1), costs[name]) for name, ratio in ratios.items() if ratio > most} == {}
