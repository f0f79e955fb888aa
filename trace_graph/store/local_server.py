"""The embedded engine: one ArcadeDB server a data folder, started when it is needed, shared by all processes.

The server is a child in a session of its own, so it outlives whoever started it. It listens on loopback only. The state
file in the data folder (mode 0600) says how to reach it; it is trusted only when a server answers there with its
password.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from trace_graph.errors import EngineUnavailable
from trace_graph.store import arcadedb_http
from trace_graph.store.local_command import ROOT_PASSWORD_FILE, java_command

DATABASE = "trace_graph"
USER = "root"
READER = "reader"
"""The user that may only read, and the name of its group."""
STATE_FILE = "server.json"
STARTING_FILE = "server.starting.json"
"""What will be the state file once the server is ready: whoever starts it may be killed while it waits."""
PID_FILE = "server.pid"
LOG_FILE = "server.log"
READER_PASSWORD_FILE = "reader.password"


@dataclass(frozen=True)
class ServerState:
    """How to reach a running server."""

    pid: int
    bolt_port: int
    http_port: int
    password: str

    user: str = USER
    reader_password: str = ""
    """Of the user that may only read; empty until the server has one."""
    database: str = DATABASE

    def __repr__(self) -> str:
        return f"ServerState(pid={self.pid}, bolt_port={self.bolt_port}, http_port={self.http_port})"

    @property
    def bolt_uri(self) -> str:
        """For the driver."""
        return f"bolt://127.0.0.1:{self.bolt_port}"

    @property
    def as_reader(self) -> ServerState:
        """The same server, for the user that may only read."""
        return replace(self, user=READER, password=self.reader_password)

    @property
    def http(self) -> arcadedb_http.Endpoint:
        """For SQL, which creates the indexes."""
        return arcadedb_http.Endpoint(self.http_port, self.user, self.password)


class LocalServer:
    """The embedded engine of one data folder."""

    def __init__(self, folder: Path, *, heap_mb: int = 2048, start_seconds: float = 60.0) -> None:
        # One name for one folder: by it a server is known to be ours.
        self.folder = folder.resolve()
        self._heap_mb = heap_mb
        self._start_seconds = start_seconds

    def exists(self) -> bool:
        """Whether this folder holds a database; looking creates nothing."""
        return (self.folder / "databases" / DATABASE).is_dir()

    async def ensure(self) -> ServerState:
        """Find the running server, or start one; of several processes that ask at once, one starts it.

        Raises: EngineUnavailable when the folder cannot be written, or the server does not come up in time.
        """
        return await asyncio.to_thread(self._ensure)

    async def status(self) -> ServerState | None:
        """The running server, or None."""
        return await asyncio.to_thread(self._running)

    async def stop(self) -> bool:
        """Stop the server and wait until it is gone; False when none ran."""
        return await asyncio.to_thread(self._stop)

    def _ensure(self) -> ServerState:
        running = self._running()
        if running is not None and running.reader_password:
            return running
        with self._lock():
            running = self._running()
            if running is None:
                return self._half_started() or self._start()
            return running if running.reader_password else self._ready(running)

    @contextlib.contextmanager
    def _lock(self):  # type: ignore[no-untyped-def]  # a generator whose type contextmanager supplies
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            lock = FileLock(self.folder / "server.lock", timeout=self._start_seconds)
            with lock:
                yield
        except Timeout as error:
            raise EngineUnavailable(
                f"Another process has been starting or stopping the engine in {self.folder} for "
                f"{self._start_seconds:g} s."
            ) from error
        except OSError as error:
            raise EngineUnavailable(
                f"The data folder {self.folder} cannot be used: {error.strerror or error}.",
                fix="Give a folder that can be written: TRACE_GRAPH_URI=local:/path.",
            ) from error

    def _running(self) -> ServerState | None:
        """The server of the state file, if it answers with its password; a stale file or a reused pid does not.

        The process is looked at first: nobody else who listens on that port shall be told the password.
        """
        state = self._noted(STATE_FILE)
        return state if state is not None and self._is_ours(state.pid) and arcadedb_http.answers(state.http) else None

    def _noted(self, name: str) -> ServerState | None:
        """What a file says about a server, whether or not it is true."""
        try:
            values = json.loads((self.folder / name).read_text(encoding="utf-8"))
            return ServerState(
                pid=int(values["pid"]), bolt_port=int(values["bolt_port"]), http_port=int(values["http_port"]),
                password=str(values["password"]), reader_password=str(values.get("reader_password", "")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _start(self) -> ServerState:
        deadline = time.monotonic() + self._start_seconds
        while True:
            state, process = self._spawn()
            if self._wait_until_ready(state, partial(_runs, process), deadline):
                # It is meant to outlive us; to Popen a child that nobody waits for is a mistake it warns of.
                process.returncode = 0
                return self._ready(state)
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=10)
            if time.monotonic() > deadline or "in use" not in self._log_tail().lower():
                raise EngineUnavailable(
                    f"The embedded engine did not start: {self._log_reason()}",
                    fix=f"Read {self.folder / LOG_FILE}.")

    def _ready(self, state: ServerState) -> ServerState:
        if not arcadedb_http.database_exists(state.http, DATABASE):
            arcadedb_http.create_database(state.http, DATABASE)
        ready = replace(state, reader_password=self._password(READER_PASSWORD_FILE))
        arcadedb_http.save_reading_group(state.http, DATABASE, READER)
        arcadedb_http.save_user(state.http, READER, ready.reader_password, {DATABASE: [READER]})
        self._write_private(STATE_FILE, json.dumps(asdict(ready)))
        (self.folder / STARTING_FILE).unlink(missing_ok=True)
        return ready

    def _half_started(self) -> ServerState | None:
        """The server of this folder whose starter was killed before it was ready; None where none is there.

        A server that holds the files and does not come to answer is named instead of fought.
        """
        pid = self._known_pid()
        if pid is None or not self._is_ours(pid):
            return None
        state = self._noted(STARTING_FILE) or self._noted(STATE_FILE)
        deadline = time.monotonic() + self._start_seconds
        known = state if state is not None and state.pid == pid else None
        if known is not None and self._wait_until_ready(known, lambda: self._is_ours(pid), deadline):
            return self._ready(known)
        if not self._is_ours(pid):
            return None
        raise EngineUnavailable(
            f"The engine of {self.folder} runs as process {pid}, but does not answer as {STATE_FILE} says.",
            fix=f"Stop it with: trace-graph db stop (or end process {pid}), then try again.")

    def _spawn(self) -> tuple[ServerState, subprocess.Popen[bytes]]:
        password = self._password(ROOT_PASSWORD_FILE)
        bolt_port, http_port = _free_ports(2)
        self._write_private(LOG_FILE, "")
        with (self.folder / LOG_FILE).open("wb") as log:
            process = subprocess.Popen(
                java_command(self.folder, bolt_port=bolt_port, http_port=http_port, heap_mb=self._heap_mb),
                cwd=self.folder, env=_few_variables(), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, umask=0o077 if os.name == "posix" else -1)
        state = ServerState(process.pid, bolt_port, http_port, password)
        self._write_private(STARTING_FILE, json.dumps(asdict(state)))
        self._write_private(PID_FILE, str(process.pid))
        return state, process

    def _wait_until_ready(self, state: ServerState, lives: Callable[[], bool], deadline: float) -> bool:
        while time.monotonic() < deadline and lives():
            if arcadedb_http.answers(state.http) and _listens(state.bolt_port):
                return True
            time.sleep(0.05)
        return False

    def _stop(self) -> bool:
        with self._lock():
            state = self._running()
            pid = state.pid if state else self._known_pid()
            if pid is None or not self._is_ours(pid):
                if state is not None:
                    raise EngineUnavailable(
                        f"The engine of {self.folder} answers, but its process {pid} cannot be seen from here.",
                        fix="Stop it where it was started.")
                self._forget()
                return False
            os.kill(pid, signal.SIGTERM)
            self._wait_until_gone(pid)
            self._forget()
            return True

    def _wait_until_gone(self, pid: int) -> None:
        deadline = time.monotonic() + self._start_seconds
        while self._is_ours(pid):
            if time.monotonic() > deadline:
                raise EngineUnavailable(f"The engine (process {pid}) did not stop.", fix=f"End process {pid}.")
            time.sleep(0.05)

    def _known_pid(self) -> int | None:
        try:
            return int((self.folder / PID_FILE).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def _forget(self) -> None:
        for name in (STATE_FILE, STARTING_FILE, PID_FILE):
            (self.folder / name).unlink(missing_ok=True)

    def _is_ours(self, pid: int) -> bool:
        """Whether this process is the server of this folder; a pid may have been given to another program since."""
        # With what follows it, so that the server of a folder whose name only begins so is not taken for it.
        return f"-Darcadedb.server.rootPath={self.folder} -Darcadedb." in _command_line(pid)

    def _password(self, name: str) -> str:
        path = self.folder / name
        if path.exists():
            return path.read_text(encoding="ascii").strip()
        password = secrets.token_urlsafe(32)
        self._write_private(name, password)
        return password

    def _write_private(self, name: str, text: str) -> None:
        temporary = self.folder / f".{name}.{secrets.token_hex(4)}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.replace(self.folder / name)

    def _log_tail(self) -> str:
        try:
            return (self.folder / LOG_FILE).read_bytes()[-4000:].decode("utf-8", "replace")
        except OSError:
            return ""

    def _log_reason(self) -> str:
        lines = [line.strip() for line in self._log_tail().splitlines() if line.strip()]
        telling = [line for line in lines if "Exception" in line or "SEVER" in line or "Error" in line]
        return (telling or lines or ["it said nothing"])[-1][:300]


def _few_variables() -> dict[str, str]:
    """The environment of the engine: it outlives us, and our keys and passwords are none of its business."""
    wanted = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT", "TEMP")
    return {name: os.environ[name] for name in wanted if name in os.environ}


def _runs(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is None


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _command_line(pid: int) -> str:
    """The command line of a process, or nothing when there is no such process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        if Path("/proc/self/cmdline").exists():
            return ""
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout
