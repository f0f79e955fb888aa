"""An export is one whole state of a space, and restores on either engine to a space whose export is equal."""

from __future__ import annotations

import asyncio
import io
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.engines.running import RunningEngines
from tests.store.conftest import Run
from tests.store.exported import exported, fill, records, remove
from tests.store.looking import opened
from tests.store.prepared import Graph, prepare, settings_of
from tests.store.talk import SUBJECTS, conversation
from trace_graph.config import Settings
from trace_graph.memory import Memory


@pytest.fixture(scope="module")
def other(running_engines: RunningEngines, settings: Settings, run: Run) -> Iterator[Memory]:
    """A memory on an ArcadeDB, whichever engine the test is for."""
    address = running_engines.address("arcadedb")
    asyncio.run(prepare(address))
    memory = opened(settings_of(address))
    yield memory
    run(memory.close())


def test_a_restored_space_is_the_same_on_another_engine_and_back(
    memory: Memory, other: Memory, graph: Graph, settings: Settings, run: Run, space: str
) -> None:
    async def there_and_back() -> tuple[bytes, bytes, bytes, list[str], list[str]]:
        await fill(memory, space)
        first = await exported(memory, space)
        before = await memory.recall("the rye sourdough loaf", space=space, limit=10)
        await remove(graph, space)
        there = first
        if other.settings.uri != settings.uri:
            await other.import_file(io.BytesIO(first))
            there = await exported(other, space)
        await memory.import_file(io.BytesIO(there), format="trace-graph")
        back = await exported(memory, space)
        after = await memory.recall("the rye sourdough loaf", space=space, limit=10)
        return first, there, back, [item.id for item in before.items], [item.id for item in after.items]

    first, there, back, before, after = run(there_and_back())

    assert there == first
    assert back == first
    assert after == before
    placements = [line["properties"] for line in records(first, "PARENT_OF")]
    assert any("retired_at" in one for one in placements)
    assert records(first, "SUPERSEDES")
    assert records(first, "Passage")
    assert [line["properties"]["text"] for line in records(first, "Message") if "waiting" in line["properties"]] == [
        "It waits."
    ]
    assert b"lease_" not in first


def test_a_restored_space_goes_on_growing(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    async def grow() -> tuple[int, int]:
        await fill(memory, space, rounds=2)
        export = await exported(memory, space)
        await remove(graph, space)
        await memory.import_file(io.BytesIO(export))
        async with opened(memory.settings) as fresh:
            receipt = await fresh.add("And on.", space=space, session="last")
            report = await fresh.organize(space=space)
        return receipt.seq, report.filed

    assert run(grow()) == (2, 2)


def test_an_export_is_one_state_while_others_write(memory: Memory, graph: Graph, run: Run, space: str) -> None:
    """Every file that was taken beside four writers and an organiser restores, and adds up."""
    texts = [text for lines in SUBJECTS.values() for text in lines]

    async def write(number: int) -> None:
        for turn, text in enumerate(texts[:24]):
            id = f"{number}:{turn}"
            await memory.add(f"{text} {number}.", space=space, session=f"session {number}", external_id=id)

    async def organize() -> None:
        for _ in range(4):
            await memory.organize(space=space)

    async def take() -> list[bytes]:
        await memory.add_many(conversation(("bread",)), space=space)
        work = asyncio.gather(*(write(number) for number in range(4)), organize())
        files = []
        while not work.done():
            files.append(await exported(memory, space))
        await work
        return files

    files = run(take())

    states = {records(file, "Space")[0]["properties"]["change_seq"] for file in files}
    assert len(states) > 1
    for file in files:
        adds_up(file)
    run(remove(graph, space))
    run(memory.import_file(io.BytesIO(files[len(files) // 2])))
    assert run(exported(memory, space)) == files[len(files) // 2]


def adds_up(export: bytes) -> None:
    """What must hold of any one state of a space."""
    space = records(export, "Space")[0]["properties"]
    messages = [line["properties"] for line in records(export, "Message")]
    assert len(messages) == space["message_count"]
    ledger = sorted(line["properties"]["seq"] for line in records(export, "Event"))
    assert ledger == list(range(1, space["event_seq"] + 1))
    ends = {line["properties"]["name"]: line["properties"]["last_seq"] for line in records(export, "Session")}
    assert ends == Counter(message["session"] for message in messages)
    live = [line for line in records(export, "PARENT_OF") if "retired_at" not in line["properties"]]
    assert all(line["properties"]["live_key"] == line["to"] for line in live)
    placed = Counter(line["to"] for line in live)
    assert {message["id"] for message in messages if "waiting" in message} == {
        message["id"] for message in messages if not placed[message["id"]]
    }
    assert set(placed.values()) <= {1}
    ids = {message["id"] for message in messages}
    below = Counter(line["from"] for line in live if line["to"] in ids)
    topics = [line["properties"] for line in records(export, "Topic")]
    leaves = {one["id"]: one["message_count"] for one in topics if not one["child_count"] and one["message_count"]}
    assert leaves == below
    revisions = [line["properties"] for line in records(export, "SummaryRevision")]
    current = [one["topic"] for one in revisions if "retired_at" not in one]
    assert [one["current_key"] for one in revisions if "retired_at" not in one] == current
    assert len(current) == len(set(current))
