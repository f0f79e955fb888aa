"""Organising: every message has one place, every topic its wording, and neither a crash nor a rival changes that."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from tests.store.conftest import Run
from tests.store.prepared import Graph
from tests.store.talk import conversation
from trace_graph.access.scopes import Space
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import EngineTimeout
from trace_graph.memory import Memory
from trace_graph.models import MessageInput, OrganizeReport, uuid7
from trace_graph.organize import organizing
from trace_graph.organize.filing import Filing, carry_out
from trace_graph.organize.lease import LENGTH, Lease, LeaseLost, release_lease, take_lease
from trace_graph.organize.revising import Reviser
from trace_graph.organize.values import Plan, ShapeSettings
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces

SHAPE = ShapeSettings()
EDGES = "MATCH (t:Topic {space: $space})-[p:PARENT_OF]->(c) "
ACTOR = Actor("tester", "library")


@dataclass(frozen=True)
class Seen:
    """The tree of a space as it lies in the graph."""

    topics: dict[str, dict[str, Any]]
    """Topics by id, with their properties."""
    edges: list[dict[str, Any]]
    """Every PARENT_OF, live or closed: parent, child, kind of the child, properties."""
    revisions: list[dict[str, Any]]
    external: dict[str, str | None]
    """External ids of all messages by id."""
    noted: dict[str, str | None]
    """What messages and topics say that they lie in, by id."""

    @property
    def live(self) -> list[dict[str, Any]]:
        return [edge for edge in self.edges if edge["p"].get("retired_at") is None]

    @property
    def parent(self) -> dict[str, str]:
        return {edge["child"]: edge["parent"] for edge in self.live}

    def children(self, kind: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for edge in self.live:
            if edge["kind"] == kind:
                found[edge["parent"]].append(edge["child"])
        return found

    def path(self, id: str) -> tuple[str, ...]:
        """Titles from the root down to what holds this."""
        titles = []
        while id in self.parent:
            id = self.parent[id]
            titles.append(self.topics[id]["title"])
        return tuple(reversed(titles))

    def places(self) -> dict[str, tuple[str, ...]]:
        """External ids of messages to the titles that lead to them."""
        return {str(self.external[id]): self.path(id) for id in self.external}


async def see(graph: Graph, name: str) -> Seen:
    space = (await graph.rows("MATCH (s:Space {name: $name}) RETURN s.id AS id", name=name))[0]["id"]
    topics = await graph.rows("MATCH (t:Topic {space: $space}) RETURN properties(t) AS t", space=space)
    edges = await graph.rows(
        EDGES + "RETURN t.id AS parent, c.id AS child, c.seq AS seq, properties(p) AS p", space=space
    )
    for edge in edges:
        edge["kind"] = "Topic" if edge.pop("seq") is None else "Message"
    revisions = await graph.rows(
        "MATCH (t:Topic {space: $space})-[:HAS_REVISION]->(r:SummaryRevision) RETURN t.id AS topic, properties(r) AS r "
        "ORDER BY topic, r.number",
        space=space,
    )
    messages = await graph.rows(
        "MATCH (m:Message {space: $space}) RETURN m.id AS id, m.external_id AS external_id, m.filed_in AS noted",
        space=space,
    )
    return Seen(
        {row["t"]["id"]: row["t"] for row in topics},
        edges,
        [{**row["r"], "topic": row["topic"]} for row in revisions],
        {row["id"]: row["external_id"] for row in messages},
        {row["id"]: row["noted"] for row in messages} | {row["t"]["id"]: row["t"].get("filed_in") for row in topics},
    )


def faults(seen: Seen) -> list[str]:
    """Everything about a tree that must not be."""
    found = []
    placed = Counter(edge["child"] for edge in seen.live)
    found += [f"{id} has {placed[id]} parents" for id in seen.external if placed[id] != 1]
    found += [
        f"topic {id} has {placed[id]} parents"
        for id, topic in seen.topics.items()
        if placed[id] != (0 if topic["kind"] == "root" else 1)
    ]
    noted = {id: parent for id, parent in seen.noted.items() if parent is not None}
    strayed = [id for id in {*noted, *seen.parent} if noted.get(id) != seen.parent.get(id)]
    found += [f"{id} is noted in {noted.get(id)}" for id in strayed]
    below, leaves = seen.children("Topic"), seen.children("Message")
    for id, topic in seen.topics.items():
        reached = _messages_below(id, below, leaves)
        if topic.get("message_count", 0) != len(reached):
            found.append(f"{id} counts {topic['message_count']} messages and has {len(reached)}")
        if topic.get("child_count", 0) != len(below[id]):
            found.append(f"{id} counts {topic['child_count']} children and has {len(below[id])}")
        if len(below[id]) > SHAPE.max_children or len(leaves[id]) > SHAPE.max_messages or (below[id] and leaves[id]):
            found.append(f"{id} has {len(below[id])} children and {len(leaves[id])} messages")
        depth = len(seen.path(id))
        if topic["depth"] != depth or depth > SHAPE.max_depth:
            found.append(f"{id} says depth {topic['depth']} and has {depth}")
    current = Counter(one["topic"] for one in seen.revisions if one.get("current_key"))
    found += [f"{id} has {current[id]} current revisions" for id in seen.topics if current[id] != 1]
    found += [f"{id} is still due" for id, topic in seen.topics.items() if topic.get("stale_in")]
    return found


def _messages_below(id: str, below: dict[str, list[str]], leaves: dict[str, list[str]]) -> set[str]:
    return set(leaves[id]).union(*(_messages_below(child, below, leaves) for child in below[id]))


def counted(report: OrganizeReport) -> tuple[int, int, int, int]:
    return report.filed, report.waiting, report.topics_created, report.summaries_revised


def opened(settings: Settings, **more: Any) -> Memory:
    return Memory(settings=settings, embedder=StaticEmbedder.shipped(), **more)


@pytest.fixture(scope="module")
def organised(memory: Memory, run: Run) -> Iterator[str]:
    """A space whose conversation is filed, with one subject so large that its topic had to split."""
    name = f"organised-{uuid7()[-12:]}"
    harbour = [
        MessageInput(
            text=f"The harbour log says that boat {number} came in from the north at pier {number % 7}.",
            session=f"log {number // 9}",
            external_id=f"log:{number}",
        )
        for number in range(108)
    ]

    async def make() -> None:
        await memory.add_many([*conversation(), *harbour], space=name)
        report = await memory.organize(space=name)
        assert (report.filed, report.waiting) == (156, 0)

    run(make())
    yield name


def test_every_message_has_one_place_and_every_topic_keeps_its_bounds_and_counts(
    graph: Graph, run: Run, organised: str
) -> None:
    seen = run(see(graph, organised))

    assert faults(seen) == []
    assert len(seen.topics) > 3


def test_a_placement_keeps_why_it_was_chosen(graph: Graph, run: Run, organised: str) -> None:
    """PC-043."""
    seen = run(see(graph, organised))

    reasons = {edge["p"]["reason"] for edge in seen.edges if edge["kind"] == "Message"}
    assert reasons <= {"near", "new topic", "continuation", "no vector", "grown", "split", "rebalance"}
    assert {edge["p"]["decided_by"] for edge in seen.edges} == {"vector"}
    assert [edge for edge in seen.edges if edge["kind"] == "Message" and not edge["p"].get("segment")] == []
    assert [edge for edge in seen.edges if edge["p"]["reason"] == "near" and edge["p"].get("score") is None] == []


def test_the_tree_that_is_shown_is_the_tree_that_is_stored(
    memory: Memory, graph: Graph, run: Run, organised: str
) -> None:
    shown = run(memory.tree(space=organised, messages=True))
    seen = run(see(graph, organised))

    def places(node: Any, path: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        here = {message.external_id: (*path, node.title) for message in node.messages}
        return here | {
            id: place for child in node.children for id, place in places(child, (*path, node.title)).items()
        }

    assert places(shown, ()) == seen.places()
    assert shown.message_count == 156


async def sources(graph: Graph, name: str) -> list[dict[str, Any]]:
    return await graph.rows(
        "MATCH (s:Space {name: $name}) MATCH (r:SummaryRevision {space: s.id})-[:DERIVED_FROM]->(x) "
        "RETURN r.id AS revision, r.topic AS topic, x.id AS source, x.topic AS source_topic, x.space = s.id AS same",
        name=name,
    )


def test_every_summary_is_derived_from_messages_or_child_summaries_of_its_own_topic(
    graph: Graph, run: Run, organised: str
) -> None:
    """PC-041, PC-043."""
    seen = run(see(graph, organised))
    drawn = run(sources(graph, organised))

    assert {one["id"] for one in seen.revisions} == {row["revision"] for row in drawn}
    assert [row for row in drawn if not row["same"]] == []
    strange = [row for row in drawn if seen.parent.get(row["source_topic"] or row["source"]) != row["topic"]]
    assert strange == []


def test_organising_again_changes_nothing(memory: Memory, graph: Graph, run: Run, organised: str) -> None:
    before = run(see(graph, organised))

    report = run(memory.organize(space=organised))

    assert counted(report) == (0, 0, 0, 0)
    assert run(see(graph, organised)) == before


def test_ten_new_messages_touch_only_their_topics_and_what_lies_above(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    new = [
        MessageInput(
            text=f"The rye loaf number {number} was baked with sourdough and spelt flour.",
            session="more bread",
            external_id=f"new:{number}",
        )
        for number in range(10)
    ]

    async def work() -> tuple[Seen, Seen]:
        await memory.add_many(conversation(), space=space)
        await memory.organize(space=space)
        before = await see(graph, space)
        await memory.add_many(new, space=space)
        await memory.organize(space=space)
        return before, await see(graph, space)

    before, after = run(work())

    assert faults(after) == []
    touched = set()
    for message, external_id in after.external.items():
        below = message if str(external_id).startswith("new:") else ""
        while below in after.parent:
            below = after.parent[below]
            touched.add(below)
    untouched = set(before.topics) - touched
    assert untouched
    assert {id: after.topics[id] for id in untouched} == {id: before.topics[id] for id in untouched}
    for kept in ("revisions", "edges"):
        key = "topic" if kept == "revisions" else "parent"
        assert [one for one in sorted_rows(getattr(after, kept)) if one[key] in untouched] == [
            one for one in sorted_rows(getattr(before, kept)) if one[key] in untouched
        ]


def sorted_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row.get("id") or (row["parent"], row["child"], row["p"]["change_seq"])))


def test_a_changed_summary_supersedes_the_one_before_it(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    async def work() -> list[dict[str, Any]]:
        for part in (("bread",), ("boat",), ("garden",)):
            await memory.add_many(conversation(part), space=space)
            await memory.organize(space=space)
        return await graph.rows(
            "MATCH (s:Space {name: $name}) MATCH (t:Topic {space: s.id})-[:HAS_REVISION]->(r:SummaryRevision) "
            "OPTIONAL MATCH (r)-[e:SUPERSEDES]->(old:SummaryRevision) "
            "RETURN t.id AS topic, t.kind AS kind, t.title AS shown, r.number AS number, r.title AS title, "
            "r.current_key AS key, r.recorded_at AS since, r.change_seq AS change, r.retired_at AS until, "
            "r.retired_seq AS retired, old.number AS old, e.change_seq AS edge ORDER BY topic, number",
            name=space,
        )

    rows = run(work())

    by_topic: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_topic[row["topic"]].append(row)
    assert max(len(chain) for chain in by_topic.values()) >= 2
    for chain in by_topic.values():
        assert [row["number"] for row in chain] == list(range(1, len(chain) + 1))
        assert [row["old"] for row in chain] == [None, *range(1, len(chain))]
        assert [row["until"] for row in chain] == [*(row["since"] for row in chain[1:]), None]
        assert [row["retired"] for row in chain] == [*(row["change"] for row in chain[1:]), None]
        assert [row["edge"] for row in chain[1:]] == [row["change"] for row in chain[1:]]
        assert [row["key"] for row in chain] == [*[None] * (len(chain) - 1), chain[0]["topic"]]
        assert chain[-1]["title"] == chain[-1]["shown"]


def test_two_organisers_at_once_file_each_message_once(
    memory: Memory, settings: Settings, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PC-038, PC-029."""
    monkeypatch.setattr(organizing, "BATCH", 10)

    async def work() -> tuple[list[OrganizeReport], Seen]:
        await memory.add_many(conversation(("bread", "boat", "work")), space=space)
        async with opened(settings) as other:
            reports = await asyncio.gather(*(one.organize(space=space) for one in (memory, other)))
        return reports, await see(graph, space)

    reports, seen = run(work())

    assert sum(report.filed for report in reports) == 24
    assert faults(seen) == []


async def found_space(store: Store, name: str) -> Space:
    return (await find_spaces(store, [name]))[0]


def test_the_lease_of_an_organiser_that_died_is_waited_for_and_then_taken_over(
    memory: Memory, settings: Settings, store: Store, run: Run, space: str, caplog: pytest.LogCaptureFixture
) -> None:
    """PC-029, PC-164."""
    start = datetime(2030, 1, 1, tzinfo=UTC)

    async def work() -> tuple[bool, OrganizeReport]:
        await memory.add_many(conversation(("bread",)), space=space)
        found = await found_space(store, space)
        await take_lease(store, Lease(found.id, "id the one that died", lambda: start))
        async with opened(settings, clock=lambda: start + LENGTH / 2) as early:
            with pytest.raises(TimeoutError), caplog.at_level("INFO", logger="trace_graph.organize.lease"):
                async with asyncio.timeout(1.5):
                    await early.organize(space=space)
        async with opened(settings, clock=lambda: start + LENGTH + timedelta(seconds=1)) as late:
            return True, await late.organize(space=space)

    waited, report = run(work())

    assert (waited, report.filed, report.waiting) == (True, 8, 0)
    said = [record.__dict__ for record in caplog.records if record.name == "trace_graph.organize.lease"]
    assert [(one["holder"], one["until"]) for one in said] == [("the one that died", start + LENGTH)]


def test_organising_gets_through_while_another_writes_to_the_space(
    memory: Memory, settings: Settings, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch that always loses to short writes is cut smaller: here every batch over 25 messages loses."""
    tried: list[int] = []
    original = carry_out

    async def losing(*arguments: Any, **named: Any) -> None:
        size = len(arguments[2].plan.placements)
        tried.append(size)
        if size > organizing.SMALLEST_BATCH:
            raise EngineTimeout
        await original(*arguments, **named)

    monkeypatch.setattr(organizing, "carry_out", losing)
    monkeypatch.setattr(organizing, "BATCH", 60)

    async def work() -> OrganizeReport:
        await memory.add_many([MessageInput(text=f"Turn {number} of the log.") for number in range(64)], space=space)
        return await memory.organize(space=space)

    report = run(work())

    assert (report.filed, report.waiting) == (64, 0)
    assert tried[0] == 60
    assert tried[1] == 30
    assert set(tried[2:]) <= set(range(1, 26))


def test_whoever_lost_the_lease_writes_nothing_more(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str
) -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    nothing = Filing(Plan(), np.zeros(256), 0)

    async def work() -> tuple[int, int]:
        await memory.add("Hello.", space=space)
        found = await found_space(store, space)
        lost, held = Lease(found.id, "slow", lambda: start), Lease(found.id, "fast", lambda: start + LENGTH * 2)
        await take_lease(store, lost)
        await take_lease(store, held)
        before = len(await graph.rows("MATCH (e:Event {space: $space}) RETURN e.id AS id", space=found.id))
        with pytest.raises(LeaseLost):
            await carry_out(store, found, nothing, lost, actor=ACTOR, new_id=uuid7)
        await release_lease(store, lost)  # and cannot give away what is not its own
        await carry_out(store, found, nothing, held, actor=ACTOR, new_id=uuid7)
        await release_lease(store, held)
        after = len(await graph.rows("MATCH (e:Event {space: $space}) RETURN e.id AS id", space=found.id))
        return before, after

    before, after = run(work())

    assert after == before + 1


class Crash(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("at", ["between batches", "before the summaries", "within the summaries"])
def test_a_run_that_broke_off_is_finished_by_the_next_as_if_nothing_had_been(
    memory: Memory, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    undisturbed = f"{space}-undisturbed"
    monkeypatch.setattr(organizing, "BATCH", 20)
    carried = 0

    async def broken_carry_out(*given: Any, **named: Any) -> None:
        nonlocal carried
        if at == "between batches" and carried == 1:
            raise Crash
        await carry_out(*given, **named)
        carried += 1
        if at == "before the summaries" and carried == 3:
            raise Crash

    async def work() -> tuple[Seen, Seen]:
        for name in (space, undisturbed):
            await memory.add_many(conversation(), space=name)
        await memory.organize(space=undisturbed)
        with monkeypatch.context() as broken:
            broken.setattr(organizing, "carry_out", broken_carry_out)
            if at == "within the summaries":
                broken.setattr(Reviser, "_revise_parents", crash)
            with pytest.raises(Crash):
                await memory.organize(space=space)
        report = await memory.organize(space=space)
        assert report.waiting == 0
        return await see(graph, space), await see(graph, undisturbed)

    async def crash(*_: object) -> int:
        raise Crash

    disturbed, plain = run(work())

    assert faults(disturbed) == []
    assert named(disturbed) == named(plain)


def named(seen: Seen) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, str]]]:
    """A tree without its ids and without its root, which is called as its space."""
    current = sorted((one["title"], one["text"]) for one in seen.revisions if one.get("current_key"))
    roots = {topic["title"] for topic in seen.topics.values() if topic["kind"] == "root"}
    return (
        {id: path[1:] for id, path in seen.places().items()},
        [(("" if title in roots else title), text) for title, text in current],
    )


def test_organising_after_each_message_keeps_the_tree_whole(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    talk = [
        message for pair in zip(conversation(("bread",)), conversation(("boat",)), strict=True) for message in pair
    ]

    async def work() -> tuple[list[int], Seen]:
        filed = []
        for message in talk[:10]:
            await memory.add_many([message], space=space)
            filed.append((await memory.organize(space=space)).filed)
        return filed, await see(graph, space)

    filed, seen = run(work())

    assert filed == [1] * 10
    assert faults(seen) == []


def test_progress_is_told_while_messages_are_filed(
    memory: Memory, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(organizing, "BATCH", 6)
    told: list[tuple[int, int | None]] = []

    async def work() -> None:
        await memory.add_many(conversation(("bread", "boat")), space=space)
        await memory.organize(space=space, progress=lambda done, total: told.append((done, total)))

    run(work())

    assert told == [(6, 16), (12, 16), (16, 16)]
