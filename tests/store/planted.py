"""Faults that the tests of the doctor plant into a healthy space round the library, each with its way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.store.prepared import Graph

# What the patterns find is called x; the first of it by id is changed.
LEAF = "MATCH (x:Topic {space: $space}) WHERE x.child_count = 0"
MESSAGE = "MATCH (x:Message {space: $space}) WHERE x.seq > 1 AND x.waiting_in IS NULL AND x.tokens < 100"
SESSION = "MATCH (x:Session {space: $space})"
SPACE = "MATCH (x:Space {id: $space})"
PASSAGE = "MATCH (x:Passage {space: $space}) WHERE x.start = 0"
EVENT = "MATCH (x:Event {space: $space, seq: 2})"
CURRENT = "MATCH (x:SummaryRevision {space: $space}) WHERE x.retired_at IS NULL AND x.number > 1"
RETIRED = "MATCH (x:SummaryRevision {space: $space}) WHERE x.retired_at IS NOT NULL"
OLDER = "MATCH (y:SummaryRevision {space: $space}) WHERE y.retired_at IS NOT NULL WITH y ORDER BY y.id LIMIT 1 "
LIVE = "MATCH (:Topic {space: $space})-[x:PARENT_OF]->(m:Message) WHERE x.retired_at IS NULL"
CLOSED = "MATCH (:Topic {space: $space})-[x:PARENT_OF]->() WHERE x.retired_at IS NOT NULL"
LONG_AGO = "datetime('2020-01-01T00:00:00Z')"


@dataclass(frozen=True)
class Changed:
    """Properties of one node or relationship that are not what they were."""

    names: str
    """The invariants that must be named, in alphabetical order; nothing else may be."""
    pattern: str
    values: dict[str, str]
    """Properties to expressions of Cypher."""

    def __str__(self) -> str:
        return f"{self.names} by {', '.join(self.values)}"

    async def plant(self, graph: Graph, ids: dict[str, str]) -> None:
        kept = ", ".join(f"x.was_{name} = x.{name}" for name in self.values)
        new = ", ".join(f"x.{name} = {value}" for name, value in self.values.items())
        rows = await graph.rows(
            f"{self.pattern} WITH x ORDER BY x.id, x.live_key, x.recorded_at LIMIT 1 "
            f"SET x.planted = true, {kept} SET {new} RETURN count(x) AS n", **ids)
        assert rows == [{"n": 1}]

    async def undo(self, graph: Graph, ids: dict[str, str]) -> None:
        old = ", ".join(f"x.{name} = x.was_{name}" for name in self.values)
        marks = ", ".join(f"x.was_{name}" for name in self.values)
        await graph.rows(f"{self._planted()} SET {old} REMOVE x.planted, {marks}", **ids)

    async def is_as_before(self, graph: Graph, ids: dict[str, str]) -> bool:
        same = " AND ".join(
            f"(x.{name} = x.was_{name} OR (x.{name} IS NULL AND x.was_{name} IS NULL))" for name in self.values)
        rows = await graph.rows(f"{self._planted()} RETURN {same} AS same", **ids)
        return rows == [{"same": True}]

    def _planted(self) -> str:
        start = self.pattern.partition(" WHERE ")[0]
        return f"{start} WHERE x.planted"


@dataclass(frozen=True)
class Done:
    """A fault by two statements: one that plants it, and one that takes it back. Both run their parts in order."""

    names: str
    what: str
    there: tuple[str, ...]
    back: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.names} by {self.what}"

    async def plant(self, graph: Graph, ids: dict[str, str]) -> None:
        for query in self.there:
            rows = await graph.rows(f"{query} RETURN count(*) AS n", **ids)
            assert rows == [{"n": 1}], query

    async def undo(self, graph: Graph, ids: dict[str, str]) -> None:
        for query in self.back:
            await graph.rows(query, **ids)


Fault = Changed | Done

CLOSE = "SET p.planted = true, p.live_key = null, p.retired_at = p.recorded_at, p.retired_seq = p.change_seq"
OPEN_AGAIN = (
    "MATCH (:Topic {space: $space})-[p:PARENT_OF]->(c) WHERE p.planted "
    "SET p.live_key = c.id, p.retired_at = null, p.retired_seq = null REMOVE p.planted")
GONE = "MATCH (:Topic {space: $space})-[p:PARENT_OF]->() WHERE p.extra DELETE p"
STAMP = "{extra: true, recorded_at: t.recorded_at, change_seq: t.change_seq"
A_LEAF = (
    "MATCH (t:Topic {space: $space})-[p:PARENT_OF]->(c:Topic) WHERE p.retired_at IS NULL AND c.child_count = 0 "
    "WITH t, p, c ORDER BY c.id LIMIT 1 ")
A_MESSAGE = (
    "MATCH (t:Topic {space: $space})-[p:PARENT_OF]->(c:Message) WHERE p.retired_at IS NULL "
    "WITH t, p, c ORDER BY c.id LIMIT 1 ")

CALL = (
    "CREATE (c:ModelCall {{id: 'call ' + $space, space: $space, passing_in: $space, day: '2024-03-04', "
    "at: datetime('2024-03-04T09:00:00Z'), outcome: 'ok', purpose: 'route', inputs: {}, reply: {}}})")
CALL_GONE = "MATCH (c:ModelCall {id: 'call ' + $space}) DETACH DELETE c"

FAULTS: tuple[Fault, ...] = (
    Changed("root", SPACE, {"root": "'nowhere'"}),
    Done("topic_counts topic_parent", "closing", (A_LEAF + CLOSE,), (OPEN_AGAIN,)),
    Done(
        "cycle filed_in leaf topic_counts topic_depth", "a circle",
        (A_LEAF + CLOSE, "MATCH (:Topic {space: $space})-[p:PARENT_OF]->(t:Topic) WHERE p.planted "
         f"CREATE (t)-[:PARENT_OF {STAMP}, live_key: t.id}}]->(t)"),
        (GONE, OPEN_AGAIN)),
    Done("message_parent topic_counts", "closing", (A_MESSAGE + CLOSE,), (OPEN_AGAIN,)),
    Changed("waiting", MESSAGE, {"waiting": "true"}),
    Changed("space_counts waiting", MESSAGE, {"waiting_in": "$space", "waiting": "true"}),
    Changed("live_key", LIVE, {"live_key": "null"}),
    Changed("live_key", CLOSED, {"live_key": "'nowhere ' + $space"}),
    Changed("filed_in", MESSAGE, {"filed_in": "'nowhere'"}),
    Changed("filed_in", MESSAGE, {"segment": "'nowhere'"}),
    Changed("filed_in", LEAF, {"filed_in": "null"}),
    Done(
        "placement_space", "a child elsewhere",
        ("MATCH (t:Topic {space: $space}) WITH t ORDER BY t.id LIMIT 1 MATCH (m:Message {space: $other}) "
         f"CREATE (t)-[:PARENT_OF {STAMP}, retired_at: t.recorded_at, retired_seq: t.change_seq}}]->(m)",),
        (GONE,)),
    Done(
        "filed_in leaf topic_counts", "a message below the root",
        (A_MESSAGE + CLOSE, "MATCH (:Topic {space: $space})-[p:PARENT_OF]->(c) WHERE p.planted "
         f"MATCH (t:Topic {{space: $space, kind: 'root'}}) CREATE (t)-[:PARENT_OF {STAMP}, live_key: c.id, "
         "segment: p.segment}]->(c)"),
        (GONE, OPEN_AGAIN)),
    Done(
        "revision_topic", "unlinking",
        ("MATCH (t:Topic {space: $space})-[h:HAS_REVISION]->(x:SummaryRevision) WHERE x.retired_at IS NOT NULL "
         "WITH h, x ORDER BY x.id LIMIT 1 SET x.planted = true DELETE h",),
        ("MATCH (x:SummaryRevision {space: $space}) WHERE x.planted MATCH (t:Topic {id: x.topic}) "
         "CREATE (t)-[:HAS_REVISION]->(x) REMOVE x.planted",)),
    Changed("current_revision", CURRENT, {"current_key": "null"}),
    Changed("current_revision", RETIRED, {"current_key": "'nowhere ' + $space"}),
    Changed("topic_wording", LEAF, {"stale_in": "'nowhere'"}),
    Changed("revision_numbers", CURRENT, {"number": "x.number + 5"}),
    Done(
        "revision_chain", "unlinking",
        ("MATCH (x:SummaryRevision {space: $space})-[s:SUPERSEDES]->(y) WITH x, s, y ORDER BY x.id LIMIT 1 "
         "SET x.planted = true, y.planted = true DELETE s",),
        ("MATCH (x:SummaryRevision {space: $space}) WHERE x.planted AND x.number > 1 "
         "MATCH (y:SummaryRevision {space: $space}) WHERE y.planted AND y.number = x.number - 1 "
         "CREATE (x)-[:SUPERSEDES]->(y) REMOVE x.planted, y.planted",)),
    Done(
        "revision_sources", "a source elsewhere",
        (OLDER + "MATCH (m:Message {space: $other}) CREATE (y)-[:DERIVED_FROM {extra: true}]->(m)",),
        ("MATCH (:SummaryRevision {space: $space})-[d:DERIVED_FROM]->() WHERE d.extra DELETE d",)),
    Changed(
        "message_keys next session_end session_numbers",
        "MATCH (s:Session {space: $space}) MATCH (x:Message {id: s.last_id})", {"seq": "x.seq + 5"}),
    Changed("session_end", SESSION, {"last_seq": "x.last_seq - 1"}),
    Changed("session_end", SESSION, {"last_id": "'nowhere'"}),
    Changed("session_end", SESSION, {"key": "'nowhere ' + $space"}),
    Done(
        "next", "unlinking",
        ("MATCH (y:Message {space: $space})-[n:NEXT]->(x:Message) WITH y, n, x ORDER BY x.id LIMIT 1 "
         "SET y.planted = true, x.planted = true DELETE n",),
        ("MATCH (y:Message {space: $space}) WHERE y.planted MATCH (x:Message {space: $space}) "
         "WHERE x.planted AND x.seq = y.seq + 1 CREATE (y)-[:NEXT]->(x) REMOVE x.planted, y.planted",)),
    Done(
        "next", "a link to elsewhere",
        ("MATCH (y:Message {space: $other}) MATCH (x:Message {space: $space}) WITH y, x ORDER BY x.id LIMIT 1 "
         "CREATE (y)-[:NEXT {extra: true}]->(x)",),
        ("MATCH (:Message {space: $other})-[n:NEXT]->() WHERE n.extra DELETE n",)),
    Changed("message_keys", MESSAGE, {"external_key": "'nowhere ' + $space"}),
    Changed("message_keys", MESSAGE, {"external_key": "null"}),
    Changed("message_keys", MESSAGE, {"place_key": "'nowhere ' + $space"}),
    Changed("terms", MESSAGE, {"terms": "'s_other'"}),
    Changed("terms", PASSAGE, {"terms": "'s_other'"}),
    Done(
        "passage_message", "unlinking",
        ("MATCH (m:Message {space: $space})-[h:HAS_PASSAGE]->(x:Passage) WITH h, x ORDER BY x.id LIMIT 1 "
         "SET x.planted = true DELETE h",),
        ("MATCH (x:Passage {space: $space}) WHERE x.planted MATCH (m:Message {id: x.message}) "
         "CREATE (m)-[:HAS_PASSAGE]->(x) REMOVE x.planted",)),
    Changed("passage_spans", PASSAGE, {"end": "x.end + 1"}),
    Changed("passage_spans", PASSAGE, {"start": "1"}),
    Changed("space_counts", SPACE, {"message_count": "x.message_count + 1"}),
    Changed("space_counts", SPACE, {"passage_count": "x.passage_count - 1"}),
    Changed("space_counts", SPACE, {"vector_count": "x.vector_count + 1"}),
    Changed("space_authors", SPACE, {"authors": "['Nobody']"}),
    Changed("topic_counts", LEAF, {"message_count": "x.message_count + 1"}),
    Changed("topic_counts", LEAF, {"segment_count": "x.segment_count + 1"}),
    Changed("topic_counts", LEAF, {"vector_count": "x.vector_count - 1"}),
    Changed("topic_counts", LEAF, {"last_message_at": "null"}),
    Changed("topic_counts", "MATCH (x:Topic {space: $space, kind: 'root'})", {"child_count": "x.child_count + 1"}),
    Changed("topic_depth", LEAF, {"depth": "x.depth + 1"}),
    Changed("topic_depth", "MATCH (x:Topic {space: $space, kind: 'root'})", {"depth": "-1"}),
    Changed("topic_title", LEAF, {"title": "'Something else'"}),
    Done(
        "call_made", "a message elsewhere",
        ("MATCH (m:Message {space: $other}) " + CALL.format("'{}'", "'{}'") + " CREATE (c)-[:MADE]->(m)",),
        (CALL_GONE,)),
    Changed("call_named", CURRENT, {"call": "'nowhere'"}),
    Changed("call_named", LIVE, {"model_call": "'nowhere'"}),
    Done("call_content", "no reply", (CALL.format("'{}'", "null"),), (CALL_GONE,)),
    Done("call_content", "no inputs", (CALL.format("'none'", "'{}'"),), (CALL_GONE,)),
    Changed("event_numbers", SPACE, {"event_seq": "x.event_seq + 1"}),
    Changed("event_numbers", EVENT, {"place_key": "'nowhere ' + $space"}),
    Changed("event_order", EVENT, {"change_seq": "1"}),
    Changed("event_order", EVENT, {"recorded_at": LONG_AGO}),
    Changed("clock", "MATCH (x:Topic {space: $space, kind: 'root'})", {"change_seq": "1000000"}),
    Changed("clock", LIVE, {"change_seq": "1000000"}),
    Changed("clock", LEAF, {"recorded_at": "datetime('2100-01-01T00:00:00Z')"}),
    Changed("closed", CLOSED, {"retired_seq": "null"}),
    Changed("closed", CLOSED, {"retired_seq": "0"}),
    Changed("closed", RETIRED, {"retired_at": LONG_AGO}),
    Changed("lease", SPACE, {"lease_owner": "'dead'", "lease_until": LONG_AGO}),
)

DEEP: tuple[Fault, ...] = (
    Changed("payload_hash", MESSAGE, {"role": "'tool'"}),
    Changed("content_hash payload_hash", MESSAGE, {"text": "'What nobody said.'"}),
    Done("call_texts", "no JSON", (CALL.format("'{no: JSON}'", "'{}'"),), (CALL_GONE,)),
    Changed("vector_sums", LEAF, {"vector_sum": "[number IN x.vector_sum | number + 1.0]"}),
    Changed("vector_sums", SPACE, {"vector_sum": "[number IN x.vector_sum | number + 1.0]"}),
)
"""What is seen only where the contents are read."""

MENDED: tuple[Changed, ...] = tuple(
    fault for fault in (*FAULTS, *DEEP)
    if isinstance(fault, Changed) and set(fault.names.split()) <= {
        "waiting", "filed_in", "space_counts", "topic_counts", "topic_depth", "topic_title", "vector_sums"})
"""What --fix sets to what it was."""


@asynccontextmanager
async def planted(graph: Graph, fault: Fault, ids: dict[str, Any]) -> AsyncIterator[None]:
    """The fault is there."""
    await fault.plant(graph, ids)
    try:
        yield
    finally:
        await fault.undo(graph, ids)
