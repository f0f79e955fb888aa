"""Every named query is understood by every engine, and finds what it looks for by an index."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from trace_graph.memory import Memory
from trace_graph.models import MessageInput
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.queries import NamedQuery, shipped_queries

pytestmark = pytest.mark.each_release

NOWHERE = "no such id"
VECTOR = [1.0] + [0.0] * 255
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEARCH = {"text": "terms:(s0_nothing)", "spaces": [NOWHERE], "k": 5}
NEAR = {"vector": VECTOR, "spaces": [NOWHERE], "k": 5}
THEN = {"spaces": [NOWHERE], "bounds": {NOWHERE: 1}}
EDGE = {"source": NOWHERE, "target": NOWHERE, "properties": {"change_seq": 1}}
SCALED = {**NEAR, "scale": 1.0, "shift": 0.0}

DUMMY: dict[str, dict[str, Any]] = {
    "add_revisions": {"revisions": [{"topic": NOWHERE, "properties": {"id": NOWHERE, "title": "t"}}]},
    "adopt_embedder": {"embedder": "static:x", "dimension": 256, "probe": VECTOR},
    "append_event": {"event": {"id": NOWHERE, "seq": 1, "recorded_at": NOW}},
    "append_messages": {"messages": [{"id": NOWHERE, "embedding": VECTOR, "occurred_at": NOW}]},
    "append_passages": {"passages": [{"message": NOWHERE, "properties": {"id": NOWHERE}}]},
    "before_adding": {"sessions": [NOWHERE], "keys": [NOWHERE]},
    "branch_messages": {"topics": [NOWHERE], **NEAR, **THEN},
    "branch_messages_then": {"topics": [NOWHERE], **NEAR, **THEN},
    "branches_below": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "branches_below_then": {"topics": [NOWHERE], **THEN},
    "best_passages": {"ids": [NOWHERE], "terms": ["s0_x"], "spaces": [NOWHERE]},
    "build_vector_graphs": {},
    "changes_at": {"spaces": [NOWHERE], "moment": NOW},
    "segment_margins": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "shown_topics": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "children_then": {"topics": [NOWHERE], **THEN},
    "children_of": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "close_placements_of_messages": {"closed": [{"child": NOWHERE, "retired_at": NOW, "retired_seq": 1}]},
    "close_placements_of_topics": {"closed": [{"child": NOWHERE, "retired_at": NOW, "retired_seq": 1}]},
    "count_nodes": {"spaces": [NOWHERE]},
    "counts_then": THEN,
    "call_figures": {"wanted": [NOWHERE], "spaces": [NOWHERE]},
    "call_ids": {"wanted": [NOWHERE], "spaces": [NOWHERE]},
    "calls_of_days": {"days": ["1970-01-01"]},
    "count_stored": {},
    "count_waiting": {"spaces": [NOWHERE]},
    "create_space": {"space": {"id": NOWHERE, "name": NOWHERE, "recorded_at": NOW}, "topic": {"id": NOWHERE}},
    "create_topics": {"topics": [{"id": NOWHERE, "recorded_at": NOW}]},
    "derive_from_messages": {"links": [{"revision": NOWHERE, "source": NOWHERE, "properties": {"change_seq": 1}}]},
    "derive_from_revisions": {"links": [{"revision": NOWHERE, "source": NOWHERE, "properties": {"change_seq": 1}}]},
    "describe_messages": {"ids": [NOWHERE], "shown": [NOWHERE], "spaces": [NOWHERE]},
    "describe_spaces": {},
    "doctor_call_content": {"spaces": [NOWHERE]},
    "doctor_call_ids": {"spaces": [NOWHERE]},
    "doctor_call_made": {"spaces": [NOWHERE]},
    "doctor_call_named": {"spaces": [NOWHERE]},
    "doctor_call_texts": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "doctor_clock": {"spaces": [NOWHERE]},
    "doctor_closed": {"spaces": [NOWHERE]},
    "doctor_contents": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "doctor_current_revision": {"spaces": [NOWHERE]},
    "doctor_cycle": {"spaces": [NOWHERE]},
    "doctor_dimension": {"spaces": [NOWHERE]},
    "doctor_event_numbers": {"spaces": [NOWHERE]},
    "doctor_event_order": {"spaces": [NOWHERE]},
    "doctor_filed_in": {"spaces": [NOWHERE]},
    "doctor_indexes": {},
    "doctor_leaf": {"spaces": [NOWHERE]},
    "doctor_lease": {"spaces": [NOWHERE]},
    "doctor_ledger": {"spaces": [NOWHERE]},
    "doctor_live_key": {"spaces": [NOWHERE]},
    "doctor_mend_filed_in": {"space": NOWHERE},
    "doctor_mend_root": {"space": NOWHERE},
    "doctor_mend_titles": {"space": NOWHERE},
    "doctor_mend_unfiled": {"space": NOWHERE},
    "doctor_mend_waiting": {"space": NOWHERE},
    "doctor_mend_wording": {"space": NOWHERE},
    "doctor_message_keys": {"spaces": [NOWHERE]},
    "doctor_message_parent": {"spaces": [NOWHERE]},
    "doctor_next": {"spaces": [NOWHERE]},
    "doctor_passage_message": {"spaces": [NOWHERE]},
    "doctor_passage_spans": {"spaces": [NOWHERE]},
    "doctor_placement_space": {"spaces": [NOWHERE]},
    "doctor_revision_chain": {"spaces": [NOWHERE]},
    "doctor_revision_numbers": {"spaces": [NOWHERE]},
    "doctor_revision_sources": {"spaces": [NOWHERE]},
    "doctor_revision_topic": {"spaces": [NOWHERE]},
    "doctor_root": {"spaces": [NOWHERE]},
    "doctor_session_end": {"spaces": [NOWHERE]},
    "doctor_session_numbers": {"spaces": [NOWHERE]},
    "doctor_space_authors": {"spaces": [NOWHERE]},
    "doctor_space_caches": {"spaces": [NOWHERE]},
    "doctor_space_counts": {"spaces": [NOWHERE]},
    "doctor_stale_topics": {"spaces": [NOWHERE]},
    "doctor_terms": {"spaces": [NOWHERE]},
    "doctor_topic_counts": {"spaces": [NOWHERE]},
    "doctor_topic_depth": {"spaces": [NOWHERE]},
    "doctor_topic_parent": {"spaces": [NOWHERE]},
    "doctor_topic_title": {"spaces": [NOWHERE]},
    "doctor_topic_wording": {"spaces": [NOWHERE]},
    "doctor_topics": {"spaces": [NOWHERE]},
    "doctor_unfinished": {"spaces": [NOWHERE]},
    "doctor_waiting": {"spaces": [NOWHERE]},
    "doctor_written": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "drop_old_recalls": {"space": NOWHERE, "kept": 1, "most": 5},
    "drop_passing_calls": {"space": NOWHERE, "before": "1970-01-01", "since": "1970-01-01", "most": 5},
    "export_call_ids": {"spaces": [NOWHERE], "bound": 1},
    "export_calls": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "export_event_ids": {"spaces": [NOWHERE], "bound": 1},
    "export_made": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_events": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "export_message_ids": {"spaces": [NOWHERE], "bound": 1},
    "export_message_passages": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "export_messages": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_next": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_passage_ids": {"spaces": [NOWHERE]},
    "export_passages": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "export_placements": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_revision_ids": {"spaces": [NOWHERE], "bound": 1},
    "export_revisions": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "export_sessions": {"spaces": [NOWHERE]},
    "export_sources": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_space": {"spaces": [NOWHERE]},
    "export_superseded": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_topic_revisions": {"ids": [NOWHERE], "spaces": [NOWHERE], "bound": 1},
    "export_topics": {"spaces": [NOWHERE]},
    "find_spaces": {"names": [NOWHERE]},
    "finish_adding": {
        "links": [[NOWHERE, NOWHERE]], "events": [], "space": NOWHERE, "properties": {"lock": "x"},
        "sessions": [
            {"key": NOWHERE, "id": NOWHERE, "space": NOWHERE, "name": "n", "last_seq": 1, "last_id": NOWHERE}
        ]
    },
    "identify_engine": {},
    "keep_calls": {"calls": [{"id": NOWHERE, "space": NOWHERE, "at": NOW, "spaces": [NOWHERE]}]},
    "keep_cited": {"cited": [{"recall": NOWHERE, "message": NOWHERE, "properties": {"rank": 1}}]},
    "keep_recalls": {"recalls": [{"id": NOWHERE, "space": NOWHERE, "spaces": [NOWHERE], "at": NOW}]},
    "keep_used": {"used": [{"recall": NOWHERE, "message": NOWHERE, "properties": {"rank": 1}}]},
    "link_superseded": {"links": [{"new": NOWHERE, "old": NOWHERE, "properties": {"change_seq": 1}}]},
    "list_spaces": {},
    "lock_space": {"space": NOWHERE, "event": NOWHERE, "token": NOWHERE},
    "mark_indexed": {},
    "messages_by_id": {"ids": [NOWHERE]},
    "next_space_key": {},
    "place_messages": {"placements": [{"parent": NOWHERE, "child": NOWHERE, "properties": {"live_key": NOWHERE}}]},
    "place_topics": {"placements": [{"parent": NOWHERE, "child": NOWHERE, "properties": {"live_key": NOWHERE}}]},
    "read_meta": {},
    "read_recall": {"id": NOWHERE, "spaces": [NOWHERE]},
    "recall_by_text": {**SEARCH, **THEN, "fetch": 5},
    "recall_by_vector_index": {**NEAR, **THEN, "fetch": 5},
    "recall_by_vector_scan": {**NEAR, **THEN},
    "recall_by_vector_search": {**NEAR, **THEN, "fetch": 5},
    "recall_passages_index": {**SCALED, "fetch": 5},
    "recall_passages_scan": SCALED,
    "recall_passages_text": {**SEARCH, "vector": VECTOR, "scale": 1.0, "shift": 0.0},
    "recall_rows": {"ids": [NOWHERE], "vector": VECTOR, **THEN},
    "recorded_in": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "rename_embedder": {"embedder": "static:x"},
    "restore_advance": {"space": NOWHERE, "token": NOWHERE, "lines": 1},
    "restore_begin": {"space": {"id": NOWHERE, "name": NOWHERE, "key": NOWHERE, "restored": 2}},
    "restore_complete": {"space": NOWHERE, "properties": {"recorded_at": NOW}},
    "restore_discard": {"space": NOWHERE, "token": NOWHERE},
    "restore_calls": {"rows": [{"id": NOWHERE}]},
    "restore_calls_taken": {"ids": [NOWHERE]},
    "restore_discard_calls": {"space": NOWHERE, "most": 5},
    "restore_discard_events": {"space": NOWHERE, "most": 5},
    "restore_discard_messages": {"space": NOWHERE, "most": 5},
    "restore_discard_passages": {"space": NOWHERE, "most": 5},
    "restore_discard_revisions": {"space": NOWHERE, "most": 5},
    "restore_discard_sessions": {"space": NOWHERE, "most": 5},
    "restore_discard_topics": {"space": NOWHERE, "most": 5},
    "restore_events": {"rows": [{"id": NOWHERE}]},
    "restore_events_taken": {"ids": [NOWHERE]},
    "restore_message_passages": {"rows": [EDGE]},
    "restore_message_placements": {"rows": [EDGE]},
    "restore_message_sources": {"rows": [EDGE]},
    "restore_messages": {"rows": [{"id": NOWHERE}]},
    "restore_made": {"rows": [EDGE]},
    "restore_messages_taken": {"ids": [NOWHERE]},
    "restore_next": {"rows": [EDGE]},
    "restore_passages": {"rows": [{"id": NOWHERE}]},
    "restore_passages_taken": {"ids": [NOWHERE]},
    "restore_revision_sources": {"rows": [EDGE]},
    "restore_revisions": {"rows": [{"id": NOWHERE}]},
    "restore_revisions_taken": {"ids": [NOWHERE]},
    "restore_sessions": {"rows": [{"id": NOWHERE}]},
    "restore_standing": {"space": NOWHERE, "called": NOWHERE},
    "restore_superseded": {"rows": [EDGE]},
    "restore_take_over": {"space": NOWHERE, "digest": NOWHERE, "token": NOWHERE, "called": NOWHERE},
    "restore_topic_placements": {"rows": [EDGE]},
    "restore_topic_revisions": {"rows": [EDGE]},
    "restore_topics": {"rows": [{"id": NOWHERE}]},
    "restore_topics_taken": {"ids": [NOWHERE]},
    "retire_revisions": {"revisions": [{"id": NOWHERE, "retired_at": NOW, "retired_seq": 1}]},
    "segments_before": {"keys": [NOWHERE], "spaces": [NOWHERE]},
    "save_forms": {"forms": "[]"},
    "set_time_zone": {"space": NOWHERE, "time_zone": "UTC"},
    "sibling_titles": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "link_made": {"links": [EDGE]},
    "link_made_recalls": {"links": [{"source": NOWHERE, "target": NOWHERE}]},
    "list_calls": {
        "wanted": [NOWHERE], "spaces": [NOWHERE], "purposes": ["route"], "outcomes": ["ok"], "since": NOW, "limit": 5},
    "lock_forms": {"token": "x"},
    "made_by_calls": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "read_calls": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "read_forms": {},
    "read_lease": {"spaces": [NOWHERE]},
    "space_mean": {"spaces": [NOWHERE]},
    "space_of_topic": {"topic": NOWHERE, "spaces": [NOWHERE]},
    "stale_topics": {"spaces": [NOWHERE]},
    "stored_tokens": {"spaces": [NOWHERE]},
    "messages_to_copy": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "places_of_messages": {"spaces": [NOWHERE]},
    "routing_figures": {"spaces": [NOWHERE], "model": "m", "most": 5},
    "note_filed_in": {},
    "texts_of_messages": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "texts_of_revisions": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "topics_behind": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "topics_to_word_again": {"spaces": [NOWHERE], "now": NOW},
    "wording_sources": {"revisions": [NOWHERE], "spaces": [NOWHERE]},
    "topic_contents": {"topics": [NOWHERE], "spaces": [NOWHERE]},
    "topic_current": {"topic": NOWHERE, "spaces": [NOWHERE]},
    "topic_paths": {"ids": [NOWHERE], "spaces": [NOWHERE]},
    "topic_phrases": {"spaces": [NOWHERE]},
    "topic_revisions": {"topic": NOWHERE, "spaces": [NOWHERE]},
    "titles_then": {"ids": [NOWHERE], **THEN},
    "topics_then": {"ids": [NOWHERE], **THEN},
    "tree_messages": {"spaces": [NOWHERE]},
    "tree_shape": {"spaces": [NOWHERE]},
    "tree_state": {"spaces": [NOWHERE]},
    "tree_topics": {"spaces": [NOWHERE]},
    "update_space": {"space": NOWHERE, "properties": {"lock": "x"}},
    "update_topics": {"topics": [{"id": NOWHERE, "properties": {"title": "t"}}]},
    "waiting_messages": {"spaces": [NOWHERE], "limit": 5},
    "waiting_since": {"spaces": [NOWHERE]},
    "write_meta": {"version": 1},
}
"""Parameters of the right types that find nothing, for every query that is no schema's."""

NEEDS_FILTER_IN_INDEX = {"recall_by_vector_search"}
"""Queries that only an engine with `SEARCH` understands."""

AGGREGATES = {"count_nodes", "count_stored", "count_waiting", "stored_tokens", "tree_shape"}
"""Queries that answer with one row of sums, whatever is there."""

OF_THE_DATABASE = {
    "build_vector_graphs", "describe_spaces", "doctor_indexes", "identify_engine", "list_spaces", "read_forms",
    "read_meta",
}
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
    # Those that answer with one row, which holds the list of all that was found.
    collected = {query.name for query in understood(store, "read") if query.text.endswith(" AS rows")}

    found = {name for name, rows in answers.items() if rows and rows != [{"rows": []}]}
    assert {name for name, rows in answers.items() if rows == [{"rows": []}]} == collected
    assert found - OF_THE_DATABASE == AGGREGATES
    assert answers["tree_shape"] == [
        {"topics": 0, "leaf_topics": 0, "depth": 0, "largest_leaf": 0, "most_children": 0}
    ]
    assert answers["count_nodes"] == [
        {"messages": 0, "waiting": 0, "sessions": 0, "passages": 0, "revisions": 0, "events": 0}
    ]


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


BY_INDEX: dict[str, set[str]] = {
    "before_adding": {"Session(key)", "Message(external_key)"},
    "branch_messages": {"Message(filed_in)"},
    "branch_messages_then": {"Topic(id)"},
    "branches_below": {"Topic(filed_in)"},
    "branches_below_then": {"Topic(id)"},
    "call_figures": {"ModelCall(space)"},
    "calls_of_days": {"ModelCall(day)"},
    "changes_at": {"Event(space)"},
    "segment_margins": {"Message(filed_in)"},
    "shown_topics": {"Topic(id)", "SummaryRevision(current_key)", "Message(filed_in)"},
    "children_then": {"Topic(id)"},
    "children_of": {"Topic(filed_in)", "SummaryRevision(current_key)"},
    "close_placements_of_messages": {"PARENT_OF(live_key)"},
    "close_placements_of_topics": {"PARENT_OF(live_key)"},
    "counts_then": {"Message(space)"},
    "count_waiting": {"Message(waiting_in)"},
    "describe_messages": {"Message(id)"},
    "drop_old_recalls": {"Recall(space)"},
    "drop_passing_calls": {"ModelCall(passing_in)"},
    "export_call_ids": {"ModelCall(space)"},
    "export_calls": {"ModelCall(id)"},
    "export_events": {"Event(id)"},
    "export_made": {"ModelCall(id)"},
    "export_message_ids": {"Message(space)"},
    "export_message_passages": {"Message(id)"},
    "export_messages": {"Message(id)"},
    "export_next": {"Message(id)"},
    "export_passage_ids": {"Passage(space)"},
    "export_passages": {"Passage(id)"},
    "export_placements": {"Topic(id)"},
    "export_revision_ids": {"SummaryRevision(space)"},
    "export_revisions": {"SummaryRevision(id)"},
    "export_sources": {"SummaryRevision(id)"},
    "export_superseded": {"SummaryRevision(id)"},
    "export_topic_revisions": {"Topic(id)"},
    "find_spaces": {"Space(name)"},
    "finish_adding": {"Message(id)", "Space(id)"},
    "keep_cited": {"Recall(id)", "Message(id)"},
    "keep_used": {"Recall(id)", "Message(id)"},
    "link_made": {"ModelCall(id)", "SummaryRevision(id)", "Topic(id)", "Message(id)"},
    "list_calls": {"ModelCall(space)"},
    "lock_space": {"Space(id)", "Event(id)"},
    "messages_by_id": {"Message(id)"},
    "place_messages": {"Topic(id)", "Message(id)"},
    "read_calls": {"ModelCall(id)"},
    "read_recall": {"Recall(id)"},
    "recall_by_vector_scan": {"Message(space)"},
    "recall_passages_scan": {"Passage(space)"},
    "recall_rows": {"Message(id)"},
    "recorded_in": {"Message(id)"},
    "restore_message_passages": {"Message(id)", "Passage(id)"},
    "restore_message_placements": {"Topic(id)", "Message(id)"},
    "restore_message_sources": {"SummaryRevision(id)", "Message(id)"},
    "restore_next": {"Message(id)"},
    "restore_revision_sources": {"SummaryRevision(id)"},
    "restore_superseded": {"SummaryRevision(id)"},
    "restore_topic_placements": {"Topic(id)"},
    "restore_topic_revisions": {"Topic(id)", "SummaryRevision(id)"},
    "retire_revisions": {"SummaryRevision(id)"},
    "segments_before": {"Message(place_key)", "Message(filed_in)"},
    "sibling_titles": {"Topic(id)", "Topic(filed_in)"},
    "stale_topics": {"Topic(stale_in)", "SummaryRevision(current_key)"},
    "titles_then": {"Topic(id)"},
    "topic_contents": {"Message(filed_in)"},
    "topic_current": {"Topic(id)", "SummaryRevision(current_key)"},
    "topic_paths": {"Topic(id)"},
    "topics_behind": {"Topic(id)", "SummaryRevision(current_key)"},
    "topics_to_word_again": {"Topic(space)", "SummaryRevision(current_key)"},
    "topics_then": {"Message(id)"},
    "tree_state": {"Topic(space)"},
    "tree_topics": {"Topic(space)", "SummaryRevision(current_key)"},
    "update_space": {"Space(id)"},
    "waiting_messages": {"Message(waiting_in)"},
    "wording_sources": {"SummaryRevision(id)"},
}
"""The indexes that a query's plan must seek in, by what they cover; where there are two good ways, none is named."""

ASKED = re.compile(r"(\w+\(\w+\))")


def operators(plan: Any) -> list[tuple[str, str]]:
    """Every operator of a plan, with what it works on."""
    below = [found for child in plan.get("children", []) for found in operators(child)]
    return [(plan["operatorType"], plan["args"].get("Details", "")), *below]


def explained(store: Store, name: str) -> str:
    """The query with EXPLAIN, planned anew from the figures of now."""
    text = shipped_queries().pick(name, store.engine.variants).text
    version = "CYPHER 25" if text.startswith("CYPHER 25") else "CYPHER"
    return f"{version} replan=force EXPLAIN {text.removeprefix('CYPHER 25')}"


@pytest.fixture(scope="module")
def filled(store: Store, graph: Graph, memory: Memory, run: Run) -> Store:
    """A Neo4j with enough in it that its planner has figures to go by; of an empty one it scans whatever it likes."""
    if store.engine.kind != "neo4j":
        pytest.skip("ArcadeDB's EXPLAIN does not name the indexes of a Cypher query.")

    async def fill() -> None:
        texts = [f"Number {number} of the log: {word} at the pier." for number in range(20) for word in NOUNS]
        name = f"plans-{secrets.token_hex(6)}"
        await memory.add_many([MessageInput(text=text, session=text[-9:]) for text in texts], space=name)
        await memory.organize(space=name)
        await graph.rows(LARGE_TREE, space=name)
        await graph.rows("CALL db.prepareForReplanning(60)")

    run(fill())
    return store


LARGE_TREE = """
UNWIND range(1, 3000) AS number
CREATE (t:Topic {id: $space + '/' + toString(number), space: $space, filed_in: $space + '/' + toString(number / 10)})
CREATE (t)-[:PARENT_OF {live_key: $space + '/p' + toString(number), change_seq: number}]->
       (m:Message {id: $space + '/p' + toString(number), space: $space, filed_in: t.id})
CREATE (m)-[:HAS_PASSAGE]->(:Passage {id: $space + '/q' + toString(number), space: $space})
CREATE (t)-[:HAS_REVISION]->(:SummaryRevision {id: $space + '/r' + toString(number), space: $space})
CREATE (:ModelCall {id: $space + '/c' + toString(number), space: $space, day: $space + '/' + toString(number / 10),
                    passing_in: $space + '/' + toString(number / 10)})
"""
"""What is in no space, and only there for the planner: of a handful of topics it reads all."""

NOUNS = ("gulls", "a storm", "the ferry", "nine crates")


def test_lookups_seek_in_an_index_and_scan_no_label(filled: Store, graph: Graph, run: Run) -> None:
    async def plans() -> dict[str, list[tuple[str, str]]]:
        return {name: operators(await graph.plan(explained(filled, name), **DUMMY[name])) for name in BY_INDEX}

    found = run(plans())

    sought = {
        name: {what for operator, details in plan if "IndexSeek" in operator for what in ASKED.findall(details)}
        for name, plan in found.items()
    }
    assert {name: BY_INDEX[name] - sought[name] for name in BY_INDEX if not BY_INDEX[name] <= sought[name]} == {}
    scans = {name: [operator for operator, _ in plan if "Scan" in operator] for name, plan in found.items()}
    assert {name: scan for name, scan in scans.items() if scan} == {}


def test_the_doctor_goes_through_spaces_and_never_through_all_there_is(filled: Store, graph: Graph, run: Run) -> None:
    names = [query.name for query in shipped_queries().all() if query.file.startswith("doctor")]
    names.remove("doctor_indexes")

    async def plans() -> dict[str, list[tuple[str, str]]]:
        return {name: operators(await graph.plan(explained(filled, name), **DUMMY[name])) for name in names}

    found = run(plans())

    assert len(names) > 40
    everything = ("NodeByLabelScan", "AllNodesScan", "RelationshipTypeScan")
    scans = {name: [what for what, _ in plan if what.startswith(everything)] for name, plan in found.items()}
    assert {name: scan for name, scan in scans.items() if scan} == {}


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("recall_by_text", ["db.index.fulltext.queryNodes"]),
        ("recall_by_vector_index", ["db.index.vector.queryNodes"]),
        ("recall_by_vector_search", ["VECTOR INDEX"]),
        ("recall_passages_index", ["db.index.vector.queryNodes"]),
        ("recall_passages_text", ["db.index.fulltext.queryNodes"]),
    ],
)
def test_recall_asks_its_full_text_and_vector_index(
    filled: Store, graph: Graph, run: Run, name: str, asked: list[str]
) -> None:
    if name in NEEDS_FILTER_IN_INDEX and filled.engine.vector_list != "search":
        pytest.skip("This engine has no SEARCH.")

    plan = " ".join(details for _, details in operators(run(graph.plan(explained(filled, name), **DUMMY[name]))))

    assert [door for door in asked if door not in plan] == []
