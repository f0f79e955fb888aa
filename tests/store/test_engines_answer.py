"""Every engine that the store tests run against is what it says it is."""

from __future__ import annotations

import asyncio

import neo4j
import pytest

from tests.engines.releases import RELEASES, EngineAddress

pytestmark = pytest.mark.each_release


async def answer_and_agent(address: EngineAddress) -> tuple[list[dict[str, int]], str]:
    async with neo4j.AsyncGraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        rows, _, _ = await driver.execute_query("RETURN 1 AS one", database_=address.database)
        return [row.data() for row in rows], (await driver.get_server_info()).agent


async def components(address: EngineAddress) -> dict[str, list[str]]:
    async with neo4j.AsyncGraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        rows, _, _ = await driver.execute_query(
            "CALL dbms.components() YIELD name, versions RETURN name, versions", database_=address.database
        )
        return {row["name"]: row["versions"] for row in rows}


def test_each_engine_answers_a_query_over_bolt(engine_address: EngineAddress) -> None:
    rows, _ = asyncio.run(answer_and_agent(engine_address))

    assert rows == [{"one": 1}]


def test_each_engine_is_the_release_its_name_promises(engine_address: EngineAddress) -> None:
    """ArcadeDB calls itself a Neo4j 5.26 in dbms.components, so the agent is what tells the two apart."""
    _, agent = asyncio.run(answer_and_agent(engine_address))
    kernel = asyncio.run(components(engine_address))["Neo4j Kernel"][0]

    if engine_address.kind == "arcadedb":
        assert "(ArcadeDB " in agent
    else:
        assert agent == f"Neo4j/{kernel}"
        assert RELEASES[engine_address.kind].covers(kernel)
