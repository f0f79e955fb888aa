"""Each error of the driver becomes one of ours, the most telling one, and none shows what the memory holds."""

from __future__ import annotations

import inspect
from itertools import combinations

import pytest
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
from trace_graph.store.driver_errors import MAPPING, is_transient, translate, translated

CLASSES = sorted(
    (
        one
        for _, one in inspect.getmembers(driver, inspect.isclass)
        if issubclass(one, driver.DriverError | driver.Neo4jError)
    ),
    key=lambda one: one.__name__,
)

EXPECTED: dict[str, type[TraceGraphError]] = {
    "AuthConfigurationError": EngineUnavailable,
    "AuthError": EngineUnavailable,
    "BrokenRecordError": StoreFailed,
    "CertificateConfigurationError": EngineUnavailable,
    "ClientError": StoreFailed,
    "ConfigurationError": EngineUnavailable,
    "ConnectionAcquisitionTimeoutError": EngineTimeout,
    "ConnectionPoolError": StoreFailed,
    "ConstraintError": Conflict,
    "CypherSyntaxError": UsageError,
    "CypherTypeError": UsageError,
    "DatabaseError": StoreFailed,
    "DatabaseUnavailable": EngineUnavailable,
    "DriverError": StoreFailed,
    "Forbidden": Refused,
    "ForbiddenOnReadOnlyDatabase": EngineTimeout,
    "IncompleteCommit": EngineUnavailable,
    "Neo4jError": StoreFailed,
    "NotALeader": EngineTimeout,
    "ReadServiceUnavailable": EngineUnavailable,
    "ResultConsumedError": StoreFailed,
    "ResultError": StoreFailed,
    "ResultFailedError": StoreFailed,
    "ResultNotSingleError": StoreFailed,
    "RoutingServiceUnavailable": EngineUnavailable,
    "ServiceUnavailable": EngineUnavailable,
    "SessionError": StoreFailed,
    "SessionExpired": EngineUnavailable,
    "TokenExpired": EngineUnavailable,
    "TransactionError": StoreFailed,
    "TransactionNestingError": StoreFailed,
    "TransientError": EngineTimeout,
    "UnsupportedServerProduct": EngineUnavailable,
    "WriteServiceUnavailable": EngineUnavailable,
}


def made(kind: type[BaseException]) -> BaseException:
    """An instance, whatever its own constructor wants."""
    error = kind.__new__(kind)
    Exception.__init__(error, "secret text of the memory")
    return error


def coded(code: str) -> driver.Neo4jError:
    """As the driver makes it from what the server said."""
    return driver.Neo4jError._hydrate_neo4j(code=code, message="secret text of the memory")


def test_every_error_of_the_driver_has_the_mapping_that_is_written_here() -> None:
    """A new release of the driver with a new error fails this test."""
    assert {kind.__name__: type(translate(made(kind))) for kind in CLASSES} == EXPECTED


def test_no_entry_of_the_mapping_is_hidden_by_one_before_it() -> None:
    hidden = [
        (later[0].__name__, earlier[0].__name__)
        for earlier, later in combinations(MAPPING, 2)
        if issubclass(later[0], earlier[0])
    ]

    assert hidden == []


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Neo.ClientError.Statement.AccessMode", WriteRefused),
        ("Neo.ClientError.Statement.ParameterMissing", UsageError),
        ("Neo.ClientError.Statement.ArgumentError", InvalidInput),
        ("Neo.ClientError.Statement.SyntaxError", UsageError),
        ("Neo.ClientError.Transaction.TransactionTimedOut", EngineTimeout),
        ("Neo.ClientError.Security.Unauthorized", EngineUnavailable),
        ("Neo.ClientError.Security.AuthenticationRateLimit", EngineUnavailable),
        ("Neo.ClientError.Security.Forbidden", Refused),
        ("Neo.ClientError.Database.DatabaseNotFound", EngineUnavailable),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", Conflict),
        ("Neo.TransientError.Transaction.DeadlockDetected", EngineTimeout),
        ("Neo.DatabaseError.General.UnknownError", StoreFailed),
    ],
)
def test_a_status_of_the_server_says_more_than_the_class(code: str, kind: type[TraceGraphError]) -> None:
    translation = translate(coded(code), "recall_rows")

    assert type(translation) is kind
    assert translation.message.endswith(f"(query recall_rows) [{code}]")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_no_translation_repeats_what_the_driver_said(kind: type[BaseException]) -> None:
    """PC-133: the driver's text may quote a query's values."""
    translation = translate(made(kind), "add")

    assert "secret" not in f"{translation.message} {translation.fix}"


def test_a_refused_connection_is_named_by_its_reason() -> None:
    assert translate(ConnectionRefusedError(111, "Connection refused")).message == (
        "The database does not answer: Connection refused."
    )
    assert translate(OSError()).message == "The database does not answer: OSError."


@pytest.mark.parametrize(
    ("error", "again"),
    [
        (driver.ServiceUnavailable("gone"), True),
        (driver.SessionExpired("gone"), True),
        (driver.IncompleteCommit("nobody knows"), True),
        (coded("Neo.TransientError.Transaction.DeadlockDetected"), True),
        (ConnectionResetError(), True),
        (coded("Neo.ClientError.Statement.SyntaxError"), False),
        (coded("Neo.ClientError.Schema.ConstraintValidationFailed"), False),
        (driver.AuthError("no"), False),
        (ValueError(), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_what_may_pass_is_tried_again(error: BaseException, again: bool) -> None:
    """Also a commit whose answer was lost: every write of ours looks for its own event first."""
    assert is_transient(error) is again


def test_translated_keeps_the_cause_and_lets_other_errors_pass() -> None:
    cause = driver.AuthError("no")
    with pytest.raises(EngineUnavailable) as raised, translated("q"):
        raise cause
    assert raised.value.__cause__ is cause
    with pytest.raises(KeyError), translated():
        raise KeyError("other")
    with pytest.raises(Conflict), translated():
        raise Conflict
