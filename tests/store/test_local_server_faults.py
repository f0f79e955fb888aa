"""What can go wrong around the embedded engine: each is said in one sentence, and nothing is damaged."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.store.conftest import Run
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import EngineTimeout, EngineUnavailable, StoreFailed
from trace_graph.memory import Memory
from trace_graph.store import arcadedb_http, local_server, server_files
from trace_graph.store.local_server import LocalServer
from trace_graph.store.server_files import ServerState

pytestmark = pytest.mark.engine

HEAP_MB = 512
ROOM = "Give a folder that can be written and has room: TRACE_GRAPH_URI=local:/path."


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose engine runs, for the tests that only look."""
    path = tmp_path_factory.mktemp("shared") / "data"
    ensure(path)
    yield path
    stop(path)


def ensure(folder: Path) -> ServerState:
    return asyncio.run(LocalServer(folder, heap_mb=HEAP_MB).ensure())


def stop(folder: Path) -> bool:
    return asyncio.run(LocalServer(folder).stop())


def memory_in(folder: Path, seconds: float = 30.0) -> Memory:
    settings = Settings(uri=f"local:{folder}", heap_mb=HEAP_MB, deadline_seconds=seconds)
    return Memory(settings=settings, embedder=StaticEmbedder.shipped())


@pytest.mark.parametrize("place", [0, 1], ids=["bolt", "http"])
def test_a_port_that_another_took_first_is_left_to_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """The engine reports it and does not end: it is not waited for, and started again on other ports."""
    free, asked = local_server.free_ports, []

    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]

        def ports(count: int) -> list[int]:
            asked.append(free(count))
            if len(asked) == 1:
                asked[0][place] = taken
            return asked[-1]

        monkeypatch.setattr(local_server, "free_ports", ports)
        state = ensure(folder)

    assert len(asked) == 2
    assert [state.bolt_port, state.http_port] == asked[1]


def test_a_password_that_was_lost_is_said_at_once_and_can_be_made_anew(folder: Path, run: Run) -> None:
    async def remember(text: str) -> int:
        async with memory_in(folder) as memory:
            await memory.add(text, space="s")
            return len((await memory.recall("Petrel", space="s")).items)

    run(remember("The Petrel is moored."))
    stop(folder)
    (folder / server_files.ROOT_PASSWORD_FILE).unlink()
    with pytest.raises(EngineUnavailable) as refused:
        ensure(folder)
    (folder / server_files.USERS_FILE).unlink()  # as the sentence says
    found = run(remember("The Petrel has sailed."))

    assert refused.value.message == f"The engine of {folder} has another password than the one that is noted there."
    assert refused.value.fix == (
        "Put the old root.password back. Where it is lost: trace-graph db stop, remove "
        f"{folder}/config/server-users.jsonl, and try again; the memory stays as it is."
    )
    assert found == 2


def test_a_password_that_was_changed_while_the_engine_runs_is_said_at_once(shared: Path) -> None:
    state = ensure(shared)
    noted = shared / server_files.STATE_FILE
    noted.write_text(json.dumps(asdict(replace(state, password="another"))))

    with pytest.raises(EngineUnavailable) as refused:
        ensure(shared)

    assert refused.value.message == f"The engine of {shared} has another password than the one that is noted there."
    noted.write_text(json.dumps(asdict(state)))
    assert ensure(shared) == state


def test_an_engine_that_does_not_answer_is_named_and_goes_on_where_it_stopped(folder: Path, run: Run) -> None:
    async def use() -> tuple[str, int]:
        async with memory_in(folder, seconds=2) as memory:
            await memory.add("The Petrel is moored.", space="s", external_id="1")
            state = await LocalServer(folder).status()
            assert state is not None
            os.kill(state.pid, signal.SIGSTOP)
            try:
                with pytest.raises(EngineTimeout) as late:
                    await memory.add("The Petrel has sailed.", space="s", external_id="2")
                with pytest.raises(EngineUnavailable) as silent:
                    await LocalServer(folder, start_seconds=1).ensure()
            finally:
                os.kill(state.pid, signal.SIGCONT)
        async with memory_in(folder) as memory:
            receipt = await memory.add("The Petrel has sailed.", space="s", external_id="2")
        assert silent.value.message == (
            f"The engine of {folder} runs as process {state.pid}, but does not answer as server.json says.")
        return late.value.message, receipt.seq

    assert run(use()) == ("The database did not finish in 2 s (append_messages).", 2)


def test_an_engine_that_ran_out_of_memory_ends_and_the_next_use_starts_it_again(folder: Path, run: Run) -> None:
    """A Java that went on after that would answer some and hang on others."""
    eats_a_gigabyte = "RETURN size(reduce(s = 'abcdefgh', i IN range(1, 27) | s + s)) AS size"

    async def work() -> list[str]:
        async with memory_in(folder) as memory:
            await memory.add("Petrel lies at berth 17.", space="s")
            before = await LocalServer(folder).status()
            with pytest.raises(EngineUnavailable):
                await memory.cypher(eats_a_gigabyte)
            found = await memory.recall("berth", space="s")
            after = await LocalServer(folder).status()
        assert before is not None
        assert after is not None
        assert before.pid != after.pid
        return [item.text for item in found.items]

    assert run(work()) == ["Petrel lies at berth 17."]


def test_a_java_that_cannot_be_run_is_no_fault_of_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "java_command", lambda *_, **__: ["/nowhere/java"])

    with pytest.raises(EngineUnavailable) as refused:
        ensure(folder)

    assert refused.value.message == "The Java of the embedded engine cannot be run: No such file or directory."
    assert refused.value.fix == "Reinstall it: pip install --force-reinstall arcadedb-embedded."


def test_a_stopped_engine_leaves_no_zombie_where_its_starter_lives_on(folder: Path) -> None:
    state = ensure(folder)
    keepers = [thread for thread in threading.enumerate() if thread.name == f"trace-graph-engine-{state.pid}"]
    assert keepers != []

    stop(folder)
    for keeper in keepers:
        keeper.join(timeout=10)

    assert not Path(f"/proc/{state.pid}").exists()


def addresses() -> list[str]:
    """The addresses of this machine that others can reach."""
    shown = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    return [address for address in shown if address not in ("127.0.0.1", "::1")]


def test_nobody_else_s_machine_reaches_the_engine(shared: Path) -> None:
    reached_by = addresses() if shutil.which("hostname") else []
    if not reached_by:
        pytest.skip("this machine has no address but loopback")
    state = ensure(shared)

    reached = [
        (address, port)
        for address in reached_by
        for port in (state.bolt_port, state.http_port)
        if _connects(address, port)
    ]

    assert reached == []
    assert _connects("127.0.0.1", state.bolt_port)


def _connects(address: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.settimeout(5)
        return probe.connect_ex((address, port)) == 0


def test_the_engine_runs_with_the_settings_that_keep_what_was_acknowledged(shared: Path) -> None:
    state = ensure(shared)

    rows = arcadedb_http.sql(state.http, state.database, "SELECT FROM schema:database")

    settings = {row["key"].removeprefix("arcadedb."): row["value"] for row in rows[0]["settings"]}
    wanted = {
        "txWAL": True, "txWalFlush": 2, "vectorIndex.inactivityRebuildTimeoutMs": 0,
        "opencypher.loadCsv.allowFileUrls": False, "opencypher.loadCsv.allowRemoteUrls": False,
    }
    assert {name: settings[name] for name in wanted} == wanted


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[None]:
    """A file system of its own at this place; needs root on Linux."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here: it takes root on Linux")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


def test_a_data_folder_that_can_only_be_read_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "64m"):
        ensure(disk / "data")
        stop(disk / "data")
        before = sorted(path.name for path in (disk / "data").iterdir())
        remount(disk, "ro")

        with pytest.raises(EngineUnavailable) as refused:
            ensure(disk / "data")

        assert refused.value.message == f"The data folder {disk / 'data'} cannot be used: Read-only file system."
        assert refused.value.fix == ROOM
        assert sorted(path.name for path in (disk / "data").iterdir()) == before


def test_a_disk_that_is_full_before_the_start_is_said_in_one_sentence(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "64k"):
        (disk / "data").mkdir()
        with pytest.raises(OSError, match="No space left"):
            (disk / "filler").write_bytes(b"0" * 100_000)

        with pytest.raises(EngineUnavailable) as refused:
            ensure(disk / "data")

        assert refused.value.message == f"The data folder {disk / 'data'} cannot be used: No space left on device."
        assert refused.value.fix == ROOM
        assert {path.name for path in (disk / "data").iterdir()} <= {"server.lock", "root.password"}


def test_a_disk_that_fills_up_loses_nothing_that_was_acknowledged(tmp_path: Path, run: Run) -> None:
    disk = tmp_path / "disk"
    acknowledged: list[str] = []

    async def fill() -> StoreFailed:
        async with memory_in(disk / "data") as memory:
            await memory.add("The Petrel is moored.", space="s", external_id="first")
            acknowledged.append("first")
            with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(b"0" * 4096)
            with pytest.raises(StoreFailed) as failed:
                for number in range(200):
                    await memory.add(f"Reading {number}. " + "word " * 2000, space="s", external_id=str(number))
                    acknowledged.append(str(number))
        return failed.value

    async def read() -> tuple[set[str], int]:
        async with memory_in(disk / "data") as memory:
            receipt = await memory.add("The Petrel has sailed.", space="s", external_id="last")
            rows = await memory.cypher("MATCH (m:Message) RETURN m.external_id AS id")
            return {row["id"] for row in rows}, receipt.seq

    with small_disk(disk, "48m"):
        failed = run(fill())
        (disk / "filler").unlink()
        stop(disk / "data")  # as the sentence says
        found, seq = run(read())
        stop(disk / "data")

    assert failed.message == f"The disk with the data folder {disk / 'data'} is full."
    assert found >= {*acknowledged, "last"}
    assert seq == len(found)
