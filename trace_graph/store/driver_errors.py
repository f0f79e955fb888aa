"""The one place where the driver's errors become the project's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import exceptions as driver

from trace_graph.errors import (
    Conflict,
    EngineTimeout,
    EngineUnavailable,
    InvalidInput,
    Refused,
    StoreFailed,
    TraceGraphError,
    UsageError,
    WriteRefused,
)

Mapped = tuple[type[BaseException], type[TraceGraphError], str]

MAPPING: tuple[Mapped, ...] = (
    (driver.AuthError, EngineUnavailable, "The database refused the user name or the password."),
    (driver.Forbidden, Refused, "The database does not let this user do that."),
    (driver.ConstraintError, Conflict, "A unique key of the database already holds another value."),
    (driver.CypherSyntaxError, UsageError, "The database does not understand the query."),
    (driver.CypherTypeError, UsageError, "A value in the query has the wrong type."),
    (driver.ConfigurationError, EngineUnavailable, "The address of the database cannot be used."),
    (driver.ServiceUnavailable, EngineUnavailable, "The database does not answer."),
    (driver.SessionExpired, EngineUnavailable, "The database closed the connection."),
    (driver.ConnectionAcquisitionTimeoutError, EngineTimeout, "No connection to the database became free in time."),
    (driver.DatabaseUnavailable, EngineUnavailable, "This database is not available on the server."),
    (driver.TransientError, EngineTimeout, "The database stayed busy until the deadline."),
    (driver.ClientError, StoreFailed, "The database refused the operation."),
    (driver.DatabaseError, StoreFailed, "The database reported a fault of its own."),
    (driver.Neo4jError, StoreFailed, "The database reported a fault."),
    (driver.DriverError, StoreFailed, "The connection to the database failed."),
)
"""Most specific first: the first that matches holds."""

_BY_STATUS: dict[str, tuple[type[TraceGraphError], str]] = {
    "Neo.ClientError.Statement.AccessMode": (WriteRefused, "Only reading is allowed here."),
    "Neo.ClientError.Statement.ParameterMissing": (UsageError, "The query needs a parameter that was not given."),
    "Neo.ClientError.Statement.ArgumentError": (InvalidInput, "A value in the query cannot be used."),
    "Neo.ClientError.Transaction.TransactionTimedOut": (EngineTimeout, "The query ran past its time limit."),
    "Neo.ClientError.Security.Unauthorized": (
        EngineUnavailable, "The database refused the user name or the password."),
    "Neo.ClientError.Security.AuthenticationRateLimit": (
        EngineUnavailable, "The database refuses log-ins for a while."),
    "Neo.ClientError.Database.DatabaseNotFound": (EngineUnavailable, "The server has no database of that name."),
}


AUTH_FIX = "Set TRACE_GRAPH_USERNAME and TRACE_GRAPH_PASSWORD, or NEO4J_USERNAME and NEO4J_PASSWORD."


def is_transient(error: BaseException) -> bool:
    """Whether the same operation may succeed when it is tried again."""
    if isinstance(error, driver.IncompleteCommit):
        # Nobody knows whether it was stored. The driver leaves it at that; our writes look for their own event first.
        return True
    if isinstance(error, driver.DriverError | driver.Neo4jError):
        return error.is_retryable()
    return isinstance(error, ConnectionError)


def translate(error: BaseException, query: str | None = None) -> TraceGraphError:
    """Our error for one of the driver's; keeps the status code, never the text of the memory."""
    status = getattr(error, "code", None)
    where = f" (query {query})" if query else ""
    code = f" [{status}]" if status else ""
    if isinstance(status, str) and status in _BY_STATUS:
        kind, sentence = _BY_STATUS[status]
        return kind(f"{sentence}{where}{code}", fix=AUTH_FIX if "Unauthorized" in status else None)
    for theirs, ours, sentence in MAPPING:
        if isinstance(error, theirs):
            return ours(f"{sentence}{where}{code}", fix=AUTH_FIX if theirs is driver.AuthError else None)
    if isinstance(error, OSError):
        return EngineUnavailable(f"The database does not answer{where}: {error.strerror or type(error).__name__}.")
    return StoreFailed(f"The connection to the database failed{where}: {type(error).__name__}.")


@contextmanager
def translated(query: str | None = None) -> Iterator[None]:
    """Raise our errors in place of the driver's. Lets ours, and cancellation, pass."""
    try:
        yield
    except (driver.DriverError, driver.Neo4jError, OSError) as error:
        raise translate(error, query) from error
