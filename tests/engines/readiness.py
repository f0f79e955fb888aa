"""When a Neo4j is ready: a query was answered with the wanted password. Ports and log lines come too early."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import LiteralString

import neo4j
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from trace_graph.errors import EngineTimeout, EngineUnavailable

READY_SECONDS = 300.0  # measured: 13 to 21 s on two cores, 95 s on two cores with ten busy programs beside it
POLL_SECONDS = 0.1
CONNECT_SECONDS = 5.0  # a stranger on the port may take the connection and say nothing


def wait_until_ready(
    uri: str, password: str, ended: Callable[[], bool], seconds: float = READY_SECONDS
) -> None:
    """Ask until an answer comes; a server that has its first password still is given `password`.

    Raises: EngineTimeout after `seconds`, EngineUnavailable as soon as `ended` says that nobody will answer.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            _claim_and_ask(uri, password)
        except (DriverError, Neo4jError) as error:
            last = error
        else:
            if not ended():  # otherwise it was somebody else's server that answered on this port
                return
        if ended():
            raise EngineUnavailable("The server ended before it was ready.")
        if time.monotonic() > deadline:
            raise EngineTimeout(f"The server was not ready after {seconds:g} s: {last}")
        time.sleep(POLL_SECONDS)


def _claim_and_ask(uri: str, password: str) -> None:
    try:
        _ask_once(uri, password, "neo4j", "RETURN 1")
    except AuthError:
        claim = "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $password"
        _ask_once(uri, "neo4j", "system", claim, {"password": password})
        _ask_once(uri, password, "neo4j", "RETURN 1")


def _ask_once(
    uri: str, password: str, database: str, query: LiteralString, parameters: dict[str, str] | None = None
) -> None:
    """Ask without the driver's retries: their pauses grow, and the caller asks again anyway."""
    with (
        neo4j.GraphDatabase.driver(
            uri, auth=("neo4j", password), connection_acquisition_timeout=CONNECT_SECONDS
        ) as driver,
        driver.session(database=database) as session,
    ):
        session.run(query, parameters).consume()
