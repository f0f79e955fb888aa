"""One Neo4j in a container, by testcontainers; gone with its data afterwards."""

from __future__ import annotations

import importlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from tests.engines.readiness import wait_until_ready
from tests.engines.releases import EngineAddress, Release

BOLT = 7687


@contextmanager
def running_container(release: Release, image: str) -> Iterator[EngineAddress]:
    """A server in a container of this image.

    testcontainers has a Neo4jContainer of its own; it takes a log line for readiness, so it is not used.
    """
    password = secrets.token_hex(16)
    plain = importlib.import_module("testcontainers.core.container").DockerContainer
    container = plain(image).with_env("NEO4J_AUTH", f"neo4j/{password}").with_exposed_ports(BOLT)
    with container:
        uri = f"bolt://{container.get_container_host_ip()}:{container.get_exposed_port(BOLT)}"
        wait_until_ready(uri, password, lambda: container.get_wrapped_container().status == "exited")
        yield EngineAddress(release.kind, uri, "neo4j", password)
