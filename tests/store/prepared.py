"""An engine of the test session made ready for a Memory, which then reaches it by its Bolt address alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import neo4j
from pydantic import SecretStr

from tests.engines.releases import EngineAddress
from trace_graph.config import Settings
from trace_graph.embed.static import StaticEmbedder
from trace_graph.memory.embedding import CheckedEmbedder
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row, native
from trace_graph.store.schema import ensure_schema
from trace_graph.store.server_files import ServerState


def settings_of(address: EngineAddress) -> Settings:
    """The settings that lead to this engine."""
    return Settings(
        uri=address.uri, username=address.user, password=SecretStr(address.password), database=address.database)


async def prepare(address: EngineAddress) -> None:
    """Create the schema and take the shipped embedder into use; nothing changes where that was done."""
    store = await connect(address)
    checked = CheckedEmbedder(store, settings_of(address), StaticEmbedder.shipped())
    try:
        await ensure_schema(store)
        await checked.ready()
    finally:
        await checked.close()
        await store.close()


async def connect(address: EngineAddress) -> Store:
    """The store of this engine, which can change its schema."""
    store = await Store.connect(settings_of(address))
    if address.http_url is not None:
        # ArcadeDB takes index definitions at its HTTP door only, which a Bolt address does not tell.
        bolt_port, http_port = (urlsplit(url).port for url in (address.uri, address.http_url))
        assert bolt_port is not None and http_port is not None
        store.server = ServerState(0, bolt_port, http_port, address.password, address.user)
    return store


class Graph:
    """A bare connection for what a test looks up, or breaks on purpose."""

    def __init__(self, driver: neo4j.AsyncDriver, database: str | None) -> None:
        self._driver, self._database = driver, database

    async def rows(self, query: str, **parameters: Any) -> list[Row]:
        """Run a query; its rows with Python's own types."""
        records, _, _ = await self._driver.execute_query(
            query, parameters_=parameters, database_=self._database)
        return [native(record) for record in records]

    async def plan(self, query: str, **parameters: Any) -> Any:
        """What EXPLAIN says of a query."""
        _, summary, _ = await self._driver.execute_query(
            query, parameters_=parameters, database_=self._database)
        return summary.plan

    async def work(self, query: str, **parameters: Any) -> int:
        """How many touches of the store Neo4j counts for a query, by PROFILE."""
        _, summary, _ = await self._driver.execute_query(
            query, parameters_=parameters, database_=self._database)
        return _touches(summary.profile)

    async def close(self) -> None:
        """Close the connection."""
        await self._driver.close()


def _touches(plan: Any) -> int:
    return int(plan.get("dbHits", 0)) + sum(_touches(child) for child in plan.get("children", []))


def open_graph(settings: Settings) -> Graph:
    """A bare connection to where the settings lead."""
    assert settings.password is not None
    driver = neo4j.AsyncGraphDatabase.driver(
        settings.uri, auth=(settings.username, settings.password.get_secret_value()), notifications_min_severity="OFF")
    return Graph(driver, settings.database)
