"""The connection to the database: reads, and write transactions that are retried under a deadline."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

import neo4j
import neo4j.time
import tenacity

from trace_graph.config import Settings
from trace_graph.errors import EngineTimeout, Refused, StoreFailed
from trace_graph.store.driver_errors import is_transient, translate, translated
from trace_graph.store.engine import Engine, recognise
from trace_graph.store.local_server import LocalServer, ServerState
from trace_graph.store.queries import NamedQuery, shipped_queries
from trace_graph.store.turns import Turns
from trace_graph.version import VERSION

Row = dict[str, Any]
"""One row of a result: column to value; becomes a model in the store's caller, next to the query's name."""
T = TypeVar("T")

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 0.01, 1.0
"""Seconds between tries, doubling, with full jitter. Guess: a conflicting write of ours takes 5 to 50 ms."""

TRIES_OF_A_TAKEN_KEY = 20
"""Before a key that is taken counts as taken for good; guess: about 10 s. Only a fault of ours takes a key for good."""


class Transaction:
    """One open transaction; runs named queries."""

    def __init__(self, engine: Engine, transaction: neo4j.AsyncTransaction) -> None:
        self.engine = engine
        self._transaction = transaction

    async def run(self, name: str, **parameters: Any) -> list[Row]:
        """Run one query and read all its rows."""
        query = _checked(name, self.engine, parameters)
        result = await self._transaction.run(query.text, parameters)
        return await _rows(result)


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
        """Close the connection; the embedded engine goes on running."""
        reader = [self._reader[1]] if self._reader is not None else []
        for driver in (*self._left, *reader, self._driver):
            await driver.close()

    async def read(self, name: str, **parameters: Any) -> list[Row]:
        """Run one reading query. Raises: EngineTimeout, EngineUnavailable, StoreFailed."""
        query = _checked(name, self.engine, parameters)
        started = time.monotonic()

        rows = await self._asked(query, parameters, _rows)
        log.debug("read", extra={"query": name, "rows": len(rows), "milliseconds": (time.monotonic() - started) * 1000})
        return rows

    async def read_lists(self, name: str, **parameters: Any) -> list[list[Any]]:
        """Run a reading query that returns all its rows as lists in one record; a column of times holds no null.

        Raises: EngineTimeout, EngineUnavailable, StoreFailed.
        """
        return await self._asked(_checked(name, self.engine, parameters), parameters, _listed_rows)

    async def write(
        self, work: Callable[[Transaction], Awaitable[T]], operation: str, *, space: str | None = None,
        tries: int | None = None,
    ) -> T:
        """Run `work` in one transaction, all or nothing; it may run several times, so it must not do anything else.

        What locks a space names it, and waits for its turn among the writers of this space. A commit whose answer was
        lost is tried again: work checks first whether its event is there already. With `tries` it gives up after so
        many: where the engine is optimistic a long transaction loses to short ones, and is better cut smaller.
        Raises: EngineTimeout, EngineUnavailable, Conflict, StoreFailed.
        """
        started = time.monotonic()
        async with self._turns.take(space):
            value = await self._retried(lambda: self._written(work), operation, tries)
        log.debug("write", extra={"query": operation, "milliseconds": (time.monotonic() - started) * 1000})
        return value

    async def run_schema(self, query: NamedQuery) -> None:
        """Run one schema query; they cannot stand in a transaction with others."""
        with translated(query.name):
            async with self._session(neo4j.WRITE_ACCESS) as session:
                result = await session.run(query.text)
                await result.consume()

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
        self, query: NamedQuery, parameters: dict[str, Any], receive: Callable[[neo4j.AsyncResult], Awaitable[T]]
    ) -> T:
        """Ask a reading query and receive its result, tried again like a transaction.

        Outside of one: a transaction of one query costs two round trips more.
        """
        timed = neo4j.Query(query.text, timeout=self._settings.deadline_seconds)

        async def ask() -> T:
            async with self._session(neo4j.READ_ACCESS) as session:
                return await receive(await session.run(timed, parameters))

        return await self._retried(ask, query.name)

    def _session(self, access: str) -> neo4j.AsyncSession:
        return self._driver.session(
            database=self._database, default_access_mode=access,
            bookmark_manager=self._driver.execute_query_bookmark_manager)

    async def _retried(self, once: Callable[[], Awaitable[T]], operation: str, tries: int | None = None) -> T:
        deadline = self._settings.deadline_seconds
        retrying = tenacity.AsyncRetrying(
            retry=self._should_try_again,
            wait=tenacity.wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT, min=FIRST_WAIT),
            stop=tenacity.stop_after_delay(deadline) if tries is None else tenacity.stop_after_attempt(tries),
            reraise=True,
        )
        try:
            async with asyncio.timeout(deadline):
                return await retrying(self._once_revived, once)
        except TimeoutError as error:
            raise EngineTimeout(f"The database did not finish in {deadline:g} s ({operation}).") from error
        except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError, OSError) as error:
            raise translate(error, operation) from error

    def _should_try_again(self, state: tenacity.RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, neo4j.exceptions.ConstraintError):
            # Of two writers at once ArcadeDB tells the second that its key is taken before it tells it to try again.
            return self.engine.kind == "arcadedb" and state.attempt_number < TRIES_OF_A_TAKEN_KEY
        return error is not None and is_transient(error)

    async def _once_revived(self, once: Callable[[], Awaitable[T]]) -> T:
        """One try; where the embedded engine turns out to be gone, it runs again for the next one."""
        server = self.server
        try:
            return await once()
        except neo4j.exceptions.ServiceUnavailable:
            if self._local is not None:
                await self._revive(self._local, server)
            raise

    async def _revive(self, local: LocalServer, gone: ServerState | None) -> None:
        async with self._reviving:
            if self.server != gone:
                return
            server = await local.ensure()
            if server != gone:
                self._left.append(self._driver)
                self._driver, self.server = _driver(self._settings, server), server

    async def _written(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async with self._session(neo4j.WRITE_ACCESS) as session:
            transaction = await session.begin_transaction(timeout=self._settings.deadline_seconds)
            async with transaction:
                value = await work(Transaction(self.engine, transaction))
                await transaction.commit()
                return value


async def _rows(result: neo4j.AsyncResult) -> list[Row]:
    return [native(record) async for record in result]


async def _listed_rows(result: neo4j.AsyncResult) -> list[list[Any]]:
    record = await result.single(strict=True)
    rows: list[list[Any]] = record[0]
    times = [place for place, value in enumerate(rows[0]) if isinstance(value, neo4j.time.DateTime)] if rows else []
    for row in rows if times else ():
        for place in times:
            row[place] = _native_value(row[place])
    return rows


def native(record: neo4j.Record) -> Row:
    """A row with Python's own types; times become aware UTC datetimes."""
    items: Iterable[tuple[str, Any]] = record.items()  # type: ignore[no-untyped-call]  # the driver's has none
    return {key: _native_value(value) for key, value in items}


def _native_value(value: Any) -> Any:
    if isinstance(value, neo4j.time.DateTime):
        moment: datetime = value.to_native()
        # ArcadeDB keeps UTC and gives the zone back as none.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if isinstance(value, list):
        return value if not value or isinstance(value[0], float | str) else [_native_value(part) for part in value]
    if isinstance(value, dict):
        return {key: _native_value(part) for key, part in value.items()}
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
