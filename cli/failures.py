"""What a command that failed says, and its exit code."""

from __future__ import annotations

import traceback

import typer

from trace_graph.cli.global_options import GlobalOptions
from trace_graph.cli.output import ClosedPipe, complain, error_json, write
from trace_graph.errors import TraceGraphError, UsageError
from trace_graph.text.display import visible

NOT_BUILT = frozenset({"--as-of", "--known-at", "--explain"})
"""Options that the design has and this version has not."""
INTERRUPTED = 130
"""As the shell has it: 128 + SIGINT."""
CLOSED_PIPE = 141
"""As the shell has it: 128 + SIGPIPE."""


def report_failure(error: TraceGraphError, options: GlobalOptions) -> int:
    """Print one sentence and the way out, with --json as JSON too; the exit code of this kind of error."""
    complain(f"Error: {visible(error.message, one_line=True)}\n  {visible(error.fix, one_line=True)}")
    if options.debug:
        complain(visible(_traceback(error)))
    if options.json:
        try:
            write(error_json(error))
        except (ClosedPipe, TraceGraphError):  # it stands on stderr already
            return error.exit_code
    return error.exit_code


def wrong_usage(error: typer.TyperException) -> UsageError:
    """Our error for arguments that typer refused."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "trace-graph"
    option = getattr(error, "option_name", None)
    sentence = f"The option {option} is not built yet" if option in NOT_BUILT else error.format_message().strip()
    sentence = sentence.replace("Value error, ", "")  # pydantic's words before ours
    fault = UsageError(
        sentence if sentence.endswith((".", "?", ")")) else f"{sentence}.", fix=f"See {command} --help.")
    fault.__cause__ = error
    return fault


def unexpected(error: Exception) -> TraceGraphError:
    """Our error for one that nobody foresaw; its own words may hold the memory's text, so only its type is named."""
    fault = TraceGraphError(
        f"Something unforeseen went wrong ({type(error).__name__}).",
        fix="Run the command again with --debug, and report what it shows as a fault of trace-graph.")
    fault.__cause__ = error
    return fault


def _traceback(error: BaseException) -> str:
    """Without the values of variables: they may be secrets."""
    return "".join(traceback.TracebackException.from_exception(error, capture_locals=False).format()).rstrip()
