"""Restoring: a file that is not whole writes nothing, a run that was killed is gone on with, nothing is overwritten."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.exported import exported, fill, nodes_of, records, remove
from tests.store.looking import events, id_of, opened
from tests.store.prepared import Graph
from tests.store.test_ledger import records_of_change
from trace_graph.config import Settings
from trace_graph.errors import Conflict, EmbedderMismatch, InvalidInput, Refused, SchemaTooNew
from trace_graph.maintain.canonical import canonical_content
from trace_graph.maintain.lines import Digest, canonical
from trace_graph.memory import Memory
from trace_graph.models import ImportReport
from trace_graph.store.ledger import payload_hash

DAMAGED = 100
KILLER = """
import asyncio, json, os, signal, sys
from pathlib import Path
from trace_graph.config import Settings
from trace_graph.memory import Memory

left = int(sys.argv[3])

def progress(done, total):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with Memory(settings=Settings(**json.loads(os.environ["ENGINE"]))) as memory:
        await memory.import_file(Path(sys.argv[1]), space=sys.argv[2], progress=progress)

asyncio.run(main())
"""


@pytest.fixture
def export(memory: Memory, graph: Graph, run: Run, space: str) -> bytes:
    """The export of a space that is in the database no more."""

    async def take() -> bytes:
        await fill(memory, space, rounds=2)
        made = await exported(memory, space)
        await remove(graph, space)
        return made

    made: bytes = run(take())
    return made


def sealed(export: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The export with another first line, and the checksum that fits."""
    first, *rest = export.splitlines(keepends=True)
    header = json.loads(first)
    change(header)
    digest = Digest()
    for line in (canonical(header), *rest[:-1]):
        digest.take(line)
    return b"".join((canonical(header), *rest[:-1], digest.trailer()))


def space_id(export: bytes) -> str:
    return str(json.loads(export.splitlines()[0])["space"]["id"])


def damaged(export: bytes, seed: int) -> bytes:
    """Cut off somewhere, or with one bit turned."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        return export[: chance.randrange(1, len(export))]
    place = chance.randrange(len(export))
    return export[:place] + bytes([export[place] ^ 1 << chance.randrange(8)]) + export[place + 1 :]


def test_a_damaged_file_is_refused_and_nothing_is_written(
    memory: Memory, graph: Graph, run: Run, export: bytes
) -> None:
    async def accepted() -> list[int]:
        seeds = []
        for seed in range(DAMAGED):
            try:
                await memory.import_file(io.BytesIO(damaged(export, seed)), format="trace-graph")
                seeds.append(seed)
            except (InvalidInput, Refused):
                pass
        return seeds

    assert run(accepted()) == []
    assert run(nodes_of(graph, space_id(export))) == 0


def test_a_second_import_adds_nothing(memory: Memory, graph: Graph, run: Run, space: str, export: bytes) -> None:
    async def twice() -> list[tuple[int, int, int]]:
        reports = [await memory.import_file(io.BytesIO(export)) for _ in range(2)]
        return [(report.messages, report.duplicates, report.sessions) for report in reports]

    messages, sessions = len(records(export, "Message")), len(records(export, "Session"))
    assert run(twice()) == [(messages, 0, sessions), (0, messages, sessions)]
    assert run(exported(memory, space)) == export


@pytest.mark.parametrize("engine_address", ["arcadedb"], indirect=True)
def test_an_export_from_before_models_were_asked_restores(memory: Memory, run: Run, space: str, export: bytes) -> None:
    old = sealed(export, lambda header: header.update(version=1, schema_version=3))

    run(memory.import_file(io.BytesIO(old)))

    assert run(exported(memory, space)) == export


def test_a_space_that_has_changed_since_is_not_overwritten(
    memory: Memory, run: Run, space: str, export: bytes
) -> None:
    async def change() -> bytes:
        await memory.import_file(io.BytesIO(export))
        async with opened(memory.settings) as fresh:
            await fresh.add("Something new.", space=space)
        return await exported(memory, space)

    changed = run(change())
    with pytest.raises(Refused) as refused:
        run(memory.import_file(io.BytesIO(export)))
    with pytest.raises(Refused) as refused_copy:
        run(memory.import_file(io.BytesIO(export), space=f"{space}-copy"))

    assert refused.value.message == f"The space {space!r} is here already, and is not as in this file."
    assert refused_copy.value.message == f"This space is here already, as {space!r}."
    assert refused.value.exit_code == 5
    assert run(exported(memory, space)) == changed


def test_a_name_that_is_taken_is_refused_and_another_one_is_written_into_the_ledger(
    memory: Memory, graph: Graph, run: Run, space: str, export: bytes
) -> None:
    async def under_another_name() -> bytes:
        async with opened(memory.settings) as fresh:
            await fresh.create_space(space)
            with pytest.raises(Refused, match="There is another space named"):
                await fresh.import_file(io.BytesIO(export))
            await fresh.import_file(io.BytesIO(export), space=f"{space}-2")
            return await exported(fresh, f"{space}-2")

    again = run(under_another_name())

    assert canonical_content(again.splitlines()) == canonical_content(export.splitlines())
    assert records(again, "Event")[-1]["properties"]["reason"] == f"{space} -> {space}-2"
    assert len(records(again, "Event")) == len(records(export, "Event")) + 1


@pytest.mark.parametrize("after", [1, 3, 9])
def test_a_restore_that_was_killed_is_not_seen_and_is_gone_on_with(
    settings: Settings, graph: Graph, run: Run, space: str, export: bytes, tmp_path: Path, after: int
) -> None:
    file = tmp_path / "space.jsonl"
    file.write_bytes(export)
    assert settings.password is not None
    plain = {
        "uri": settings.uri, "username": settings.username, "database": settings.database,
        "password": settings.password.get_secret_value(),
    }
    killed = subprocess.run(
        [sys.executable, "-c", KILLER, str(file), space, str(after)], env={**os.environ, "ENGINE": json.dumps(plain)},
        capture_output=True, timeout=120, check=False,
    )

    async def look() -> tuple[list[str], bytes]:
        async with opened(settings) as memory:
            names = [one.name for one in await memory.spaces()]
            for verb in (memory.recall("bread", space=space), memory.add("x", space=space), memory.tree(space=space)):
                with pytest.raises(Refused, match="is being restored"):
                    await verb
            await memory.recall("bread")
            await memory.import_file(file)
            return names, await exported(memory, space)

    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, b"")
    names, again = run(look())
    assert space not in names
    assert again == export


def test_another_export_of_a_half_restored_space_starts_again(
    memory: Memory, run: Run, space: str, export: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def stop(done: int, total: int | None) -> None:
        if done:
            raise Killed

    other = sealed(export, lambda header: header["embedder"].update(name="static:of another name"))

    async def half_then_other() -> bytes:
        with pytest.raises(Killed):
            await memory.import_file(io.BytesIO(export), progress=stop)
        await memory.import_file(io.BytesIO(other))
        return await exported(memory, space)

    assert run(half_then_other()) == export


def test_what_another_embedder_or_a_newer_version_made_is_refused(
    memory: Memory, graph: Graph, run: Run, export: bytes
) -> None:
    def other_vectors(header: dict[str, Any]) -> None:
        header["embedder"] |= {"name": "openai:x", "probe": header["embedder"]["probe"][::-1]}

    files = [
        (sealed(export, other_vectors), EmbedderMismatch),
        (sealed(export, lambda header: header.update(schema_version=99)), SchemaTooNew),
        (sealed(export, lambda header: header.update(version=3)), Refused),
    ]
    for file, error in files:
        with pytest.raises(error) as refused:
            run(memory.import_file(io.BytesIO(file)))
        assert refused.value.exit_code == 5
        assert refused.value.fix

    assert run(nodes_of(graph, space_id(export))) == 0


def test_the_hashes_of_the_ledger_hold_although_the_key_in_front_of_terms_is_another(
    memory: Memory, graph: Graph, run: Run, space: str, export: bytes
) -> None:
    keys = "MATCH (s:Space {id: $id}) RETURN s.key AS key"
    terms = "MATCH (m:Message {space: $id}) WHERE m.terms <> '' RETURN DISTINCT split(m.terms, '_')[0] AS key"

    async def restored() -> tuple[list[dict[str, str]], list[dict[str, str]], list[str], list[str]]:
        await memory.import_file(io.BytesIO(export))
        id = await id_of(graph, space)
        added = [event for event in await events(graph, space) if event["action"] == "messages.added"]
        again = [payload_hash(await records_of_change(graph, id, event["change_seq"])) for event in added]
        return (
            await graph.rows(keys, id=id), await graph.rows(terms, id=id),
            [event["payload_hash"] for event in added], again,
        )

    key, prefixes, written, computed = run(restored())

    assert prefixes == key
    assert len(written) == 3
    assert computed == written


def test_of_two_restores_at_once_one_is_told_and_the_space_is_whole(
    memory: Memory, run: Run, space: str, export: bytes
) -> None:
    async def both() -> list[Any]:
        async with opened(memory.settings) as second:
            return await asyncio.gather(
                memory.import_file(io.BytesIO(export)), second.import_file(io.BytesIO(export)), return_exceptions=True
            )

    outcomes = run(both())

    assert {type(one) for one in outcomes} <= {ImportReport, Conflict}
    assert ImportReport in {type(one) for one in outcomes}
    assert run(exported(memory, space)) == export
