"""The engines of one test session: each started when a test first wants it, all stopped at the end."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack
from typing import assert_never

from tests.engines.arcadedb_server import running_arcadedb
from tests.engines.neo4j_container import running_container
from tests.engines.neo4j_jars import cache_folder, provide_jars
from tests.engines.neo4j_server import running_neo4j
from tests.engines.provider import (
    Container,
    GivenServer,
    Maven,
    Missing,
    Surroundings,
    choose_provider,
    look_around,
)
from tests.engines.releases import RELEASES, EngineAddress, Release
from trace_graph.errors import EngineUnavailable

ENGINE_KINDS = ("arcadedb", *RELEASES)


class RunningEngines(AbstractContextManager["RunningEngines"]):
    """Starts an engine the first time it is asked for; leaving the context stops them all."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._addresses: dict[str, EngineAddress] = {}
        self._surroundings: Surroundings | None = None

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def address(self, kind: str) -> EngineAddress:
        """Where the engine of this kind answers.

        Raises: EngineUnavailable, ConfigError when it cannot be had; the fix says how to get it.
        """
        if kind not in self._addresses:
            self._addresses[kind] = self._start(kind)
        return self._addresses[kind]

    def _start(self, kind: str) -> EngineAddress:
        if kind == "arcadedb":
            return self._stack.enter_context(running_arcadedb())
        release = RELEASES[kind]
        if self._surroundings is None:
            self._surroundings = look_around(os.environ, cache_folder())
        provider = choose_provider(release, self._surroundings)
        match provider:
            case GivenServer():
                return given_address(release, provider)
            case Container():
                return self._stack.enter_context(running_container(release, provider.image))
            case Maven():
                jars = provide_jars(cache_folder(), provider.version)
                return self._stack.enter_context(running_neo4j(release, jars))
            case Missing():
                raise EngineUnavailable(provider.reason, fix=provider.fix)
            case _:
                assert_never(provider)


def given_address(release: Release, given: GivenServer) -> EngineAddress:
    """The address of a server that somebody else runs."""
    return EngineAddress(release.kind, given.uri, given.user, given.password, given.database)
