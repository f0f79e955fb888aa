"""One ArcadeDB for tests: the project's own embedded engine in a temporary folder, held by a keeper."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.engines.neo4j_jars import REPOSITORY
from tests.engines.releases import EngineAddress
from trace_graph.errors import EngineUnavailable


@contextmanager
def running_arcadedb() -> Iterator[EngineAddress]:
    """The embedded engine in a folder of its own, gone with its data afterwards.

    Raises: EngineUnavailable when it does not start; the keeper has said why on standard error.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engines.arcadedb_keeper"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        start_new_session=True,  # Ctrl-C is for the tests: the keeper stops the engine when they are done
    ) as keeper:
        assert keeper.stdout is not None
        told = keeper.stdout.readline()
        if not told:
            raise EngineUnavailable("ArcadeDB did not start.", fix="Read what its keeper said on standard error.")
        yield EngineAddress(**json.loads(told))
