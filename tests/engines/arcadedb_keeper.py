"""Starts the embedded engine, tells its address as JSON, and stops it when standard input ends.

The engine outlives, by design, the process that started it. Standard input ends when the tests are done and also when
they are killed, so nothing is left behind.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.engines.releases import EngineAddress
from trace_graph.errors import TraceGraphError
from trace_graph.store.local_server import LocalServer

HEAP_MB = 1024


def keep_running() -> None:
    """Start an engine in a temporary folder and hold it until standard input ends."""
    with tempfile.TemporaryDirectory(prefix="arcadedb-") as folder:
        server = LocalServer(Path(folder), heap_mb=HEAP_MB)
        try:
            print(json.dumps(asdict(asyncio.run(start(server)))), flush=True)
            sys.stdin.read()
        finally:
            asyncio.run(server.stop())


async def start(server: LocalServer) -> EngineAddress:
    """The address of this engine, which runs from now on."""
    state = await server.ensure()
    http_url = f"http://127.0.0.1:{state.http_port}"
    return EngineAddress("arcadedb", state.bolt_uri, state.user, state.password, state.database, http_url)


if __name__ == "__main__":
    try:
        keep_running()
    except TraceGraphError as error:
        sys.exit(f"{error.message}\n{error.fix}")
