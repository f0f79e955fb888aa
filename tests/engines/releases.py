"""Which releases of Neo4j the tests run against, and how each one is told apart and started."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Release:
    """One release of Neo4j Community."""

    kind: str
    """The name in test ids and on the command line."""
    version: str
    """The exact version, as Maven and the container registry write it."""
    family: str
    """What the version of a server of this family begins with."""
    main_class: str
    settings: tuple[tuple[str, str], ...] = ()
    """Settings that only this release knows; another one refuses to start with them."""

    def covers(self, version: str) -> bool:
        """Whether a server of this version can stand for the release: same family, maybe another patch."""
        return version.startswith(self.family)


@dataclass(frozen=True)
class EngineAddress:
    """How to reach one running engine."""

    kind: str
    """"arcadedb" or the kind of a Release."""
    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None
    """None: the server's home database."""
    http_url: str | None = None
    """Only ArcadeDB is also spoken to over HTTP."""


NEO4J_5 = Release("neo4j-5.26", "5.26.12", "5.", "org.neo4j.server.CommunityEntryPoint")
NEO4J_2026 = Release(
    "neo4j-2026",
    "2026.09.0",
    "20",
    "org.neo4j.server.Neo4jCommunity",
    settings=(("server.fleet_discovery.enabled", "false"),),  # otherwise it broadcasts on the network
)
RELEASES = {release.kind: release for release in (NEO4J_5, NEO4J_2026)}
