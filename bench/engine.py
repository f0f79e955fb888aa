"""The engine that is measured: the one of a URI, or an embedded one of our own."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trace_graph.config import Settings, load_settings
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer


@asynccontextmanager
async def engine_of(uri: str | None) -> AsyncIterator[Settings]:
    """Settings for the URI; without one, for an empty folder whose engine is stopped, and which is removed, at the end.

    `TRACE_GRAPH_URI` is not read: a measurement must not land in somebody's memory.
    """
    if uri is not None:
        yield load_settings(uri=uri)
        return
    with tempfile.TemporaryDirectory(prefix="trace-graph-bench-") as folder:
        settings = load_settings(uri=f"local:{folder}")
        try:
            yield settings
        finally:
            await local_server(settings).stop()


def local_server(settings: Settings) -> LocalServer:
    """The embedded engine of these settings."""
    return LocalServer(settings.data_folder, heap_mb=settings.heap_mb, start_seconds=settings.start_seconds)


async def engine_title(settings: Settings) -> str:
    """The engine behind the settings, with its version; connects to it, which starts an embedded one."""
    store = await Store.connect(settings)
    await store.close()
    return store.engine.title
