"""Every error that trace-graph raises on purpose.

TraceGraphError                    exit 1
├── UsageError                     exit 2   the request itself is wrong
│   ├── InvalidInput                        a message, name, time or file that the rules refuse
│   └── ConfigError                         a setting that cannot be used
├── NotFound                       exit 3   no such space, topic, message, query or file
├── EngineUnavailable              exit 4   the database does not answer
│   └── EngineTimeout                       it answered too late, the deadline passed
├── Refused                        exit 5   understood, and not allowed
│   ├── SchemaTooNew                        written by a newer trace-graph
│   ├── EmbedderMismatch                    the store holds vectors of another embedder
│   └── WriteRefused                        a write where only reading is allowed
├── StoreFailed                    exit 1   the database reported a fault
│   └── Conflict                            a unique key already holds another value
├── EmbeddingFailed                exit 1   the embedder reported a fault
├── ModelFailed                    exit 1   a verb that cannot go on without a model got no reply it could use
└── ReplayDiffers                  exit 1   a cassette does not hold what is asked of the model

A class's docstring is its default message. `fix` says how to mend it. No message holds a secret or the memory's text.
"""

from __future__ import annotations

from typing import ClassVar


class TraceGraphError(Exception):
    """Something went wrong in trace-graph."""

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1
    default_fix: ClassVar[str] = "Run the command again with --debug and read the traceback."

    def __init__(self, message: str | None = None, *, fix: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.fix = fix or self.default_fix
        super().__init__(self.message)


class UsageError(TraceGraphError):
    """The request is not valid."""

    code = "usage"
    exit_code = 2
    default_fix = "See trace-graph --help."


class InvalidInput(UsageError):
    """The input breaks a rule of the memory."""

    code = "invalid_input"
    default_fix = "Correct the input and send it again; nothing was stored."


class ConfigError(UsageError):
    """A setting cannot be used."""

    code = "config"
    default_fix = "Correct the setting, or remove it to use the default."


class NotFound(TraceGraphError):
    """There is no such thing in this memory."""

    code = "not_found"
    exit_code = 3
    default_fix = "See trace-graph spaces for what there is."


class EngineUnavailable(TraceGraphError):
    """The database does not answer."""

    code = "engine_unavailable"
    exit_code = 4
    default_fix = "Check TRACE_GRAPH_URI, and that the database runs (trace-graph db status for the embedded one)."


class EngineTimeout(EngineUnavailable):
    """The database did not answer in time."""

    code = "engine_timeout"
    default_fix = (
        "What it was writing may have been stored or not; repeating is safe where messages have an external_id. See "
        "whether the database is overloaded.")


class Refused(TraceGraphError):
    """This is not allowed."""

    code = "refused"
    exit_code = 5
    default_fix = "Ask whoever administers this memory."


class SchemaTooNew(Refused):
    """This database was written by a newer trace-graph."""

    code = "schema_too_new"
    default_fix = "Upgrade trace-graph: pip install --upgrade trace-graph."


class EmbedderMismatch(Refused):
    """The database holds vectors of another embedder, and the two cannot be compared."""

    code = "embedder_mismatch"
    default_fix = "Set TRACE_GRAPH_EMBEDDER to the embedder the database was made with, or use another database."


class WriteRefused(Refused):
    """Only reading is allowed here."""

    code = "write_refused"
    default_fix = "Use the commands of trace-graph to change the memory."


class StoreFailed(TraceGraphError):
    """The database reported a fault."""

    code = "store_failed"
    default_fix = "See the database's log; the transaction that failed was rolled back."


class Conflict(StoreFailed):
    """A unique key of the database already holds another value."""

    code = "conflict"
    default_fix = "Repeat the operation; if it fails again, something else writes the same ids."


class EmbeddingFailed(TraceGraphError):
    """The embedder reported a fault."""

    code = "embedding_failed"
    default_fix = "Check TRACE_GRAPH_EMBEDDER and the endpoint behind it."


class ModelFailed(TraceGraphError):
    """The model gave no reply that could be used."""

    code = "model_failed"
    default_fix = "Check TRACE_GRAPH_MODEL and the endpoint behind it; trace-graph calls list shows what it answered."


class ReplayDiffers(TraceGraphError):
    """The cassette does not hold what is asked of the model."""

    code = "replay_differs"
    default_fix = "Replay on the messages, settings and version of trace-graph with which the cassette was recorded."
