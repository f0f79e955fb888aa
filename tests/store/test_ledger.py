"""The ledger can be checked against the graph, and its clock goes forward only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from tests.store.conftest import Run
from tests.store.looking import events, id_of, opened, stored
from tests.store.prepared import Graph
from tests.store.talk import EVERYTHING
from trace_graph.config import Settings
from trace_graph.memory import Memory
from trace_graph.models import MessageInput
from trace_graph.store.ledger import CACHES, TICK, Record, payload_hash


async def records_of_change(graph: Graph, space: str, change_seq: int) -> list[Record]:
    """What the graph holds of the adding of messages by one change, as the ledger hashes it."""
    nodes = await graph.rows(
        "MATCH (m:Message {space: $space}) WHERE m.change_seq = $change "
        "RETURN 'Message' AS kind, properties(m) AS node "
        "UNION ALL MATCH (m:Message {space: $space})-[:HAS_PASSAGE]->(p:Passage) WHERE m.change_seq = $change "
        "RETURN 'Passage' AS kind, properties(p) AS node",
        space=space,
        change=change_seq,
    )
    sessions = await graph.rows(
        "MATCH (m:Message {space: $space, seq: 1}) WHERE m.change_seq = $change "
        "MATCH (x:Session {space: $space}) WHERE x.name = m.session "
        "RETURN x.id AS id, x.key AS key, x.space AS space, x.name AS name",
        space=space,
        change=change_seq,
    )
    links = await graph.rows(
        "MATCH (a:Message)-[:NEXT]->(b:Message {space: $space}) WHERE b.change_seq = $change "
        "RETURN a.id AS one, b.id AS other",
        space=space,
        change=change_seq,
    )
    return [
        *(
            Record(
                row["kind"],
                {
                    name: value
                    for name, value in row["node"].items()
                    if name not in CACHES.get(row["kind"], frozenset())
                },
            )
            for row in nodes
        ),
        *(Record("Session", row) for row in sessions),
        *(Record("NEXT", {"from": row["one"], "to": row["other"]}) for row in links),
    ]


def test_the_hash_of_every_event_can_be_computed_again_from_the_graph(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    long = " ".join(f"word{number}" for number in range(300)) + " " + EVERYTHING
    zone = datetime(2024, 1, 1, 0, 30, 0, 999_999, tzinfo=UTC)

    async def write() -> tuple[list[str], list[str]]:
        await memory.add_many(
            [
                MessageInput(text="One.", content=[{"type": "text", "text": "One."}], at="2024-01-01T00:30:00-03:30"),
                MessageInput(text=long, author="Mira", external_id="x", at=zone, agent="helper"),
            ],
            space=space,
        )
        await memory.add("👋", space=space)
        id = await id_of(graph, space)
        ledger = [event for event in await events(graph, space) if event["action"] == "messages.added"]
        again = [payload_hash(await records_of_change(graph, id, event["change_seq"])) for event in ledger]
        return [event["payload_hash"] for event in ledger], again

    written, computed = run(write())

    assert len(written) == 2
    assert computed == written


def test_the_event_of_an_organised_space_can_be_computed_again_from_the_graph(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    topic = ("id", "space", "kind", "recorded_at", "change_seq")

    async def write() -> tuple[str, str]:
        await memory.add_many(
            [MessageInput(text=f"Bread {number} is in the oven.") for number in range(6)], space=space
        )
        await memory.organize(space=space)
        id = await id_of(graph, space)
        event = next(event for event in await events(graph, space) if event["action"] == "messages.filed")
        topics = await graph.rows(
            "MATCH (t:Topic {space: $space, kind: 'topic'}) RETURN properties(t) AS t", space=id
        )
        edges = await graph.rows(
            "MATCH (t:Topic {space: $space})-[p:PARENT_OF]->(c) "
            "RETURN t.id AS parent, c.id AS child, properties(p) AS p",
            space=id,
        )
        records = [Record("Topic", {name: row["t"][name] for name in topic}) for row in topics]
        records += [Record("PARENT_OF", {"from": row["parent"], "to": row["child"], **row["p"]}) for row in edges]
        return event["payload_hash"], payload_hash(records)

    written, computed = run(write())

    assert computed == written


def test_time_of_record_strictly_increases_although_the_clock_jumps_back(
    settings: Settings, graph: Graph, run: Run, space: str
) -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    shown = [start]

    async def write() -> list[dict[str, Any]]:
        async with opened(settings, clock=lambda: shown[0]) as memory:
            for moment in (start, start - timedelta(days=1), start - timedelta(days=1), start + timedelta(hours=1)):
                shown[0] = moment
                await memory.add("Now.", space=space)
            return await stored(graph, space)

    found = run(write())

    times = [message["recorded_at"] for message in found]
    assert times == [start + TICK, start + 2 * TICK, start + 3 * TICK, start + timedelta(hours=1)]
    assert [message["change_seq"] for message in found] == [2, 3, 4, 5]
    assert all(earlier < later for earlier, later in pairwise(times))
