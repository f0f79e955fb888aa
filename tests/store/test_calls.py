"""Calls to models in the graph: those of organising are history, all others pass; both are found again."""

from __future__ import annotations

import asyncio
import io
import json
import secrets
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.exported import exported, records, remove
from tests.store.looking import id_of, opened
from tests.store.prepared import Graph
from tests.store.talk import conversation
from tests.unit.made_calls import made_call
from trace_graph.access.scopes import open_scope
from trace_graph.config import Settings
from trace_graph.errors import NotFound, StoreFailed
from trace_graph.llm.texts import MessageText, Named, Texts
from trace_graph.memory import Memory
from trace_graph.models import uuid7
from trace_graph.models.calls import ModelCall
from trace_graph.organize.showing import read_texts
from trace_graph.retrieve.calls import Wanted, list_calls, read_call
from trace_graph.store.calls import (
    CallWithId,
    Used,
    keep_calls,
    link_made,
    read_forms,
    save_forms,
    used_today,
    write_calls,
)
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, event
from trace_graph.store.spaces import find_spaces, lock_space, moved
from trace_graph.text.times import utc_now

# How calls are kept is the same everywhere; that they leave and come back is tried on each engine.
on_one_engine = pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)


async def organised(memory: Memory, space: str) -> None:
    await memory.add_many(conversation(("boat", "bread")), space=space)
    await memory.organize(space=space)


async def write_history(store: Store, space: str, calls: Sequence[CallWithId], made: Sequence[tuple[str, str]]) -> None:
    """As the organiser does it: in one transaction with its event."""
    event_id = uuid7()

    async def work(transaction: Transaction) -> None:
        locked = await lock_space(transaction, space, event_id, event_id)
        clock = locked.next(utc_now())
        written = [*await write_calls(transaction, space, calls, clock), *await link_made(transaction, made, clock)]
        await transaction.run("append_event", event=event(
            clock, id=event_id, space=space, actor=Actor("tester", "library"), action="tested",
            targets=[id for id, _ in calls], records=written))
        await transaction.run("update_space", space=space, properties=moved(clock))

    await store.write(work, "write_history", space=space)


def test_calls_of_organising_leave_with_their_space_and_come_back_with_what_they_made(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str
) -> None:
    one, two, passing = uuid7(), uuid7(), uuid7()

    async def there_and_back() -> Any:
        await organised(memory, space)
        id = await id_of(graph, space)
        [row] = await graph.rows(
            "MATCH (r:SummaryRevision {space: $space}) WHERE r.current_key IS NOT NULL "
            "MATCH (t:Topic {id: r.topic})-[:PARENT_OF]->(m:Message) "
            "RETURN r.id AS revision, t.id AS topic, m.id AS message ORDER BY revision, message LIMIT 1", space=id)
        await write_history(
            store, id, [(one, made_call()), (two, made_call(purpose="summarise", reply="Müller 👋", temperature=None))],
            [(one, row["message"]), (one, row["topic"]), (two, row["revision"])])
        await graph.rows("MATCH (r:SummaryRevision {id: $id}) SET r.call = $call", id=row["revision"], call=two)
        await graph.rows(
            "MATCH (:Topic {id: $topic})-[p:PARENT_OF]->(:Message {id: $message}) SET p.model_call = $call",
            topic=row["topic"], message=row["message"], call=one)
        failed = made_call(outcome="failed", reply=None, at=utc_now())
        await keep_calls(store, id, [(passing, failed)], now=utc_now())
        first, before = await exported(memory, space), await memory.call_stats(space)
        await remove(graph, space)
        await memory.import_file(io.BytesIO(first))
        again, well = await exported(memory, space), await memory.doctor(space=space, deep=True)
        return row, first, again, well.problems, before.calls, (await memory.call_stats(space)).calls

    row, first, again, problems, before, after = run(there_and_back())

    assert again == first
    assert problems == []
    assert (before, after) == (3, 2)
    assert [line["properties"]["id"] for line in records(first, "ModelCall")] == sorted([one, two])
    assert {(line["from"], line["to"]) for line in records(first, "MADE")} == {
        (one, row["message"]), (one, row["topic"]), (two, row["revision"])}


@on_one_engine
def test_what_was_made_must_be_there(memory: Memory, store: Store, graph: Graph, run: Run, space: str) -> None:
    async def write() -> None:
        await memory.create_space(space)
        call = uuid7()
        await write_history(store, await id_of(graph, space), [(call, made_call())], [(call, "nothing")])

    with pytest.raises(StoreFailed, match="MADE was drawn 0 times, not 1"):
        run(write())


@on_one_engine
def test_calls_of_a_recall_go_with_it_but_for_those_of_today_and_yesterday(
    settings: Settings, store: Store, graph: Graph, run: Run, space: str
) -> None:
    """A recall that is not kept at all (0) must not make the allowance of the day larger."""
    now = utc_now()
    few = settings.model_copy(update={"recalls_kept": 2})
    left = "MATCH (c:ModelCall {passing_in: $space}) RETURN c.prompt AS prompt ORDER BY prompt"

    def walk(prompt: str, days: int) -> ModelCall:
        return made_call(purpose="walk", prompt=prompt, at=now - timedelta(days=days))

    async def ask() -> Any:
        async with opened(few) as memory:
            await organised(memory, space)
        id = await id_of(graph, space)
        for turn in range(4):
            async with opened(few) as memory:
                recall = (await memory.recall("Which berth does the Petrel have?", space=space)).recall_id
            calls = [(uuid7(), walk(f"{turn} old", 2)), (uuid7(), walk(f"{turn} of yesterday", 1))]
            await keep_calls(store, id, calls, now=now, recall=recall)
        await keep_calls(store, id, [(uuid7(), walk("never kept", 2))], now=now, recall="never kept")
        none = [(uuid7(), walk("none", 2)), (uuid7(), walk("none, long ago", 40))]
        await keep_calls(store, id, none, now=now)
        made = await graph.rows(
            "MATCH (c:ModelCall {passing_in: $space})-[:MADE]->(r:Recall) RETURN count(r) AS n", space=id)
        return [row["prompt"] for row in await graph.rows(left, space=id)], made

    kept, made = run(ask())

    assert kept == [
        "0 of yesterday", "1 of yesterday", "2 of yesterday", "2 old", "3 of yesterday", "3 old", "none"]
    assert made == [{"n": 4}]


@on_one_engine
def test_a_day_is_counted_over_all_spaces(memory: Memory, store: Store, graph: Graph, run: Run, space: str) -> None:
    noon = datetime(2001, 1, 1 + secrets.randbelow(28), 12, tzinfo=UTC)

    async def count() -> tuple[Used, Used]:
        for name in (space, f"{space}-2"):
            await memory.create_space(name)
            calls = [made_call(at=noon, requests=2), made_call(at=noon, tokens_in=None, tokens_out=None)]
            id = await id_of(graph, name)
            await write_history(store, id, [(uuid7(), one) for one in calls], [])
        return await used_today(store, noon.date()), await used_today(store, date(2000, 12, 31))

    assert run(count()) == (Used(4, 6, 840), Used(0, 0, 0))


@on_one_engine
def test_what_models_proved_is_kept_by_model_and_host(store: Store, run: Run) -> None:
    model = f"model-{secrets.token_hex(4)}"

    def proved(host: str, form: str) -> dict[str, Any]:
        return {"model": model, "host": host, "form": form, "at": "2026-03-01T09:00:00+00:00"}

    async def save() -> list[Any]:
        await save_forms(store, [proved("b", "schema"), proved("a", "json")], token="t")
        await asyncio.gather(
            save_forms(store, [proved("b", "plain")], token="t1"), save_forms(store, [proved("c", "json")], token="t2"))
        return [one for one in await read_forms(store) if one["model"] == model]

    assert run(save()) == [proved("a", "json"), proved("b", "plain"), proved("c", "json")]


def test_calls_are_listed_and_read_by_who_may_read_all_of_their_spaces(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str
) -> None:
    other = f"{space}-other"
    one, two, both = uuid7(), uuid7(), uuid7()
    at = made_call().at

    async def look() -> Any:
        for name in (space, other):
            await memory.create_space(name)
        ids = [await id_of(graph, name) for name in (space, other)]
        await write_history(store, ids[0], [(one, made_call()), (two, made_call(
            attempt=2, outcome="faulty", fault="T9 was not offered.", at=at + timedelta(seconds=1)))], [])
        await keep_calls(
            store, ids[0], [(both, made_call(purpose="walk", at=at + timedelta(seconds=2)))], now=at, spaces=ids)
        lists = [
            [call.id for call in await memory.calls(space, **wanted)]
            for wanted in (
                {}, {"purpose": "route"}, {"outcome": "ok"}, {"since": at + timedelta(seconds=1)}, {"limit": 1})]
        [found, _] = await find_spaces(store, [space, other])
        alone = open_scope([space], [found])
        listed = await list_calls(store, alone, found, Wanted.of(None, None, at, 10))
        with pytest.raises(NotFound):
            await read_call(store, alone, both)
        return lists, [call.id for call in listed], await read_call(store, alone, two)

    lists, alone, second = run(look())

    assert lists == [[both, two, one], [two, one], [both, one], [both, two], [both]]
    assert alone == [two, one]
    assert (second.space, second.follows, second.fault, second.inputs) == (
        space, one, "T9 was not offered.", made_call().inputs)


@on_one_engine
def test_texts_are_read_as_a_prompt_shows_them_and_what_was_erased_is_missed(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str
) -> None:
    async def read() -> tuple[Texts, list[str], str]:
        there = await memory.add("Berth twelve.", space=space, author="Mira", at="2024-03-04T10:00:00+01:00")
        gone = await memory.add("Forget this.", space=space)
        await memory.organize(space=space)
        await graph.rows("MATCH (m:Message {id: $id}) DETACH DELETE m", id=gone.id)
        [found] = await find_spaces(store, [space])
        [row] = await graph.rows(
            "MATCH (r:SummaryRevision {current_key: $root}) RETURN r.id AS id", root=found.root)
        named = Named.of(messages=[there.id, gone.id], revisions=[row["id"]])
        texts = await read_texts(store, [found.id], named)
        assert texts.lacks(named) == [gone.id]
        return texts, [there.id], row["id"]

    texts, [there], revision = run(read())

    assert texts.messages == {there: MessageText(
        "Mira", "user", datetime.fromisoformat("2024-03-04T10:00:00+01:00"), "Berth twelve.")}
    assert texts.messages[there].occurred_at.utcoffset() == timedelta(hours=1)
    assert texts.revisions[revision].title == space


@on_one_engine
def test_all_calls_are_written_as_lines(
    memory: Memory, store: Store, graph: Graph, run: Run, space: str, tmp_path: Path
) -> None:
    one, two = uuid7(), uuid7()

    async def write() -> Any:
        await organised(memory, space)
        id = await id_of(graph, space)
        [row] = await graph.rows("MATCH (t:Topic {space: $space, kind: 'root'}) RETURN t.id AS id", space=id)
        await write_history(store, id, [(one, made_call())], [(one, row["id"])])
        failed = made_call(outcome="failed", reply=None, at=utc_now())
        await keep_calls(store, id, [(two, failed)], now=utc_now())
        return row["id"], await memory.export_calls(space, out=tmp_path / "calls.jsonl")

    root, report = run(write())

    text = (tmp_path / "calls.jsonl").read_text()
    first, second = (json.loads(line) for line in text.splitlines())
    assert (report.calls, report.bytes) == (2, len(text.encode()))
    assert (first["id"], first["made"], first["inputs"], second["id"], second["reply"]) == (
        one, [{"kind": "Topic", "id": root}], made_call().inputs, two, None)
