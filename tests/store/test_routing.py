"""A model says where segments belong: what the graph keeps of it, and what a kill between two calls leaves."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tests.scripted_model import ScriptedModel
from tests.store.conftest import Run
from tests.store.looking import events, id_of
from tests.store.prepared import Graph
from tests.store.talk import SUBJECTS, conversation
from tests.store.test_organize import faults, see
from trace_graph.embed.static import StaticEmbedder
from trace_graph.llm.purposes.descend import DescendReply
from trace_graph.llm.purposes.route import Pick, RouteInputs, RouteReply
from trace_graph.llm.texts import Named, Texts
from trace_graph.llm.values import Answered, Reply, Request
from trace_graph.memory import Memory
from trace_graph.models import OrganizeReport, uuid7
from trace_graph.organize import organizing
from trace_graph.organize.lease import LENGTH
from trace_graph.organize.organizing import ModelUse
from trace_graph.organize.showing import GraphShelf
from trace_graph.organize.trust import Evidence
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces
from trace_graph.text.times import utc_now

# What a model decides is the same everywhere; the queries are tried on every engine by test_queries.
pytestmark = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)

CALLS = "MATCH (c:ModelCall {space: $space}) WHERE c.purpose <> 'summarise' RETURN properties(c) AS c ORDER BY c.id"
MADE = "MATCH (c:ModelCall {space: $space})-[:MADE]->(made) RETURN c.id AS call, made.id AS made"
TRUSTED = Evidence(60, 60)


async def organized(store: Store, space: str, model: Any, **more: Any) -> OrganizeReport:
    found = (await find_spaces(store, [space]))[0]
    return await organizing.organize(
        store, found, embedder=StaticEmbedder.shipped(), actor=Actor("tester", "library"), clock=utc_now, new_id=uuid7,
        model=model, use=ModelUse(**{"evidence": TRUSTED, **more}))


def by_subject(request: Request[Any], subject_of: dict[str, str]) -> RouteReply | DescendReply | None:
    """What somebody answers who knows the subjects of all messages: one topic a subject, titled by it; no summaries."""
    if request.purpose == "summarise":
        return None
    inputs = RouteInputs.model_validate(request.inputs)

    def main(messages: list[str]) -> str:
        return Counter(subject_of[id] for id in messages).most_common(1)[0][0] if messages else ""

    about = {one.label: main(one.messages) for one in inputs.topics}
    picks = []
    for one in inputs.segments:
        good = [label for label in one.offered if about.get(label) == main(one.messages)]
        new = next(label for label in one.offered if label.startswith("NEW"))
        picks.append(Pick(segment=one.label, choice=(good or [new])[0], title=main(one.messages)))
    return RouteReply(picks=picks) if request.purpose == "route" else DescendReply(picks=picks)


def routed(model: ScriptedModel) -> list[Request[Any]]:
    """The requests about places, without those about summaries."""
    return [request for request in model.requests if request.purpose != "summarise"]


async def subjects(graph: Graph, space: str) -> dict[str, str]:
    known = {text: subject for subject, texts in SUBJECTS.items() for text in texts}
    rows = await graph.rows("MATCH (m:Message {space: $space}) RETURN m.id AS id, m.text AS text", space=space)
    return {row["id"]: known.get(row["text"], "other") for row in rows}


@pytest.mark.parametrize("routing", ["cascade", "descent"])
def test_what_a_model_decided_stands_on_the_edge_with_its_call(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str, routing: str,
) -> None:
    async def go() -> tuple[Any, ...]:
        await memory.add_many(conversation(tuple(SUBJECTS)), space=space)
        id = await id_of(graph, space)
        truth = await subjects(graph, id)
        model = ScriptedModel(lambda request: by_subject(request, truth))
        report = await organized(store, space, model, routing=routing)
        return (report, model, await see(graph, space), await graph.rows(CALLS, space=id),
                await graph.rows(MADE, space=id), await events(graph, space), await memory.doctor(space=space))

    report, model, seen, calls, made, ledger, health = run(go())

    assert report.waiting == 0 and report.model_unused is None
    assert report.model_calls == len(model.requests)
    assert len(routed(model)) == len(calls) > 0
    assert faults(seen) == []
    assert {row["c"]["purpose"] for row in calls} == {"route" if routing == "cascade" else "descend"}
    decided = [edge for edge in seen.live if edge["p"]["decided_by"] == "model"]
    assert {edge["p"]["reason"] for edge in decided} <= {"chosen", "named"}
    assert {edge["p"]["model_call"] for edge in decided} <= {row["c"]["id"] for row in calls}
    assert {(edge["p"]["model_call"], edge["child"]) for edge in decided} == {
        (row["call"], row["made"]) for row in made} != set()
    assert [one["action"] for one in ledger].count("messages.filed") == 1
    assert health.ok, health


def test_a_model_that_fails_is_told_of_and_its_calls_are_kept(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str,
) -> None:
    async def go() -> tuple[Any, ...]:
        await memory.add_many(conversation(tuple(SUBJECTS)), space=space)
        report = await organized(store, space, ScriptedModel(lambda request: None))
        return report, await see(graph, space), await graph.rows(CALLS, space=await id_of(graph, space))

    report, seen, calls = run(go())

    assert report.waiting == 0 and report.model_calls > len(calls) > 0
    assert report.model_unused is not None and report.model_unused.startswith("The model gave no usable reply")
    assert {row["c"]["outcome"] for row in calls} == {"failed"}
    assert {edge["p"]["decided_by"] for edge in seen.edges} == {"vector"}


class Killed(Exception):
    """What ends a run in the midst of it, as a kill would."""


def test_a_run_that_ends_between_two_calls_goes_on_and_pays_no_finished_batch_again(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(organizing, "MODEL_BATCH", 16)

    class Mortal(ScriptedModel):
        left = 1

        async def ask(self, request: Request[Reply]) -> Answered[Reply]:
            self.left -= 1
            if self.left < 0:
                raise Killed
            return await super().ask(request)

    async def go() -> tuple[Any, ...]:
        await memory.add_many(conversation(tuple(SUBJECTS)), space=space)
        id = await id_of(graph, space)
        truth = await subjects(graph, id)
        first, second = (kind(lambda request: by_subject(request, truth)) for kind in (Mortal, ScriptedModel))
        with pytest.raises(Killed):
            await organized(store, space, first)
        filed = {edge["child"] for edge in (await see(graph, space)).live if edge["kind"] == "Message"}
        kept = len(await graph.rows(CALLS, space=id))
        report = await organized(store, space, second)
        return filed, kept, second, report, await see(graph, space), await graph.rows(CALLS, space=id)

    filed, kept, second, report, seen, calls = run(go())

    asked = {message for request in routed(second) for one in RouteInputs.model_validate(request.inputs).segments
             for message in one.messages}
    assert filed and not asked & filed
    assert report.waiting == 0 and faults(seen) == []
    assert len(calls) == kept + len(routed(second))


def test_calls_of_a_batch_that_is_not_filed_are_kept_all_the_same(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They were paid for: Ctrl-C, or a database that fails, must not hide them from who counts."""
    async def broken(*_: Any, **__: Any) -> None:
        raise Killed

    async def go() -> tuple[Any, ...]:
        await memory.add_many(conversation(tuple(SUBJECTS)), space=space)
        id = await id_of(graph, space)
        truth = await subjects(graph, id)
        model = ScriptedModel(lambda request: by_subject(request, truth))
        with monkeypatch.context() as patched, pytest.raises(Killed):
            patched.setattr(organizing, "carry_out", broken)
            await organized(store, space, model)
        kept = await graph.rows(CALLS, space=id)
        report = await organized(store, space, None)
        return len(routed(model)), kept, report, await events(graph, space), await memory.doctor(space=space, deep=True)

    asked, kept, report, ledger, health = run(go())

    assert len(kept) == asked > 0
    assert report.waiting == 0
    assert [one["action"] for one in ledger].count("calls.kept") == 1
    assert health.ok, health


def test_the_lease_holds_while_a_model_thinks(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trace_graph.organize.lease.LENGTH", LENGTH / 200)
    usual = store.write
    renewed = asyncio.Event()

    async def write(work: Any, name: str, **more: Any) -> Any:
        done = await usual(work, name, **more)
        if name == "renew_lease":
            renewed.set()
        return done

    class Slow(ScriptedModel):
        async def ask(self, request: Request[Reply]) -> Answered[Reply]:
            async with asyncio.timeout(20):
                await renewed.wait()
            return await super().ask(request)

    monkeypatch.setattr(store, "write", write)

    async def go() -> OrganizeReport:
        await memory.add_many(conversation(tuple(SUBJECTS)), space=space)
        return await organized(store, space, Slow(lambda request: None))

    assert run(go()).waiting == 0
    assert renewed.is_set()


def test_topics_are_shown_with_their_wording_and_their_longest_latest_messages(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str,
) -> None:
    async def go() -> tuple[Any, ...]:
        await memory.add_many(conversation(("boat", "bread")), space=space)
        await memory.organize(space=space)
        found = (await find_spaces(store, [space]))[0]
        shelf = GraphShelf(store, found.id)
        leaves = (await see(graph, space)).children("Message")
        shown = await shelf.topics([*leaves, "gone"])
        some = next(iter(shown.values()))
        texts = await shelf.texts(Named.of(some.latest, [some.revision]))
        strange = await replace(shelf, space="another").topics(list(leaves))
        return leaves, shown, some, texts, strange

    leaves, shown, some, texts, strange = run(go())

    assert set(shown) == set(leaves) and strange == {}
    assert all(0 < len(one.latest) <= 3 and set(one.latest) <= set(leaves[topic]) for topic, one in shown.items())
    assert isinstance(texts, Texts) and set(texts.messages) == set(some.latest)
    assert texts.revisions[some.revision].title == some.title
