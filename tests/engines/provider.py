"""Where a wanted release of Neo4j comes from: a given server, a container, or the jars from Maven."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from tests.engines.neo4j_jars import MAVEN_HINT, jars_are_complete
from tests.engines.releases import RELEASES, Release
from trace_graph.errors import ConfigError, EngineUnavailable

PREFIX = "TRACE_GRAPH_TEST_NEO4J_"
DOCKER_ANSWER_SECONDS = 10.0


@dataclass(frozen=True)
class GivenServer:
    """A running Neo4j that the environment names; tests write into it."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None
    version: str
    """As the server itself reports it."""


@dataclass(frozen=True)
class Container:
    """A container of this image, by testcontainers."""

    image: str


@dataclass(frozen=True)
class Maven:
    """A process of ours, from the jars of this version."""

    version: str


@dataclass(frozen=True)
class Missing:
    """The release cannot be had here."""

    reason: str
    fix: str


Provider = GivenServer | Container | Maven | Missing


@dataclass(frozen=True)
class Surroundings:
    """What the choice depends on."""

    given: GivenServer | None
    docker_answers: bool
    testcontainers_installed: bool
    versions_downloaded: frozenset[str]
    maven_obtainable: bool
    """mvn is on the path, or apt can bring it."""


def choose_provider(release: Release, surroundings: Surroundings) -> Provider:
    """The first of: the given server where it is of this family, a container, Maven.

    A given server of a family that no test wants is never passed over in silence.
    """
    given = surroundings.given
    if given is not None:
        if release.covers(given.version):
            return given
        if not any(wanted.covers(given.version) for wanted in RELEASES.values()):
            return Missing(
                f"{PREFIX}URI is a Neo4j {given.version}, and the tests know {', '.join(sorted(RELEASES))}.",
                f"Name another server in {PREFIX}URI, or unset it.",
            )
    if surroundings.docker_answers and surroundings.testcontainers_installed:
        return Container(f"neo4j:{release.version}")
    if release.version in surroundings.versions_downloaded or surroundings.maven_obtainable:
        return Maven(release.version)
    return Missing(
        f"Neo4j {release.version} is not here: no {PREFIX}URI, no Docker daemon with testcontainers, no Maven.",
        f"{MAVEN_HINT} Or set {PREFIX}URI and {PREFIX}PASSWORD. Or skip these tests with --no-neo4j.",
    )


def look_around(environment: Mapping[str, str], cache: Path) -> Surroundings:
    """Ask this machine what `choose_provider` wants to know.

    Raises: ConfigError, EngineUnavailable for a given server that cannot be used.
    """
    testcontainers = importlib.util.find_spec("testcontainers") is not None
    return Surroundings(
        given=given_server(environment),
        docker_answers=testcontainers and docker_answers(),
        testcontainers_installed=testcontainers,
        versions_downloaded=frozenset(
            release.version for release in RELEASES.values() if jars_are_complete(cache, release.version)
        ),
        maven_obtainable=shutil.which("mvn") is not None or can_install_by_apt(),
    )


def given_server(environment: Mapping[str, str]) -> GivenServer | None:
    """The server named by TRACE_GRAPH_TEST_NEO4J_URI (with _USERNAME, _PASSWORD, _DATABASE), asked for its version.

    Raises: ConfigError without a password, EngineUnavailable when it does not answer.
    """
    uri = environment.get(f"{PREFIX}URI")
    if not uri:
        return None
    password = environment.get(f"{PREFIX}PASSWORD")
    if not password:
        raise ConfigError(f"{PREFIX}URI is set without a password.", fix=f"Set {PREFIX}PASSWORD as well.")
    user = environment.get(f"{PREFIX}USERNAME") or "neo4j"
    database = environment.get(f"{PREFIX}DATABASE") or None
    try:
        with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
            rows, _, _ = driver.execute_query(
                "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0] AS version",
                database_=database,
            )
    except (DriverError, Neo4jError) as error:
        raise EngineUnavailable(
            f"The server of {PREFIX}URI does not answer: {error}",
            fix=f"Start it and check its password, or unset {PREFIX}URI.",
        ) from error
    return GivenServer(uri, user, password, database, version=rows[0]["version"])


def docker_answers() -> bool:
    """Whether a Docker daemon replies to the client on the path."""
    if shutil.which("docker") is None:
        return False
    try:
        asked = subprocess.run(
            ["docker", "version", "--format", "{{.Server.Version}}"],
            capture_output=True,
            check=False,
            timeout=DOCKER_ANSWER_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


def can_install_by_apt() -> bool:
    """Whether this process is root on a system with apt."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0
