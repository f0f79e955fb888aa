"""One ArcadeDB for tests: the project's own embedded engine in a temporary folder.

The engine outlives, by design, the process that started it. So a keeper starts and stops it: a process that waits
for the end of its standard input, which comes when the tests are done and also when they are killed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from tests.engines.neo4j_jars import REPOSITORY
from tests.engines.releases import EngineAddress
from trace_graph.errors import EngineUnavailable, TraceGraphError
from trace_graph.store.local_server import LocalServer

HEAP_MB = 1024


@contextmanager
def running_arcadedb() -> Iterator[EngineAddress]:
    """The embedded engine in a folder of its own, gone with its data afterwards.

    Raises: EngineUnavailable when it does not start; the keeper has said why on standard error.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engines.arcadedb_server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,  # Ctrl-C is for the tests: the keeper stops the engine when they are done
    ) as keeper:
        assert keeper.stdout is not None
        told = keeper.stdout.readline()
        if not told:
            raise EngineUnavailable("ArcadeDB did not start.", fix="Read what its keeper said above.")
        yield EngineAddress(**json.loads(told))


def keep_running() -> None:
    """Start an engine, tell its address on standard output, and stop it when standard input ends."""
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
