"""Engines that can be killed, and run again with what they had stored."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from tests.engines.neo4j_server import free_port
from tests.engines.own_neo4j import own_neo4j
from tests.engines.releases import EngineAddress
from trace_graph.config import Settings
from trace_graph.store.local_server import LocalServer

DEADLINE_SECONDS = 120.0
"""Of an operation: Neo4j needs 15 s to start, and more on a busy machine."""
HEAP_MB = 512


class KilledEngine(Protocol):
    """One engine, and how it is reached."""

    settings: Settings

    async def kill(self) -> None:
        """End it with SIGKILL."""

    async def revive(self) -> None:
        """Have it run again, where whoever uses it does not see to that itself."""


def environment(settings: Settings) -> dict[str, str]:
    """The variables that lead a process to this database."""
    values = {
        "TRACE_GRAPH_URI": settings.uri, "TRACE_GRAPH_USERNAME": settings.username,
        "TRACE_GRAPH_PASSWORD": settings.password.get_secret_value() if settings.password else "",
        "TRACE_GRAPH_DATABASE": settings.database or "", "TRACE_GRAPH_HEAP_MB": str(settings.heap_mb),
        "TRACE_GRAPH_DEADLINE_SECONDS": str(settings.deadline_seconds),
    }
    others = {name: value for name, value in os.environ.items() if not name.startswith(("TRACE_GRAPH_", "NEO4J_"))}
    return others | values


class Embedded:
    """The embedded engine of a folder: whoever uses it starts it again."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(uri=f"local:{folder}", heap_mb=HEAP_MB)
        self._server = LocalServer(folder, heap_mb=HEAP_MB)

    async def kill(self) -> None:
        """End it with SIGKILL, and wait until it is gone."""
        state = await self._server.status()
        if state is not None:
            os.kill(state.pid, signal.SIGKILL)

    async def revive(self) -> None:
        """Nothing to do."""

    async def stop(self) -> None:
        """Stop it in order."""
        await self._server.stop()


class OwnNeo4j:
    """A Neo4j in a folder of its own, always on the same port."""

    def __init__(self, kind: str, home: Path) -> None:
        self._server = own_neo4j(kind, home, port=free_port())
        self.settings = settings_of(self._server.start())

    async def kill(self) -> None:
        """End it with SIGKILL."""
        await asyncio.to_thread(self._server.kill)

    async def revive(self) -> None:
        """Start it again."""
        await asyncio.to_thread(self._server.start)

    async def stop(self) -> None:
        """Stop it for good."""
        await asyncio.to_thread(self._server.stop, 1.0)


class Lent:
    """A server that others use as well: it cannot be killed."""

    def __init__(self, address: EngineAddress) -> None:
        self.settings = settings_of(address)

    async def kill(self) -> None:
        """Not ours to do."""
        raise NotImplementedError("this server is lent")

    async def revive(self) -> None:
        """Nothing to do."""


def settings_of(address: EngineAddress) -> Settings:
    """The settings that lead to a server."""
    return Settings(
        uri=address.uri, username=address.user, password=SecretStr(address.password), database=address.database,
        deadline_seconds=DEADLINE_SECONDS)


@asynccontextmanager
async def own_engine(kind: str, environ: Mapping[str, str] = os.environ) -> AsyncIterator[KilledEngine]:
    """An engine of this kind in a temporary folder, gone at the end."""
    with tempfile.TemporaryDirectory(
            prefix="trace-graph-kills-", dir=environ.get("TMPDIR"), ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        engine = Embedded(home) if kind == "arcadedb" else await asyncio.to_thread(OwnNeo4j, kind, home)
        try:
            yield engine
        finally:
            await engine.stop()
