"""The read-only door for queries that are not ours, and for the named ones that only read.

What keeps a query from writing is the engine: on Neo4j the type and the plan that EXPLAIN reports, then READ access; on
ArcadeDB a user without write rights, and a rollback. The words of the query are looked at before that (cypher_words),
for what no plan shows. Free Cypher does not honour tenancy: it is for whoever administers the database.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Iterator, Mapping
from typing import Any

import neo4j
from neo4j import exceptions as driver

from trace_graph.errors import EngineTimeout, TraceGraphError, UsageError, WriteRefused
from trace_graph.store.connection import Store
from trace_graph.store.cypher_words import ENDS, LOADS, refuse_by_words, refuse_procedure
from trace_graph.store.driver_errors import translate
from trace_graph.store.plain_values import plain_value
from trace_graph.store.queries import NamedQuery, shipped_queries
from trace_graph.store.rows import Row

log = logging.getLogger(__name__)

ACTING_OPERATORS = {"LoadCSV": LOADS, "TerminateTransactions": ENDS}
"""Operators of plans whose type is read although they do more than read the graph."""
_EXPLAIN = "EXPLAIN "
_OF_THE_TEXT = re.compile(r"\bline \d+|^Undefined|^Unknown")
"""Messages about what stands in the query: they name its place, or what is not known there."""
_PLACE = re.compile(r"\(line 1, column (\d+) \(offset: (\d+)\)\)")


class Rows(list[Row]):
    """The rows of a result, and whether a limit left some out."""

    def __init__(self, rows: list[Row], *, cut: bool) -> None:
        super().__init__(rows)
        self.cut = cut
        """There were more rows than asked for."""


async def run_read_only(
    store: Store, query: str, parameters: Mapping[str, Any], *, rows: int = 10_000, seconds: float | None = None
) -> Rows:
    """Run a query that somebody wrote, which can do nothing but read the graph; EXPLAIN gives its plan as text.

    Args:
        store: where to run it.
        query: one statement of Cypher.
        parameters: by name, without the dollar sign.
        rows: at most so many are returned; `Rows.cut` says whether there were more.
        seconds: of time; default: the deadline of the store.

    Raises: WriteRefused (a write, a file or an address, a procedure that is not on the list), UsageError (the query
    does not hold together, or a parameter is missing), EngineTimeout, EngineUnavailable, Refused.
    """
    limit = store.deadline_seconds if seconds is None else seconds
    if rows < 1 or not limit > 0:
        raise UsageError("The limits of rows and of seconds are above 0.", fix="Give a positive number.")
    refuse_by_words(query)
    started = time.monotonic()
    found = await _limited(_run_free(store, query, dict(parameters), rows, limit), limit)
    milliseconds = (time.monotonic() - started) * 1000
    log.debug("cypher", extra={"rows": len(found), "cut": found.cut, "milliseconds": milliseconds})
    return found


async def run_named(store: Store, name: str, parameters: Mapping[str, Any]) -> list[Row]:
    """Run one of the project's reading queries.

    Args:
        store: where to run it.
        name: of the query; a variant may follow as the list of queries shows it: `recall_lists (neo4j)`.
        parameters: all that the query takes. `spaces` may always be given, also where a query does not ask for it.

    Raises: NotFound, WriteRefused (it writes), UsageError (parameters are missing or unknown, or this engine does not
    understand the variant), EngineTimeout, EngineUnavailable.
    """
    query = _named(store, name)
    if query.mode != "read":
        raise WriteRefused(
            f"The query {query.name} changes the database (mode {query.mode}); only reading ones run here.",
            fix="See trace-graph queries list for those of mode read.")
    given = {key: value for key, value in parameters.items() if key != "spaces" or key in query.parameters}
    _refuse_wrong_parameters(query, given)
    return [{key: plain_value(value) for key, value in row.items()} for row in await store.read(query.name, **given)]


def _named(store: Store, name: str) -> NamedQuery:
    match = re.fullmatch(r"\s*(\S+)\s*(?:\(([a-z0-9-]+)\))?\s*", name)
    wanted, variant = (match[1], match[2]) if match else (name, None)
    known = [query.variant for query in shipped_queries().all() if query.name == wanted]
    picked = next((own for own in store.engine.variants if own in known), None)
    if known and (picked is None or variant not in (None, picked)):
        raise UsageError(
            f"{store.engine.title} does not run the query {name.strip()}: it runs {', '.join(store.engine.variants)}.",
            fix="See trace-graph queries list.")
    return shipped_queries().pick(wanted, store.engine.variants)


def _refuse_wrong_parameters(query: NamedQuery, given: Mapping[str, Any]) -> None:
    missing, unknown = sorted(query.parameters - given.keys()), sorted(given.keys() - query.parameters)
    if missing or unknown:
        faults = [f"it needs {', '.join(missing)}"] if missing else []
        faults += [f"it does not take {', '.join(unknown)}"] if unknown else []
        raise UsageError(
            f"The parameters of the query {query.name} do not fit: {' and '.join(faults)}.",
            fix=f"See trace-graph queries show {query.name}.")


async def _limited(running: Awaitable[Rows], seconds: float) -> Rows:
    """Wait for a query, but not for ever, and in our errors."""
    try:
        async with asyncio.timeout(seconds):
            return await running
    except TimeoutError as error:
        raise _too_slow(seconds) from error
    except (driver.DriverError, driver.Neo4jError, OSError) as error:
        raise _translated(error, seconds) from error


async def _run_free(store: Store, query: str, parameters: dict[str, Any], rows: int, seconds: float) -> Rows:
    async with store.reading_session() as session:
        transaction = await session.begin_transaction(timeout=seconds)
        try:
            if store.engine.kind == "neo4j":
                explained = await _run(transaction, _EXPLAIN + query, parameters)
                _refuse_by_plan(await explained.consume())
            result = await _run(transaction, query, parameters)
            found = Rows([], cut=False)
            async for record in result:
                if len(found) == rows:
                    found.cut = True
                    return found
                found.append({key: plain_value(value) for key, value in record.items()})  # type: ignore[no-untyped-call]
            summary = await result.consume()
            if summary.plan is not None:
                found = Rows([{"plan": summary.plan["args"]["string-representation"]}], cut=False)
            elif store.engine.kind == "arcadedb" and summary.query_type != "r":
                # It changed nothing: what this user may not do, ArcadeDB may find out at the commit only.
                raise WriteRefused("The query writes; here only the graph can be read.")
            await transaction.rollback()
            return found
        finally:
            # In all other cases the connection is closed: before a rollback ArcadeDB computes all rows that are left,
            # for nothing, and what SESSION SET has set stays with a connection.
            transaction.cancel()


async def _run(transaction: neo4j.AsyncTransaction, query: str, parameters: dict[str, Any]) -> neo4j.AsyncResult:
    try:
        return await transaction.run(query, parameters)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(
            "A parameter holds a value that the database does not know.",
            fix="Give text, numbers of up to 64 bits, true or false, times, or lists and maps of these.") from error


def _refuse_by_plan(summary: neo4j.ResultSummary) -> None:
    """Refuse what Neo4j itself does not plan as a read of the graph."""
    if summary.plan is None:
        raise WriteRefused("The database did not say what the query would do, so it was not run.")
    operators = list(_operators(summary.plan))
    for operator, details in operators:
        if operator in ACTING_OPERATORS:
            raise WriteRefused(ACTING_OPERATORS[operator])
        if operator == "ProcedureCall":
            refuse_procedure(details.partition("(")[0].replace("`", "").strip())
    # Neo4j counts dbms.components, which is on the list, as administration (s) when it stands alone.
    alone = [operator for operator, _ in operators] == ["ProduceResults", "ProcedureCall"]
    if summary.query_type != "r" and not (summary.query_type == "s" and alone):
        raise WriteRefused("The query writes or administers; here only the graph can be read.")


def _operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every operator of a plan with its details, as (name, details)."""
    plans = [plan]
    while plans:
        plan = plans.pop()
        yield str(plan["operatorType"]).partition("@")[0], str(plan.get("args", {}).get("Details", ""))
        plans += plan.get("children", [])


def _translated(error: BaseException, seconds: float) -> TraceGraphError:
    status = getattr(error, "code", None) or ""
    if isinstance(error, driver.Forbidden) or status == "Neo.ClientError.Statement.AccessMode":
        return WriteRefused("The database refused: here only the graph can be read.")
    if "TransactionTimedOut" in status:
        return _too_slow(seconds)
    if status == "Neo.ClientError.Database.DatabaseNotFound":
        return UsageError("The query names a database that is not there.", fix="Leave out the USE clause.")
    if status.startswith("Neo.ClientError.Statement."):
        return UsageError(f"The database cannot run the query: {_said(error, status)}", fix="Correct the query.")
    return translate(error)


def _said(error: BaseException, status: str) -> str:
    """What the database says about the text of a query; of values nothing, for they may be the memory's."""
    line = str(getattr(error, "message", "")).strip().partition("\n")[0].strip()
    if status.endswith("ParameterMissing") or _OF_THE_TEXT.search(line):
        return _PLACE.sub(_without_explain, line)
    return f"a value in it does not fit ({status.rpartition('.')[2]})."


def _without_explain(match: re.Match[str]) -> str:
    # Neo4j counts from the EXPLAIN that we put in front.
    column, offset = (max(0, int(number) - len(_EXPLAIN)) for number in match.groups())
    return f"(line 1, column {column} (offset: {offset}))"


def _too_slow(seconds: float) -> EngineTimeout:
    return EngineTimeout(
        f"The query did not finish within its limit of {seconds:g} s, and was given up.",
        fix="Narrow it by WHERE or LIMIT, or give it more time.")
