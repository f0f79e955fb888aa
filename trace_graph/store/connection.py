"""The connection to the database: reads, and write transactions that are retried under a deadline."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import neo4j

from trace_graph.config import Settings
from trace_graph.errors import Conflict, EngineTimeout, EngineUnavailable, Refused, StoreFailed
from trace_graph.store.driver_errors import translated
from trace_graph.store.engine import Engine, recognise
from trace_graph.store.local_server import LocalServer
from trace_graph.store.queries import NamedQuery, shipped_queries
from trace_graph.store.retrying import Persistence
from trace_graph.store.rows import Row, lists_of, rows_of
from trace_graph.store.server_files import ServerState
from trace_graph.store.turns import Turns
from trace_graph.store.under_way import UnderWay
from trace_graph.version import VERSION

T = TypeVar("T")

log = logging.getLogger(__name__)

SCHEMA_SECONDS = 600.0
"""For building an index, by a schema query or because it is first asked: over what is stored it may take minutes."""


class Transaction:
    """One open transaction; runs named queries."""

    def __init__(self, engine: Engine, transaction: neo4j.AsyncTransaction) -> None:
        self.engine = engine
        self._transaction = transaction

    async def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run one query and read all its rows."""
        query = _checked(name, self.engine, parameters)
        result = await self._transaction.run(query.text, parameters)
        return await rows_of(result)


class Store:
    """An open connection to one database."""

    def __init__(
        self, driver: neo4j.AsyncDriver, engine: Engine, settings: Settings, server: ServerState | None,
        local: LocalServer | None = None,
    ) -> None:
        self.engine = engine
        self.server = server
        """The embedded engine, where that is what we are connected to."""
        self._driver = driver
        self._settings = settings
        self._database = server.database if server else settings.database
        self._local = local
        self._turns = Turns(local.folder if local else None, settings.deadline_seconds)
        self._under_way = UnderWay()
        self._reviving = asyncio.Lock()
        self._left: list[neo4j.AsyncDriver] = []
        """Drivers of servers that are gone; other tasks may still be finding that out."""
        self._reader: tuple[ServerState, neo4j.AsyncDriver] | None = None
        """Of the user that may only read, opened when it is first asked for."""

    @classmethod
    async def connect(cls, settings: Settings) -> Store:
        """Connect, starting the embedded engine when it is meant and does not run.

        Raises: EngineUnavailable.
        """
        server, local = None, None
        if settings.engine == "local":
            local = LocalServer(settings.data_folder, heap_mb=settings.heap_mb, start_seconds=settings.start_seconds)
            server = await local.ensure()
        driver = _driver(settings, server)
        try:
            # A TimeoutError is an OSError: the deadline must not be taken for a fault of the connection.
            async with asyncio.timeout(settings.deadline_seconds):
                with translated():
                    engine = await _recognise(driver, server.database if server else settings.database)
        except TimeoutError as error:
            await driver.close()
            raise EngineTimeout(f"{settings.target} did not answer in {settings.deadline_seconds:g} s.") from error
        except BaseException:
            await driver.close()
            raise
        return cls(driver, engine, settings, server, local)

    async def close(self) -> None:
        """Close the connection once what is under way has ended; the embedded engine goes on running."""
        try:
            await self._under_way.end()
        finally:
            reader = [self._reader[1]] if self._reader is not None else []
            for driver in (*self._left, *reader, self._driver):
                await driver.close()

    async def read(self, name: str, **parameters: Any) -> list[Row]:
        """Run one reading query. Raises: EngineTimeout, EngineUnavailable, StoreFailed."""
        query = _checked(name, self.engine, parameters)
        started = time.monotonic()

        rows = await self._asked(query, parameters, rows_of)
        log.debug("read", extra={"query": name, "rows": len(rows), "milliseconds": (time.monotonic() - started) * 1000})
        return rows

    async def read_unhurried(self, name: str, *, seconds: float = SCHEMA_SECONDS) -> list[Row]:
        """Run a reading query without parameters that has the engine build an index.

        Raises: EngineTimeout, EngineUnavailable, StoreFailed.
        """
        return await self._asked(_checked(name, self.engine, {}), {}, rows_of, seconds=seconds)

    async def read_lists(self, name: str, **parameters: Any) -> list[list[Any]]:
        """Run a reading query that returns all its rows as lists in one record; a column of times holds no null.

        Raises: EngineTimeout, EngineUnavailable, StoreFailed.
        """
        return await self._asked(_checked(name, self.engine, parameters), parameters, lists_of)

    async def write(
        self, work: Callable[[Transaction], Awaitable[T]], operation: str, *, space: str | None = None,
        tries: int | None = None,
    ) -> T:
        """Run `work` in one transaction, all or nothing; it may run several times, so it must not do anything else.

        What locks a space names it, and waits for its turn among the writers of this space. A commit whose answer was
        lost is tried again: work checks first whether its event is there already. With `tries` it gives up after so
        many were lost to others: where the engine is optimistic a long transaction loses to short ones, and is better
        cut smaller.
        Raises: EngineTimeout, EngineUnavailable, Conflict, StoreFailed.
        """
        started = time.monotonic()
        with self._under_way.operation():
            async with self._turns.take(space):
                value = await self._retried(lambda: self._written(work), operation, tries)
        log.debug("write", extra={"query": operation, "milliseconds": (time.monotonic() - started) * 1000})
        return value

    async def run_schema(self, query: NamedQuery, *, seconds: float = SCHEMA_SECONDS) -> None:
        """Run one schema query; they cannot stand in a transaction with others.

        Raises: EngineTimeout, EngineUnavailable, StoreFailed.
        """
        try:
            async with asyncio.timeout(seconds):
                with translated(query.name):
                    async with self._session(neo4j.WRITE_ACCESS) as session:
                        result = await session.run(query.text)
                        await result.consume()
        except TimeoutError as error:
            raise EngineTimeout(f"The database did not finish in {seconds:g} s ({query.name}).") from error

    async def last_bookmark(self) -> str | None:
        """The bookmark of what this connection wrote last."""
        values = await self._driver.execute_query_bookmark_manager.get_bookmarks()
        return ",".join(sorted(values)) or None

    @property
    def deadline_seconds(self) -> float:
        """How long one operation may take."""
        return self._settings.deadline_seconds

    def reading_session(self) -> neo4j.AsyncSession:
        """A session for queries that are not ours, in which the engine itself refuses to write.

        Raises: Refused where the engine has nothing of the kind.
        """
        if self.engine.kind == "neo4j":
            return self._session(neo4j.READ_ACCESS)
        server = self.server
        if server is None or not server.reader_password:
            raise Refused(
                "This ArcadeDB is not the embedded one: no user is known here who may only read.",
                fix="Give TRACE_GRAPH_URI=local:/path, or a Neo4j.")
        if self._reader is None or self._reader[0] != server:
            self._left += [self._reader[1]] if self._reader is not None else []
            self._reader = (server, _driver(self._settings, server.as_reader))
        return self._reader[1].session(database=self._database, default_access_mode=neo4j.READ_ACCESS)

    async def _asked(
        self, query: NamedQuery, parameters: dict[str, Any], receive: Callable[[neo4j.AsyncResult], Awaitable[T]],
        *, seconds: float | None = None,
    ) -> T:
        """Ask a reading query and receive its result, tried again like a transaction; in `seconds`, or the deadline.

        Outside of one: a transaction of one query costs two round trips more.
        """
        timed = neo4j.Query(query.text, timeout=seconds or self.deadline_seconds)

        async def ask() -> T:
            async with self._session(neo4j.READ_ACCESS) as session:
                return await receive(await session.run(timed, parameters))

        with self._under_way.operation():
            return await self._retried(ask, query.name, seconds=seconds)

    def _session(self, access: str) -> neo4j.AsyncSession:
        return self._driver.session(
            database=self._database, default_access_mode=access,
            bookmark_manager=self._driver.execute_query_bookmark_manager)

    async def _retried(
        self, once: Callable[[], Awaitable[T]], operation: str, tries: int | None = None, *,
        seconds: float | None = None,
    ) -> T:
        seen = self.server

        async def once_more() -> T:
            nonlocal seen
            seen = self.server
            return await once()

        local = self._local
        revive = None if local is None else lambda: self._revive(local, seen)
        persistence = Persistence(
            once_more, revive, optimistic=self.engine.kind == "arcadedb", seconds=seconds or self.deadline_seconds,
            conflicts=tries)
        try:
            return await persistence.carry_through(operation)
        except (StoreFailed, EngineUnavailable) as error:
            if local is not None and not isinstance(error, Conflict):
                local.refuse_full_disk(error)
            raise

    async def _revive(self, local: LocalServer, gone: ServerState | None) -> bool:
        """Have the embedded engine run again; False where it was not gone."""
        async with self._reviving:
            if self.server != gone:
                return True
            server = await local.ensure()
            if server == gone:
                return False
            self._left.append(self._driver)
            self._driver, self.server = _driver(self._settings, server), server
            return True

    async def _written(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async with self._session(neo4j.WRITE_ACCESS) as session:
            transaction = await session.begin_transaction(timeout=self._settings.deadline_seconds)
            async with transaction:
                value = await work(Transaction(self.engine, transaction))
                await transaction.commit()
                return value


def _checked(name: str, engine: Engine, parameters: dict[str, Any]) -> NamedQuery:
    query = shipped_queries().pick(name, engine.variants)
    if query.parameters != parameters.keys():
        raise StoreFailed(f"The query {name} takes {sorted(query.parameters)}, not {sorted(parameters)}.")
    return query


def _driver(settings: Settings, server: ServerState | None) -> neo4j.AsyncDriver:
    if server is not None:
        uri, auth = server.bolt_uri, (server.user, server.password)
    else:
        secret = settings.password.get_secret_value() if settings.password else ""
        uri, auth = settings.uri, (settings.username, secret)
    with translated():
        return neo4j.AsyncGraphDatabase.driver(
            uri, auth=auth if auth[1] else None, user_agent=f"trace-graph/{VERSION}", connection_timeout=5.0,
            connection_acquisition_timeout=settings.deadline_seconds, max_connection_pool_size=50,
            notifications_min_severity="OFF", telemetry_disabled=True, keep_alive=True)


async def _recognise(driver: neo4j.AsyncDriver, database: str | None) -> Engine:
    query = shipped_queries().pick("identify_engine", ("any",))
    # Not tried again: a database that is not there is said at once.
    async with driver.session(database=database) as session:
        result = await session.run(query.text)
        record = await result.single(strict=True)
        summary = await result.consume()
    return recognise(summary.server.agent, str(record["version"]))
