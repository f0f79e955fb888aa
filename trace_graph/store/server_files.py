"""What the data folder notes about its engine: how to reach it, which process it is, its passwords, what it said.

Only the owner can read any of it (mode 0600).
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from trace_graph.errors import EngineUnavailable
from trace_graph.store import arcadedb_http

DATABASE = "trace_graph"
USER = "root"
READER = "reader"
"""The user that may only read, and the name of its group."""
STATE_FILE = "server.json"
STARTING_FILE = "server.starting.json"
"""What will be the state file once the server is ready: whoever starts it may be killed while it waits."""
PID_FILE = "server.pid"
LOG_FILE = "server.log"
ROOT_PASSWORD_FILE = "root.password"
READER_PASSWORD_FILE = "reader.password"
USERS_FILE = Path("config") / "server-users.jsonl"
"""The engine's own: its users with the hashes of their passwords. Without it, it makes root anew at its next start."""
LOG_TAIL = 16_000
"""Bytes from the end of the log in which a reason is looked for; a stack trace of a failed start has 3,000."""


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


class ServerFiles:
    """The notes in one data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def state(self, name: str) -> ServerState | None:
        """What a file says about a server, whether or not it is true."""
        try:
            values = json.loads((self.folder / name).read_text(encoding="utf-8"))
            return ServerState(
                pid=int(values["pid"]), bolt_port=int(values["bolt_port"]), http_port=int(values["http_port"]),
                password=str(values["password"]), reader_password=str(values.get("reader_password", "")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def note_starting(self, state: ServerState) -> None:
        """Note a server that is not ready yet."""
        self.write(STARTING_FILE, json.dumps(asdict(state)))
        self.write(PID_FILE, str(state.pid))

    def note_ready(self, state: ServerState) -> None:
        """Note a server for all who look for it."""
        self.write(STATE_FILE, json.dumps(asdict(state)))
        (self.folder / STARTING_FILE).unlink(missing_ok=True)

    def pid(self) -> int | None:
        """The process that was started last; it may be gone, and its number another's."""
        try:
            return int((self.folder / PID_FILE).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def forget(self) -> None:
        """Remove what was noted of a server that is gone."""
        for name in (STATE_FILE, STARTING_FILE, PID_FILE):
            (self.folder / name).unlink(missing_ok=True)

    def password(self, name: str) -> str:
        """The password of this file, made where there is none."""
        path = self.folder / name
        if path.exists():
            return path.read_text(encoding="ascii").strip()
        password = secrets.token_urlsafe(32)
        self.write(name, password)
        return password

    def write(self, name: str, text: str) -> None:
        """Write a file whole or not at all, for the owner's eyes only."""
        temporary = self.folder / f".{name}.{secrets.token_hex(4)}"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.replace(self.folder / name)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def log_tail(self) -> str:
        """The end of what the server of the last start said."""
        try:
            return (self.folder / LOG_FILE).read_bytes()[-LOG_TAIL:].decode("utf-8", "replace")
        except OSError:
            return ""

    def log_reason(self) -> str:
        """The one line of the log that tells most likely why the server broke off."""
        lines = [line.strip() for line in self.log_tail().splitlines() if line.strip()]
        for word in ("Caused by:", " SEVER ", "SEVERE", "Exception", "Error"):
            telling = [line for line in lines if word in line]
            if telling:
                return telling[-1][:300]
        return (lines or ["it said nothing"])[-1][:300]


@contextmanager
def used(folder: Path) -> Iterator[None]:
    """Say in one sentence that a data folder cannot be used: read-only, full, not ours. Only file operations go in."""
    try:
        yield
    except OSError as error:
        raise EngineUnavailable(
            f"The data folder {folder} cannot be used: {error.strerror or error}.",
            fix="Give a folder that can be written and has room: TRACE_GRAPH_URI=local:/path.") from error
