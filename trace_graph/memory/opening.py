"""Opening a memory: the connection, its schema and its embedder, each when it is first needed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from trace_graph.config import Settings
from trace_graph.embed.protocol import Embedder
from trace_graph.errors import NotFound, SchemaTooNew
from trace_graph.memory.embedding import CheckedEmbedder
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer
from trace_graph.store.schema import LATEST, ensure_schema, schema_version


@dataclass(frozen=True)
class Opened:
    """A connected memory."""

    store: Store
    embedder: CheckedEmbedder


class Opening:
    """Opens one memory once; reading never creates anything."""

    def __init__(self, settings: Settings, embedder: Embedder | None) -> None:
        self._settings = settings
        self._embedder = embedder
        self._opened: Opened | None = None
        self._writable = False
        self._lock = asyncio.Lock()

    async def for_reading(self) -> Opened:
        """The memory as it is. Raises: NotFound where there is none, EngineUnavailable, SchemaTooNew."""
        async with self._lock:
            return self._opened or await self._open_existing()

    async def for_writing(self) -> Opened:
        """The memory, created where there is none. Raises: EngineUnavailable, SchemaTooNew."""
        async with self._lock:
            if self._opened is None:
                self._opened = await self._connect()
            if not self._writable:
                await ensure_schema(self._opened.store)
                self._writable = True
            return self._opened

    async def close(self) -> None:
        """Close what was opened."""
        async with self._lock:
            if self._opened is not None:
                await self._opened.embedder.close()
                await self._opened.store.close()
                self._opened = None

    async def _open_existing(self) -> Opened:
        if self._settings.engine == "local" and not LocalServer(self._settings.data_folder).exists():
            raise self._nothing_here()
        opened = await self._connect()
        version = await schema_version(opened.store)
        if version == 0 or version > LATEST:
            await opened.store.close()
            if version == 0:
                raise self._nothing_here()
            raise SchemaTooNew(f"This database has schema {version}; this trace-graph knows up to {LATEST}.")
        if version < LATEST:
            await ensure_schema(opened.store)
        self._opened = opened
        return opened

    async def _connect(self) -> Opened:
        store = await Store.connect(self._settings)
        return Opened(store, CheckedEmbedder(store, self._settings, self._embedder))

    def _nothing_here(self) -> NotFound:
        return NotFound(
            f"There is no memory at {self._settings.target} yet.",
            fix="Put something in: trace-graph add TEXT --space S, or trace-graph import FILE --space S.")
