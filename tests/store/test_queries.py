"""Every named query is understood by every engine, and finds what it looks for by an index."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import neo4j
import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from trace_graph.config import Settings
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.queries import NamedQuery, shipped_queries

NOWHERE = "no such id"
VECTOR = [1.0] + [0.0] * 255
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEARCH = {"text": "terms:(s0_nothing)", "terms": ["s0_nothing"], "spaces": [NOWHERE], "k": 5}
SCALED = {"vector": VECTOR, "scale": 1.0, "shift": 0.0}

DUMMY: dict[str, dict[str, Any]] = {
    "add_revisions": {"revisions": [{"topic": NOWHERE, "properties": {"id": NOWHERE, "title": "t"}}]},
    "adopt_embedder": {"embedder": "static:x", "dimension": 256, "probe": VECTOR},
    "append_event": {"event": {"id": NOWHERE, "seq": 1, "recorded_at": NOW}},
    "append_messages": {"messages": [{"id": NOWHERE, "embedding": VECTOR, "occurred_at": NOW}]},
    "append_passages": {"passages": [{"message": NOWHERE, "properties": {"id": NOWHERE}}]},
    "best_passages": {"ids": [NOWHERE], "terms": ["s0_x"], "spaces": [NOWHERE]},
    "children_of": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "close_placements": {
        "closed": [{"parent": NOWHERE, "child": NOWHERE, "retired_at": NOW, "retired_seq": 1}]},
    "count_nodes": {"spaces": [NOWHERE]},
    "count_stored": {},
    "count_waiting": {"spaces": [NOWHERE]},
    "create_space": {"space": {"id": NOWHERE, "name": NOWHERE, "recorded_at": NOW}, "topic": {"id": NOWHERE}},
    "create_topics": {"topics": [{"id": NOWHERE, "recorded_at": NOW}]},
    "derive_from_messages": {"links": [{"revision": NOWHERE, "source": NOWHERE, "properties": {"change_seq": 1}}]},
    "derive_from_revisions": {"links": [{"revision": NOWHERE, "source": NOWHERE, "properties": {"change_seq": 1}}]},
    "describe_messages": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "describe_spaces": {},
    "find_spaces": {"names": [NOWHERE]},
    "identify_engine": {},
    "known_messages": {"keys": [NOWHERE]},
    "link_next": {"links": [[NOWHERE, NOWHERE]]},
    "link_superseded": {"links": [{"new": NOWHERE, "old": NOWHERE, "properties": {"change_seq": 1}}]},
    "list_spaces": {},
    "lock_space": {"space": NOWHERE, "event": NOWHERE, "token": NOWHERE},
    "mark_indexed": {},
    "messages_by_id": {"ids": [NOWHERE]},
    "next_space_key": {},
    "place_messages": {"placements": [{"parent": NOWHERE, "child": NOWHERE, "properties": {"live_key": NOWHERE}}]},
    "place_topics": {"placements": [{"parent": NOWHERE, "child": NOWHERE, "properties": {"live_key": NOWHERE}}]},
    "read_meta": {},
    "recall_candidates_index": {**SEARCH, **SCALED, "fetch": 5},
    "recall_candidates_scan": {**SEARCH, **SCALED},
    "recall_candidates_search": {**SEARCH, **SCALED},
    "recall_candidates_text": SEARCH,
    "recall_passages_index": {"terms": ["s0_x"], "spaces": [NOWHERE], "k": 5, "fetch": 5, **SCALED},
    "recall_passages_scan": {"terms": ["s0_x"], "spaces": [NOWHERE], "k": 5, **SCALED},
    "recall_passages_text": SEARCH,
    "recall_rows": {"ids": [NOWHERE], "terms": ["s0_x"], "spaces": [NOWHERE], **SCALED},
    "rename_embedder": {"embedder": "static:x"},
    "retire_revisions": {"revisions": [{"id": NOWHERE, "retired_at": NOW, "retired_seq": 1}]},
    "save_sessions": {"sessions": [
        {"key": NOWHERE, "id": NOWHERE, "space": NOWHERE, "name": "n", "last_seq": 1, "last_id": NOWHERE}]},
    "segments_before": {"keys": [NOWHERE], "spaces": [NOWHERE]},
    "session_ends": {"keys": [NOWHERE]},
    "set_time_zone": {"space": NOWHERE, "time_zone": "UTC"},
    "sibling_titles": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "space_mean": {"spaces": [NOWHERE]},
    "space_of_topic": {"topic": NOWHERE, "spaces": [NOWHERE]},
    "stale_topics": {"spaces": [NOWHERE]},
    "topic_contents": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "topic_paths": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "topic_phrases": {"spaces": [NOWHERE]},
    "topic_revisions": {"topic": NOWHERE, "spaces": [NOWHERE]},
    "topics_of_messages": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "tree_messages": {"spaces": [NOWHERE]},
    "tree_shape": {"spaces": [NOWHERE]},
    "tree_state": {"spaces": [NOWHERE]},
    "tree_topics": {"spaces": [NOWHERE]},
    "update_space": {"space": NOWHERE, "properties": {"lock": "x"}},
    "update_topics": {"topics": [{"id": NOWHERE, "properties": {"title": "t"}}]},
    "waiting_messages": {"spaces": [NOWHERE], "limit": 5},
    "write_meta": {"version": 1},
}
"""Parameters of the right types that find nothing, for every query that is no schema's."""

NEEDS_FILTER_IN_INDEX = {"recall_candidates_search"}
"""Queries that only an engine with `SEARCH` understands."""

AGGREGATES = {"count_nodes", "count_stored", "count_waiting", "tree_shape"}
"""Queries that answer with one row of sums, whatever is there."""

COLLECTED = {
    "recall_candidates_index", "recall_candidates_scan", "recall_candidates_search", "recall_candidates_text",
    "recall_rows",
}
"""Queries that answer with one row, which holds the list of all that was found."""

OF_THE_DATABASE = {"describe_spaces", "identify_engine", "list_spaces", "read_meta"}
"""Queries that take nothing and describe what is there."""


class _Undone(Exception):
    """Raised by a test so that its transaction is rolled back."""


def understood(store: Store, mode: str) -> list[NamedQuery]:
    """The text that this engine would be given, of every query of a mode."""
    names = sorted({query.name for query in shipped_queries().all() if query.mode == mode})
    if store.engine.vector_list != "search":
        names = [name for name in names if name not in NEEDS_FILTER_IN_INDEX]
    return [shipped_queries().pick(name, store.engine.variants) for name in names]


def test_every_query_has_dummy_parameters_here() -> None:
    """A new query without an entry is one that no engine has been asked."""
    named = {query.name: query.parameters for query in shipped_queries().all() if query.mode != "schema"}

    assert {name: frozenset(parameters) for name, parameters in DUMMY.items()} == named


def test_every_reading_query_is_answered(store: Store, run: Run) -> None:
    async def ask() -> dict[str, list[dict[str, Any]]]:
        return {query.name: await store.read(query.name, **DUMMY[query.name]) for query in understood(store, "read")}

    answers = run(ask())

    found = {name for name, rows in answers.items() if rows and rows != [{"rows": []}]}
    assert {name for name, rows in answers.items() if rows == [{"rows": []}]} == COLLECTED & answers.keys()
    assert found - OF_THE_DATABASE == AGGREGATES
    assert answers["tree_shape"] == [
        {"topics": 0, "leaf_topics": 0, "depth": 0, "largest_leaf": 0, "most_children": 0}]
    assert answers["count_nodes"] == [
        {"messages": 0, "waiting": 0, "sessions": 0, "passages": 0, "revisions": 0, "events": 0}]


def test_every_writing_query_is_understood(store: Store, run: Run) -> None:
    """Each in a transaction of its own that is rolled back."""
    async def refused(query: NamedQuery) -> bool:
        async def work(transaction: Transaction) -> None:
            await transaction.run(query.name, **DUMMY[query.name])
            raise _Undone

        try:
            await store.write(work, query.name)
        except _Undone:
            return False
        return True

    async def ask() -> list[str]:
        return [query.name for query in understood(store, "write") if await refused(query)]

    assert run(ask()) == []


def described(plan: Any) -> str:
    return json.dumps(plan, default=str)


def explained(store: Store, name: str) -> str:
    """The query with EXPLAIN where the language allows it: before it, but after the version of the language."""
    text = shipped_queries().pick(name, store.engine.variants).text
    return text.replace("CYPHER 25\n", "CYPHER 25 EXPLAIN\n", 1) if text.startswith("CYPHER") else f"EXPLAIN {text}"


BY_INDEX = {
    "close_placements": ("topic_id",),
    "count_waiting": ("message_waiting",),
    "describe_messages": ("message_id",),
    "find_spaces": ("space_name",),
    "known_messages": ("message_external",),
    "link_next": ("message_id", "message_id"),
    "lock_space": ("space_id", "event_id"),
    "messages_by_id": ("message_id",),
    "place_messages": ("topic_id", "message_id"),
    "recall_candidates_scan": ("message_space",),
    "recall_passages_scan": ("passage_space",),
    "recall_rows": ("message_id",),
    "retire_revisions": ("revision_id",),
    "segments_before": ("message_place",),
    "session_ends": ("session_key",),
    "stale_topics": ("topic_stale",),
    "topic_contents": ("topic_id",),
    "topic_paths": ("topic_id",),
    "topics_of_messages": ("message_id",),
    "tree_state": ("topic_space",),
    "tree_topics": ("topic_space",),
    "update_space": ("space_id",),
    "waiting_messages": ("message_waiting",),
}
"""The indexes that a query's plan must name on Neo4j, whose EXPLAIN names them by what they cover."""


def operators(plan: Any) -> list[tuple[str, str]]:
    details = plan.get("args", {}).get("Details", "")
    below = [found for child in plan.get("children", []) for found in operators(child)]
    return [(plan["operatorType"], details), *below]


COVERED = {
    "event_id": ":Event(id)", "message_external": ":Message(external_key)", "message_id": ":Message(id)",
    "message_place": ":Message(place_key)", "message_space": ":Message(space)",
    "message_waiting": ":Message(waiting_in)", "passage_space": ":Passage(space)",
    "revision_id": ":SummaryRevision(id)", "session_key": ":Session(key)", "space_id": ":Space(id)",
    "space_name": ":Space(name)", "topic_id": ":Topic(id)", "topic_space": ":Topic(space)",
    "topic_stale": ":Topic(stale_in)",
}


@pytest.fixture
def on_neo4j(store: Store) -> Store:
    if store.engine.kind != "neo4j":
        pytest.skip("ArcadeDB's EXPLAIN does not name the indexes of a Cypher query.")
    return store


def test_lookups_use_an_index_and_none_scans_a_label(on_neo4j: Store, graph: Graph, run: Run) -> None:
    async def plans() -> dict[str, list[tuple[str, str]]]:
        return {
            name: operators(await graph.plan(explained(on_neo4j, name), **DUMMY[name])) for name in BY_INDEX}

    wrong = {}
    for name, found in run(plans()).items():
        seeks = " ".join(details for operator, details in found if "Index" in operator)
        scans = [operator for operator, _ in found if operator.startswith(("NodeByLabelScan", "AllNodesScan"))]
        missing = [index for index in BY_INDEX[name] if seeks.count(COVERED[index].replace(":", "", 1)) < 1]
        if scans or missing:
            wrong[name] = (scans, missing, seeks)
    assert wrong == {}, wrong


@pytest.mark.parametrize(("name", "full_text", "vector"), [
    ("recall_candidates_index", "db.index.fulltext.queryNodes", "db.index.vector.queryNodes"),
    ("recall_candidates_search", "db.index.fulltext.queryNodes", "VECTOR INDEX"),
    ("recall_passages_index", "", "db.index.vector.queryNodes"),
    ("recall_passages_text", "db.index.fulltext.queryNodes", ""),
    ("recall_candidates_text", "db.index.fulltext.queryNodes", ""),
])
def test_recall_asks_its_full_text_and_vector_index(  # noqa: PLR0917
    on_neo4j: Store, graph: Graph, run: Run, name: str, full_text: str, vector: str
) -> None:
    if name in NEEDS_FILTER_IN_INDEX and on_neo4j.engine.vector_list != "search":
        pytest.skip("This engine has no SEARCH.")

    plan = described(run(graph.plan(explained(on_neo4j, name), **DUMMY[name])))

    assert full_text in plan
    assert vector in plan
