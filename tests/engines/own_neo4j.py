"""A Neo4j release from our own jars, in a home folder of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.engines.neo4j_jars import cache_folder, provide_jars
from tests.engines.neo4j_server import Neo4jServer
from tests.engines.releases import RELEASES


def own_neo4j(kind: str, home: Path, **options: Any) -> Neo4jServer:
    """The server, not started yet; `options` are those of `Neo4jServer`.

    Raises: EngineUnavailable when the jars cannot be had.
    """
    release = RELEASES[kind]
    return Neo4jServer(release, provide_jars(cache_folder(), release.version), home, **options)
