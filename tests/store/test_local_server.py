"""The embedded engine: one server a folder, found again, started again, private, and never another's process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.store.conftest import Run
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.errors import EngineUnavailable, NotFound
from trace_graph.memory import Memory
from trace_graph.store import local_server, server_files
from trace_graph.store.local_server import LocalServer
from trace_graph.store.server_files import ServerState

pytestmark = pytest.mark.engine

HEAP_MB = 512

ENSURE = """
import asyncio, sys
from pathlib import Path
from trace_graph.store.local_server import LocalServer
state = asyncio.run(LocalServer(Path(sys.argv[1]), heap_mb=512).ensure())
print(state.pid, state.bolt_port)
"""

DIE_WHILE_IT_STARTS = """
import asyncio, os, signal, sys
from pathlib import Path
from trace_graph.store.local_server import LocalServer
LocalServer._wait_until_ready = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(LocalServer(Path(sys.argv[1]), heap_mb=512).ensure())
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose engine runs, for the tests that only look."""
    path = tmp_path_factory.mktemp("shared") / "data"
    asyncio.run(LocalServer(path, heap_mb=HEAP_MB).ensure())
    yield path
    asyncio.run(LocalServer(path).stop())


def ensure(folder: Path) -> ServerState:
    return asyncio.run(LocalServer(folder, heap_mb=HEAP_MB).ensure())


def memory_in(folder: Path) -> Memory:
    return Memory(settings=Settings(uri=f"local:{folder}", heap_mb=HEAP_MB), embedder=StaticEmbedder.shipped())


def lives(pid: int) -> bool:
    """Whether the process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except OSError:
        return False


def other_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)


def test_two_processes_that_start_at_once_share_one_server(folder: Path) -> None:
    """PC-073, PC-125."""
    starters = [
        subprocess.Popen([sys.executable, "-c", ENSURE, str(folder)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]

    said = {starter.communicate()[0] for starter in starters}

    assert len(said) == 1
    pid, port = (int(number) for number in said.pop().split())
    state = ensure(folder)
    assert (state.pid, state.bolt_port) == (pid, port)


def test_stopping_and_killing_lose_nothing_and_the_next_use_starts_it_again(folder: Path, run: Run) -> None:
    """PC-157: also for a connection that was open all the while."""

    async def use() -> list[tuple[int, bool]]:
        seen = []
        async with memory_in(folder) as memory:
            await memory.add("The Petrel is moored.", space="s", external_id="1")
            server = LocalServer(folder)
            first = await server.status()
            assert first is not None
            await server.stop()
            seen.append((len((await memory.recall("Petrel", space="s")).items), lives(first.pid)))
            second = await server.status()
            assert second is not None
            os.kill(second.pid, signal.SIGKILL)
            receipt = await memory.add("The Petrel has sailed.", space="s", external_id="2")
            third = await server.status()
            assert third is not None
            seen.append((receipt.seq, len({first.pid, second.pid, third.pid}) == 3))
        async with memory_in(folder) as memory:
            seen.append((len((await memory.recall("Petrel", space="s")).items), lives(third.pid)))
        return seen

    assert run(use()) == [(1, False), (2, True), (2, True)]


def test_a_server_whose_starter_was_killed_is_taken_over(folder: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", DIE_WHILE_IT_STARTS, str(folder)], check=False)
    started = int((folder / server_files.PID_FILE).read_text())

    state = ensure(folder)

    assert ended.returncode == -signal.SIGKILL
    assert state.pid == started
    assert not (folder / server_files.STARTING_FILE).exists()


def test_a_stale_state_file_with_a_pid_that_another_process_has_now_harms_nobody(folder: Path) -> None:
    """PC-163, PC-164."""
    folder.mkdir()
    with other_process() as other:
        stale = ServerState(other.pid, 1, 2, "no password")
        (folder / server_files.STATE_FILE).write_text(json.dumps(asdict(stale)))
        (folder / server_files.PID_FILE).write_text(str(other.pid))

        state = ensure(folder)
        stopped = asyncio.run(LocalServer(folder).stop())

        assert state.pid != other.pid
        assert (stopped, lives(other.pid), lives(state.pid)) == (True, True, False)
        (folder / server_files.PID_FILE).write_text(str(other.pid))
        assert asyncio.run(LocalServer(folder).stop()) is False
        assert lives(other.pid)
        assert other.stdin is not None
        other.stdin.close()


def test_the_server_of_a_folder_whose_name_begins_alike_is_another_s(shared: Path) -> None:
    state = ensure(shared)
    prefix = Path(str(shared)[:-1])
    prefix.mkdir()
    (prefix / server_files.PID_FILE).write_text(str(state.pid))

    assert asyncio.run(LocalServer(prefix).stop()) is False
    assert lives(state.pid)


def test_one_folder_under_two_names_has_one_server(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shared)

    assert ensure(tmp_path / "link") == ensure(shared)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1, "bolt_port": 2}', "\x00\xff"])
def test_a_broken_state_file_is_no_server(tmp_path: Path, content: str) -> None:
    (tmp_path / server_files.STATE_FILE).write_text(content, encoding="latin-1")

    assert asyncio.run(LocalServer(tmp_path).status()) is None
    assert asyncio.run(LocalServer(tmp_path).stop()) is False


def test_only_the_owner_can_read_what_holds_a_password_and_no_command_line_does(shared: Path) -> None:
    state = ensure(shared)

    modes = {
        path.name: oct(path.stat().st_mode & 0o777)
        for path in shared.iterdir()
        if path.is_file() and (state.password in path.read_text(errors="replace") or "password" in path.name)
    }
    assert modes == {"server.json": "0o600", "root.password": "0o600", "reader.password": "0o600"}
    shown = Path(f"/proc/{state.pid}/cmdline").read_text()
    assert (state.password in shown, state.reader_password in shown) == (False, False)
    assert oct(shared.stat().st_mode & 0o777) == "0o700"


def listening(pid: int) -> dict[int, str]:
    """The ports on which a process listens, and the address in the kernel's hexadecimal."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(descriptor.readlink()).removeprefix("socket:[").removesuffix("]"))
        except FileNotFoundError:
            continue
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            address, _, port = fields[1].partition(":")
            if fields[3] == "0A" and fields[9] in inodes:
                found[int(port, 16)] = address
    return found


def test_the_server_listens_on_loopback_and_on_the_two_ports_it_says(shared: Path) -> None:
    state = ensure(shared)
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}

    found = listening(state.pid)

    assert set(found) == {state.bolt_port, state.http_port}
    assert set(found.values()) <= loopback


def test_looking_at_a_folder_without_a_memory_creates_nothing(tmp_path: Path, run: Run) -> None:
    """PC-127."""
    nowhere = tmp_path / "misspelt"

    async def look() -> list[str]:
        said = []
        async with memory_in(nowhere) as memory:
            for verb in (
                memory.spaces(),
                memory.recall("x"),
                memory.stats(),
                memory.tree(space="s"),
                memory.topic("x"),
            ):
                with pytest.raises(NotFound) as refused:
                    await verb
                said.append(refused.value.message)
        return said

    assert set(run(look())) == {f"There is no memory at local:{nowhere} yet."}
    assert not nowhere.exists()
    assert asyncio.run(LocalServer(nowhere).status()) is None


@pytest.mark.parametrize("where", ["a file", "below a file", "no place to write"])
def test_a_folder_that_cannot_be_used_is_said_in_one_sentence(tmp_path: Path, where: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    path = {"a file": file, "below a file": file / "data", "no place to write": Path("/proc/nowhere")}[where]

    with pytest.raises(EngineUnavailable) as refused:
        ensure(path)

    assert refused.value.message.startswith(f"The data folder {path} cannot be used: ")
    assert refused.value.fix == "Give a folder that can be written and has room: TRACE_GRAPH_URI=local:/path."
    assert file.read_text() == ""


def test_a_server_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def command(*_: object, **__: object) -> list[str]:
        return [sys.executable, "-c", "print('SEVERE no memory left'); raise SystemExit(1)"]

    monkeypatch.setattr(local_server, "java_command", command)

    with pytest.raises(EngineUnavailable) as refused:
        ensure(tmp_path / "data")

    assert refused.value.message == "The embedded engine did not start: SEVERE no memory left"
    assert refused.value.fix == f"Read {tmp_path / 'data' / server_files.LOG_FILE}."


def test_a_server_that_holds_the_files_and_does_not_answer_is_named(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PC-163: it is neither fought nor wiped; the state file is lost, the process is not."""
    state = ensure(shared)
    hidden = (shared / server_files.STATE_FILE).read_text()
    (shared / server_files.STATE_FILE).unlink()
    try:
        with pytest.raises(EngineUnavailable) as refused:
            ensure(shared)
    finally:
        (shared / server_files.STATE_FILE).write_text(hidden)
        (shared / server_files.STATE_FILE).chmod(0o600)

    assert refused.value.message == (
        f"The engine of {shared} runs as process {state.pid}, but does not answer as server.json says."
    )
    assert ensure(shared) == state


def test_what_is_shown_of_a_server_holds_no_password(shared: Path) -> None:
    state = ensure(shared)

    assert repr(state) == f"ServerState(pid={state.pid}, bolt_port={state.bolt_port}, http_port={state.http_port})"
    assert repr(state.http) == f"Endpoint(port={state.http_port}, user='root')"
