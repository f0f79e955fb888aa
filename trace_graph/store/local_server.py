"""The embedded engine: one ArcadeDB server a data folder, started when it is needed, shared by all processes.

The server is a child in a session of its own, so it outlives whoever started it. It listens on loopback only. The state
file in the data folder (mode 0600) says how to reach it; it is trusted only when a server answers there with its
password.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from trace_graph.errors import EngineUnavailable, StoreFailed
from trace_graph.store import arcadedb_http
from trace_graph.store.local_command import java_command
from trace_graph.store.processes import command_line, few_variables, free_ports, listens
from trace_graph.store.server_files import (
    DATABASE,
    LOG_FILE,
    READER,
    READER_PASSWORD_FILE,
    ROOT_PASSWORD_FILE,
    STARTING_FILE,
    STATE_FILE,
    USERS_FILE,
    ServerFiles,
    ServerState,
    used,
)

PORT_TAKEN = ("unable to listen", "in use")
"""What the engine's log says where another program took a port before it; it does not end of itself then."""
LEAST_ROOM = 4 * 1024 * 1024
"""Bytes free below which a failed write is laid to the disk. Guess: the engine's files grow by 64 to 256 KiB."""
BROKEN_OFF = 'Exception in thread "main"'
"""What it says where it did not come up; threads of it keep the process alive all the same."""


class LocalServer:
    """The embedded engine of one data folder."""

    def __init__(self, folder: Path, *, heap_mb: int = 2048, start_seconds: float = 60.0) -> None:
        # One name for one folder: by it a server is known to be ours.
        self.folder = folder.resolve()
        self._files = ServerFiles(self.folder)
        self._heap_mb = heap_mb
        self._start_seconds = start_seconds

    def exists(self) -> bool:
        """Whether this folder holds a database; looking creates nothing."""
        return (self.folder / "databases" / DATABASE).is_dir()

    def refuse_full_disk(self, error: BaseException) -> None:
        """Raise what says so where the disk is full: the engine's own words for it lead astray.

        Raises: StoreFailed.
        """
        with suppress(OSError):
            if shutil.disk_usage(self.folder).free >= LEAST_ROOM:
                return
            raise StoreFailed(
                f"The disk with the data folder {self.folder} is full.",
                fix="Make room, then restart the engine: trace-graph db stop. What was acknowledged is there again at "
                    "its next start.") from error

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

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Nobody else starts or stops the server of this folder meanwhile."""
        lock = FileLock(self.folder / "server.lock", timeout=self._start_seconds)
        try:
            with used(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                lock.acquire()
        except EngineUnavailable as error:
            if isinstance(error.__cause__, Timeout):
                raise EngineUnavailable(
                    f"Another process has been starting or stopping the engine in {self.folder} for "
                    f"{self._start_seconds:g} s.") from error.__cause__
            raise
        try:
            yield
        finally:
            lock.release()

    def _running(self) -> ServerState | None:
        """The server of the state file, if it answers with its password; a stale file or a reused pid does not.

        The process is looked at first: nobody else who listens on that port shall be told the password.
        """
        state = self._files.state(STATE_FILE)
        return state if state is not None and self._is_ours(state.pid) and arcadedb_http.answers(state.http) else None

    def _start(self) -> ServerState:
        deadline = time.monotonic() + self._start_seconds
        while True:
            state, process = self._spawn()
            try:
                if self._wait_until_ready(state, partial(_runs, process), deadline):
                    ready = self._ready(state)
                    _let_live(process)
                    return ready
                said, reason = self._files.log_tail().lower(), self._files.log_reason()
            except BaseException:
                _end(process)
                raise
            _end(process)
            if time.monotonic() > deadline or not any(words in said for words in PORT_TAKEN):
                raise EngineUnavailable(
                    f"The embedded engine did not start: {reason}", fix=f"Read {self.folder / LOG_FILE}.")

    def _ready(self, state: ServerState) -> ServerState:
        if not arcadedb_http.database_exists(state.http, DATABASE):
            arcadedb_http.create_database(state.http, DATABASE)
        with used(self.folder):
            ready = replace(state, reader_password=self._files.password(READER_PASSWORD_FILE))
        arcadedb_http.save_reading_group(state.http, DATABASE, READER)
        arcadedb_http.save_user(state.http, READER, ready.reader_password, {DATABASE: [READER]})
        with used(self.folder):
            self._files.note_ready(ready)
        return ready

    def _half_started(self) -> ServerState | None:
        """The server of this folder whose starter was killed before it was ready; None where none is there.

        A server that holds the files and does not come to answer is named instead of fought.
        """
        pid = self._files.pid()
        if pid is None or not self._is_ours(pid):
            return None
        state = self._files.state(STARTING_FILE) or self._files.state(STATE_FILE)
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
        bolt_port, http_port = free_ports(2)
        command = java_command(self.folder, bolt_port=bolt_port, http_port=http_port, heap_mb=self._heap_mb)
        with used(self.folder):
            password = self._files.password(ROOT_PASSWORD_FILE)
            self._files.write(LOG_FILE, "")
            log = (self.folder / LOG_FILE).open("wb")
        with log:
            try:
                process = subprocess.Popen(
                    command, cwd=self.folder, env=few_variables(), stdin=subprocess.DEVNULL, stdout=log,
                    stderr=subprocess.STDOUT, start_new_session=True, umask=0o077 if os.name == "posix" else -1)
            except OSError as error:
                raise EngineUnavailable(
                    f"The Java of the embedded engine cannot be run: {error.strerror or error}.",
                    fix="Reinstall it: pip install --force-reinstall arcadedb-embedded.") from error
        state = ServerState(process.pid, bolt_port, http_port, password)
        try:
            with used(self.folder):
                self._files.note_starting(state)
        except BaseException:
            _end(process)
            raise
        return state, process

    def _wait_until_ready(self, state: ServerState, lives: Callable[[], bool], deadline: float) -> bool:
        while time.monotonic() < deadline and lives():
            greeting = arcadedb_http.greet(state.http)
            if greeting == "refused":
                raise self._other_password()
            if greeting == "welcome" and listens(state.bolt_port):
                return True
            if BROKEN_OFF in self._files.log_tail():
                return False
            time.sleep(0.05)
        return False

    def _other_password(self) -> EngineUnavailable:
        return EngineUnavailable(
            f"The engine of {self.folder} has another password than the one that is noted there.",
            fix=f"Put the old {ROOT_PASSWORD_FILE} back. Where it is lost: trace-graph db stop, remove "
                f"{self.folder / USERS_FILE}, and try again; the memory stays as it is.")

    def _stop(self) -> bool:
        with self._lock():
            state = self._running()
            pid = state.pid if state else self._files.pid()
            if pid is None or not self._is_ours(pid):
                if state is not None:
                    raise EngineUnavailable(
                        f"The engine of {self.folder} answers, but its process {pid} cannot be seen from here.",
                        fix="Stop it where it was started.")
                self._forget()
                return False
            try:
                os.kill(pid, signal.SIGTERM)
            except PermissionError as error:
                raise EngineUnavailable(
                    f"The engine of {self.folder} (process {pid}) belongs to another user.",
                    fix="Stop it as the user who started it.") from error
            except ProcessLookupError:
                pass
            self._wait_until_gone(pid)
            self._forget()
            return True

    def _wait_until_gone(self, pid: int) -> None:
        deadline = time.monotonic() + self._start_seconds
        while self._is_ours(pid):
            if time.monotonic() > deadline:
                raise EngineUnavailable(f"The engine (process {pid}) did not stop.", fix=f"End process {pid}.")
            time.sleep(0.05)

    def _forget(self) -> None:
        with used(self.folder):
            self._files.forget()

    def _is_ours(self, pid: int) -> bool:
        """Whether this process is the server of this folder; a pid may have been given to another program since."""
        # With what follows it, so that the server of a folder whose name only begins so is not taken for it.
        return f"-Darcadedb.server.rootPath={self.folder} -Darcadedb." in command_line(pid)


def _runs(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server that did not come up; nothing is stored in it yet."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _let_live(process: subprocess.Popen[bytes]) -> None:
    """Let a server outlive us, and leave no zombie where we outlive it."""
    # To Popen a child that nobody waits for is a mistake it warns of.
    process.returncode = 0
    threading.Thread(target=_reap, args=(process.pid,), name=f"trace-graph-engine-{process.pid}", daemon=True).start()


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
