"""The engine that is measured: an embedded one of the run's own, or the one of a URI."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from trace_graph.config import Settings, load_settings
from trace_graph.store.connection import Store
from trace_graph.store.local_server import LocalServer


@asynccontextmanager
async def engine_in(folder: Path) -> AsyncIterator[Settings]:
    """Settings for an embedded engine in the folder, which is stopped at the end; its files stay.

    `TRACE_GRAPH_URI` is not read: a measurement must not land in somebody's memory.
    """
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
