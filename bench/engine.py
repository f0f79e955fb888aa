"""The engine that is measured: the one of a URI, or an embedded one of our own."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from trace_graph.bench.engine import engine_in
from trace_graph.config import Settings, load_settings


@asynccontextmanager
async def engine_of(uri: str | None) -> AsyncIterator[Settings]:
    """Settings for the URI; without one, for an empty folder whose engine is stopped, and which is removed, at the end.

    `TRACE_GRAPH_URI` is not read: a measurement must not land in somebody's memory.
    """
    if uri is not None:
        yield load_settings(uri=uri)
        return
    with tempfile.TemporaryDirectory(prefix="trace-graph-bench-") as folder:
        async with engine_in(Path(folder)) as settings:
            yield settings
