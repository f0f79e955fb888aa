"""Opening a memory: the connection, its schema and its embedder, each when it is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from trace_graph.config import Settings
from trace_graph.embed.protocol import Embedder
from trace_graph.errors import NotFound
from trace_graph.memory.embedding import CheckedEmbedder
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer
from trace_graph.store.schema import ensure_schema, schema_version
from trace_graph.store.under_way import closed


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
        self._closed = False
        self._lock = asyncio.Lock()

    async def for_reading(self) -> Opened:
        """The memory as it is. Raises: NotFound where there is none, EngineUnavailable, SchemaTooNew."""
        async with self._lock:
            self._refuse_closed()
            if self._opened is None:
                if self._settings.engine == "local" and not LocalServer(self._settings.data_folder).exists():
                    raise self._nothing_here()
                self._opened = await self._connect(self._expect_schema)
            return self._opened

    async def for_writing(self) -> Opened:
        """The memory, created where there is none. Raises: EngineUnavailable, SchemaTooNew."""
        async with self._lock:
            self._refuse_closed()
            if self._opened is None:
                self._opened = await self._connect(ensure_schema)
            elif not self._writable:
                await ensure_schema(self._opened.store)
            self._writable = True
            return self._opened

    async def close(self) -> None:
        """Close what was opened; nothing can be opened afterwards."""
        async with self._lock:
            opened, self._opened, self._closed = self._opened, None, True
            if opened is not None:
                try:
                    await opened.embedder.close()
                finally:
                    await opened.store.close()

    async def _connect(self, prepare: Callable[[Store], Awaitable[None]]) -> Opened:
        """A connection whose schema has been seen to; closed again when anything fails on the way."""
        store = await Store.connect(self._settings)
        try:
            await prepare(store)
            return Opened(store, CheckedEmbedder(store, self._settings, self._embedder))
        except BaseException:
            await store.close()
            raise

    async def _expect_schema(self, store: Store) -> None:
        if await schema_version(store) == 0:
            raise self._nothing_here()
        await ensure_schema(store)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise closed()

    def _nothing_here(self) -> NotFound:
        return NotFound(
            f"There is no memory at {self._settings.target} yet.",
            fix="Put something in: trace-graph add TEXT --space S, or trace-graph import FILE --space S.")
