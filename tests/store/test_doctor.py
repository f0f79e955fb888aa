"""The doctor finds nothing in a healthy space, and exactly what is wrong in another; what is safe it mends."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.planted import DEEP, FAULTS, LEAF, LONG_AGO, MENDED, SPACE, Changed, Fault, planted
from tests.store.prepared import Graph
from tests.store.talk import EVERYTHING, SUBJECTS, conversation
from trace_graph.config import Settings
from trace_graph.embed.protocol import Vector
from trace_graph.errors import NotFound
from trace_graph.maintain.doctor_checks import CHECKS, EVERY
from trace_graph.memory import Memory
from trace_graph.models import DoctorReport, MessageInput, SpaceHealth
from trace_graph.store.queries import shipped_queries

LONG = " ".join(f"word{number}" for number in range(400)) + " 👋 " + EVERYTHING


@dataclass(frozen=True)
class Busy:
    """A space that has seen something."""

    name: str
    ids: dict[str, str]
    """`space` is its id, `other` that of a space beside it."""


def baking(days: range) -> list[MessageInput]:
    """So much on one subject that its topic must be split."""
    return [
        MessageInput(text=f"{text} ({day})", session=f"baking {day}", author="Ines", external_id=f"b{day}:{turn}")
        for day in days for turn, text in enumerate(SUBJECTS["bread"][:5])]


async def fill(memory: Memory, name: str) -> None:
    """Two runs of the organiser over many sessions, with moves, long messages and some that wait."""
    await memory.add_many([*conversation(("boat", "doctor")), *baking(range(10))], space=name)
    await memory.organize(space=name)
    await memory.add_many([*conversation(("garden", "work")), *baking(range(10, 24))], space=name)
    await memory.add_many([MessageInput(text=text, session="long") for text in (LONG, "👋")], space=name)
    await memory.organize(space=name)
    await memory.add("I will be filed tomorrow.", space=name, session="late")


@pytest.fixture(scope="module")
def busy(memory: Memory, graph: Graph, run: Run) -> Busy:
    name = f"doctor-{secrets.token_hex(6)}"

    async def make() -> dict[str, str]:
        await fill(memory, name)
        await memory.add("Another space.", space=f"{name}-other")
        spaces = {one.name: one.id for one in await memory.spaces()}
        return {"space": spaces[name], "other": spaces[f"{name}-other"]}

    return Busy(name, run(make()))


def named(report: DoctorReport) -> str:
    return " ".join(sorted({problem.invariant for problem in report.problems}))


def test_a_healthy_space_is_well_also_when_looked_at_deeply(
    memory: Memory, graph: Graph, run: Run, busy: Busy
) -> None:
    report = run(memory.doctor(space=busy.name, deep=True))
    closed, superseded = (run(graph.rows(query, space=busy.ids["space"])) for query in (
        "MATCH (t:Topic {space: $space})-[p:PARENT_OF]->() WHERE p.retired_at IS NOT NULL RETURN count(p) AS n",
        "MATCH (r:SummaryRevision {space: $space})-[:SUPERSEDES]->() RETURN count(r) AS n"))

    assert closed[0]["n"] > 0
    assert superseded[0]["n"] > 0
    assert (report.ok, report.problems, report.fixed, report.checks) == (True, [], [], len(EVERY))
    [health] = report.spaces
    assert health.waiting_since is not None
    assert health.model_copy(update={"waiting_since": None}) == SpaceHealth(
        space=busy.name, messages=32 + 24 * 5 + 3, waiting=1, waiting_since=None, stale_topics=0,
        without_vector=health.without_vector, organiser_until=None)


def test_a_space_that_is_empty_or_nobody_has_organised_is_well(memory: Memory, run: Run, space: str) -> None:
    async def look() -> list[bool]:
        await memory.create_space(space)
        empty = await memory.doctor(space=space, deep=True)
        await memory.add_many(conversation(("bread",)), space=space)
        return [empty.ok, (await memory.doctor(space=space, deep=True)).ok]

    assert run(look()) == [True, True]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_each_fault_is_named_and_nothing_else(
    memory: Memory, graph: Graph, run: Run, busy: Busy, fault: Fault
) -> None:
    async def look() -> tuple[DoctorReport, DoctorReport]:
        async with planted(graph, fault, busy.ids):
            report = await memory.doctor(space=busy.name)
        return report, await memory.doctor(space=busy.name)

    sick, well = run(look())

    assert named(sick) == fault.names
    assert not sick.ok
    assert all(problem.ids and problem.count >= 1 and problem.space == busy.name for problem in sick.problems)
    assert well.problems == []


@pytest.mark.parametrize("fault", DEEP, ids=str)
def test_what_only_the_contents_tell_is_named_where_they_are_read(
    memory: Memory, graph: Graph, run: Run, busy: Busy, fault: Fault
) -> None:
    async def look() -> tuple[DoctorReport, DoctorReport]:
        async with planted(graph, fault, busy.ids):
            return await memory.doctor(space=busy.name), await memory.doctor(space=busy.name, deep=True)

    quick, deep = run(look())

    assert quick.ok
    assert named(deep) == fault.names


def test_the_faults_planted_here_are_of_every_invariant() -> None:
    planted_here = {name for fault in (*FAULTS, *DEEP) for name in fault.names.split()}

    # These three have tests of their own below.
    assert {check.invariant for check in EVERY} - planted_here == {"dimension", "indexes", "embedder"}


@pytest.mark.parametrize("fault", MENDED, ids=str)
def test_what_is_a_cache_is_made_again(memory: Memory, graph: Graph, run: Run, busy: Busy, fault: Changed) -> None:
    async def mend() -> tuple[DoctorReport, bool, DoctorReport]:
        async with planted(graph, fault, busy.ids):
            # The marks of the planting are on messages, whose hash is no longer theirs.
            report = await memory.doctor(space=busy.name, fix=True, deep="vector_sums" in fault.names)
            restored = await fault.is_as_before(graph, busy.ids)
        return report, restored, await memory.doctor(space=busy.name, deep=True)

    report, restored, after = run(mend())

    assert report.ok
    assert {problem.invariant for problem in report.fixed} >= set(fault.names.split())
    assert restored or "vector_sums" in fault.names
    assert after.ok


def test_authors_are_found_again(memory: Memory, graph: Graph, run: Run, busy: Busy) -> None:
    fault = Changed("space_authors", SPACE, {"authors": "['Nobody', 'Mira']"})

    async def mend() -> Any:
        await fault.plant(graph, busy.ids)
        report = await memory.doctor(space=busy.name, fix=True)
        rows = await graph.rows("MATCH (s:Space {id: $space}) RETURN s.authors AS authors", space=busy.ids["space"])
        return report.ok, sorted(rows[0]["authors"])

    assert run(mend()) == (True, ["Ines", "Mira", "Tomas", "user"])


def test_an_expired_lease_is_removed_and_a_live_one_is_no_fault(
    memory: Memory, graph: Graph, run: Run, busy: Busy
) -> None:
    dead = Changed("lease", SPACE, {"lease_owner": "'dead'", "lease_until": LONG_AGO})
    alive = Changed("", SPACE, {"lease_owner": "'alive'", "lease_until": "datetime('2100-01-01T00:00:00Z')"})

    async def mend() -> Any:
        await dead.plant(graph, busy.ids)
        fixed = await memory.doctor(space=busy.name, fix=True)
        await dead.undo(graph, busy.ids)
        await memory.doctor(space=busy.name, fix=True)
        async with planted(graph, alive, busy.ids):
            held = await memory.doctor(space=busy.name, fix=True)
        return fixed, held

    fixed, held = run(mend())

    assert (fixed.ok, [problem.says for problem in fixed.fixed]) == (
        True, ["An organiser that no longer lives holds the space. Its lease ended at 2020-01-01T00:00:00+00:00."])
    assert (held.ok, held.fixed) == (True, [])
    assert held.spaces[0].organiser_until is not None


def test_a_space_that_an_organiser_holds_is_left_to_it(memory: Memory, graph: Graph, run: Run, busy: Busy) -> None:
    fault = Changed("topic_counts", LEAF, {"message_count": "x.message_count + 1"})
    alive = Changed("", SPACE, {"lease_owner": "'alive'", "lease_until": "datetime('2100-01-01T00:00:00Z')"})

    async def mend() -> DoctorReport:
        async with planted(graph, fault, busy.ids), planted(graph, alive, busy.ids):
            return await memory.doctor(space=busy.name, fix=True)

    report = run(mend())

    assert (named(report), report.fixed) == ("topic_counts", [])


def test_a_message_that_lost_its_place_is_filed_again_and_a_topic_without_words_is_worded(
    memory: Memory, graph: Graph, run: Run, space: str
) -> None:
    async def mend() -> Any:
        await memory.add_many(conversation(("bread", "boat")), space=space)
        await memory.organize(space=space)
        id = next(one.id for one in await memory.spaces() if one.name == space)
        await graph.rows(
            "MATCH (:Topic {space: $space})-[p:PARENT_OF]->(m:Message {external_id: 'bread:3'}) DELETE p", space=id)
        await graph.rows(
            "MATCH (t:Topic {space: $space})-[:HAS_REVISION]->(r) WHERE t.kind <> 'root' "
            "WITH t, r ORDER BY t.id LIMIT 1 DETACH DELETE r", space=id)
        fixed = await memory.doctor(space=space, fix=True)
        report = await memory.organize(space=space)
        events = await graph.rows(
            "MATCH (e:Event {space: $space}) WHERE e.action = 'doctor.mended' "
            "RETURN e.reason AS reason ORDER BY e.seq", space=id)
        return fixed, report, [row["reason"] for row in events], await memory.doctor(space=space, deep=True)

    fixed, report, events, after = run(mend())

    assert (fixed.ok, fixed.spaces[0].waiting, fixed.spaces[0].stale_topics) == (True, 1, 1)
    assert events == ["waiting", "filed_in", "caches", "wording"]
    assert (report.filed, report.waiting) == (1, 0)
    assert after.problems == []


def test_offenders_are_counted_and_the_first_twenty_named(
    memory: Memory, graph: Graph, run: Run, busy: Busy
) -> None:
    """By an embedder of another dimension, which is a fault of its own."""

    async def look() -> DoctorReport:
        await graph.rows("MATCH (n:Meta) SET n.dimension = n.dimension + 1")
        try:
            return await memory.doctor(space=busy.name)
        finally:
            await graph.rows("MATCH (n:Meta) SET n.dimension = n.dimension - 1")

    report = run(look())

    [vectors, embedder] = report.problems
    assert (vectors.invariant, len(vectors.ids), vectors.ids) == ("dimension", 20, sorted(vectors.ids))
    assert vectors.count > 150
    assert (embedder.invariant, embedder.space, embedder.ids, embedder.count) == ("embedder", None, [], 0)


class OtherEmbedder:
    name = "other:1"

    async def embed(self, texts: list[str]) -> list[Vector | None]:
        import numpy as np

        return [np.asarray([1.0, 0.0], dtype=np.float32) for _ in texts]

    async def close(self) -> None:
        pass


def test_another_embedder_is_named_with_what_to_do(settings: Settings, run: Run, busy: Busy) -> None:
    async def look() -> DoctorReport:
        async with Memory(settings=settings, embedder=OtherEmbedder()) as memory:
            return await memory.doctor(space=busy.name)

    [problem] = run(look()).problems

    assert problem.invariant == "embedder"
    assert re.search(r"\(256 numbers\); other:1 \(2 numbers\) gives others", problem.says)
    assert "TRACE_GRAPH_EMBEDDER" in problem.mends


@pytest.fixture
def without_an_index(graph: Graph, run: Run, store: Any) -> Iterator[str]:
    if store.engine.kind != "neo4j":
        pytest.skip("Here ArcadeDB is reached by Bolt, which drops no index; tests/cli/test_doctor.py drops one.")
    run(graph.rows("DROP INDEX message_waiting"))
    run(graph.rows("DROP CONSTRAINT event_place"))
    yield "indexes"
    run(graph.rows("CREATE INDEX message_waiting IF NOT EXISTS FOR (n:Message) ON (n.waiting_in)"))
    run(graph.rows("CREATE CONSTRAINT event_place IF NOT EXISTS FOR (n:Event) REQUIRE n.place_key IS UNIQUE"))


def test_a_missing_index_is_named_and_made_again(
    memory: Memory, run: Run, busy: Busy, without_an_index: str
) -> None:
    async def mend() -> tuple[DoctorReport, DoctorReport]:
        return await memory.doctor(space=busy.name), await memory.doctor(space=busy.name, fix=True)

    sick, fixed = run(mend())

    assert [(problem.invariant, problem.space, problem.ids) for problem in sick.problems] == [
        (without_an_index, None, ["Event(place_key)", "Message(waiting_in)"])]
    assert (fixed.ok, [problem.invariant for problem in fixed.fixed]) == (True, [without_an_index])


def test_a_space_that_is_written_to_meanwhile_is_well(memory: Memory, run: Run, space: str) -> None:
    async def write(stop: asyncio.Event) -> int:
        number = 0
        while not stop.is_set():
            await memory.add_many([MessageInput(text=f"Bread {number}.", session="s")] * 3, space=space)
            number += 1
            if number % 10 == 0:
                await memory.organize(space=space)
        return number

    async def look() -> tuple[list[str], int]:
        await memory.create_space(space)
        stop = asyncio.Event()
        writing = asyncio.ensure_future(write(stop))
        found = [named(await memory.doctor(space=space)) for _ in range(5)]
        stop.set()
        return found, await writing

    found, written = run(look())

    assert found == [""] * 5
    assert written > 5


def test_an_unknown_space_is_not_found(memory: Memory, run: Run) -> None:
    with pytest.raises(NotFound):
        run(memory.doctor(space="nobody knows it"))


def test_an_auditor_can_run_each_check_by_its_name(memory: Memory, graph: Graph, run: Run, busy: Busy) -> None:
    fault = Changed("topic_title", LEAF, {"title": "'Something else'"})

    async def ask() -> list[dict[str, Any]]:
        async with planted(graph, fault, busy.ids):
            return await memory.run_query("doctor_topic_title", {"spaces": [busy.ids["space"]]})

    [row] = run(ask())

    assert (row["space"], row["count"], len(row["ids"])) == (busy.ids["space"], 1, 1)
    names = {query.name for query in shipped_queries().all()}
    assert [check.query for check in CHECKS if check.query not in names] == []
