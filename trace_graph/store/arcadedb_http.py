"""ArcadeDB's HTTP door, used for what its Bolt door cannot do: databases, users, full-text and vector indexes."""

from __future__ import annotations

import base64
import http.client
import json
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from trace_graph.errors import EngineUnavailable, StoreFailed


@dataclass(frozen=True)
class Endpoint:
    """Where the server listens, on loopback, and who we are there."""

    port: int
    user: str
    password: str

    def __repr__(self) -> str:
        return f"Endpoint(port={self.port}, user={self.user!r})"


Greeting = Literal["welcome", "refused", "silent"]
"""What comes of a first question: a server that knows our password, one that does not, none that answers."""


def greet(endpoint: Endpoint) -> Greeting:
    """Ask whether a server is there, and whether it knows our password."""
    try:
        status, _ = _request(endpoint, "GET", "/api/v1/databases", None, seconds=5)
    except OSError:
        return "silent"
    if status in (401, 403):
        return "refused"
    return "welcome" if status == 200 else "silent"


def answers(endpoint: Endpoint) -> bool:
    """Whether a server is there that knows our password."""
    return greet(endpoint) == "welcome"


def database_exists(endpoint: Endpoint, name: str) -> bool:
    """Whether the server has this database."""
    return name in _result(endpoint, "GET", "/api/v1/databases", None)


def create_database(endpoint: Endpoint, name: str) -> None:
    """Create an empty database."""
    server_command(endpoint, f"create database {name}")


def save_reading_group(endpoint: Endpoint, database: str, name: str) -> None:
    """Create or replace a group whose users may read the records of one database, and do nothing else."""
    # A resultSetLimit would cut results without a word, so there is none (-1).
    _result(endpoint, "POST", "/api/v1/server/groups", {
        "database": database, "name": name, "resultSetLimit": -1, "readTimeout": -1, "access": [],
        "types": {"*": {"access": ["readRecord"]}}})


def save_user(endpoint: Endpoint, name: str, password: str, databases: dict[str, list[str]]) -> None:
    """Create a user, or give the one of that name this password and these groups by database."""
    values = {"password": password, "databases": databases}
    if name in {user["name"] for user in _result(endpoint, "GET", "/api/v1/server/users", None)}:
        _result(endpoint, "PUT", f"/api/v1/server/users?name={quote(name)}", values)
    else:
        _result(endpoint, "POST", "/api/v1/server/users", {"name": name, **values})


def server_command(endpoint: Endpoint, command: str) -> Any:
    """Run a command of the server itself. Raises: StoreFailed."""
    return _result(endpoint, "POST", "/api/v1/server", {"command": command})


def sql(endpoint: Endpoint, database: str, statement: str) -> Any:
    """Run one SQL statement; returns its rows. Raises: StoreFailed, EngineUnavailable."""
    return _result(endpoint, "POST", f"/api/v1/command/{database}", {"language": "sql", "command": statement})


def _result(endpoint: Endpoint, method: str, path: str, body: dict[str, Any] | None) -> Any:
    try:
        status, answer = _request(endpoint, method, path, body, seconds=600)
    except OSError as error:
        raise EngineUnavailable(f"The embedded engine does not answer on port {endpoint.port}: {error}.") from error
    if status not in (200, 201):
        detail = answer.get("detail") or answer.get("error") or f"HTTP {status}"
        raise StoreFailed(f"The embedded engine refused a command: {detail}")
    return answer.get("result")


def _request(
    endpoint: Endpoint, method: str, path: str, body: dict[str, Any] | None, *, seconds: float
) -> tuple[int, dict[str, Any]]:
    token = base64.b64encode(f"{endpoint.user}:{endpoint.password}".encode()).decode("ascii")
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=seconds)
    try:
        connection.request(
            method, path, body=None if body is None else json.dumps(body),
            headers={"Authorization": f"Basic {token}", "Content-Type": "application/json"})
        response = connection.getresponse()
        payload = response.read()
    except http.client.HTTPException as error:
        raise ConnectionError(str(error)) from error
    finally:
        connection.close()
    try:
        parsed = json.loads(payload) if payload else {}
    except ValueError:
        parsed = {}
    return response.status, parsed if isinstance(parsed, dict) else {"result": parsed}
