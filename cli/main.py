"""The command `trace-graph`: its commands put together, run, and their failures reported."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from trace_graph import __version__
from trace_graph.cli import (
    add,
    ask,
    bench,
    calls,
    config_show,
    db,
    diff,
    doctor,
    explain,
    export,
    health,
    import_file,
    organize,
    queries,
    rebuild,
    recall,
    spaces,
    stats,
    topic,
    tree,
)
from trace_graph.cli.failures import CLOSED_PIPE, INTERRUPTED, report_failure, unexpected, wrong_usage
from trace_graph.cli.global_options import Debug, GlobalOptions, Json, Quiet, Uri, give_to_all
from trace_graph.cli.output import ClosedPipe, complain, prepare_streams, write
from trace_graph.errors import TraceGraphError

NAME = "trace-graph"
EXIT_CODES = (
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 cannot reach the database, 5 refused, "
    "130 interrupted. Results are printed on stdout, everything else on stderr."
)


def run() -> None:
    """Run the command that the process was started with, and end the process with its exit code."""
    sys.exit(carry_out(sys.argv[1:]))


def carry_out(arguments: Sequence[str]) -> int:
    """Run one command; its exit code. Failures are reported, never raised."""
    prepare_streams()
    options = GlobalOptions()
    try:
        return _carry_out(arguments, options)
    except TraceGraphError as error:
        return report_failure(error, options)
    except typer.TyperException as error:
        # The parser stopped before it came to them, maybe.
        options.json, options.debug = "--json" in arguments, "--debug" in arguments
        return report_failure(wrong_usage(error), options)
    except KeyboardInterrupt:
        complain(options.interrupted or "Interrupted; what was stored stays.")
        return INTERRUPTED
    except ClosedPipe:
        return CLOSED_PIPE
    except Exception as error:  # noqa: BLE001  the last door: nobody must see a traceback they did not ask for
        return report_failure(unexpected(error), options)


def build() -> Any:
    """All commands, each with the global options."""
    application = typer.Typer(
        name=NAME, rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, epilog=EXIT_CODES,
        context_settings={"help_option_names": ["-h", "--help"]})
    application.callback(invoke_without_command=True)(_every_command)
    application.command("add")(add.add)
    application.command("import")(import_file.import_file)
    application.command("export")(export.export)
    application.command("organize")(organize.organize)
    application.command("recall")(recall.recall)
    application.command("ask")(ask.ask)
    application.command("explain")(explain.explain)
    application.command("replay")(explain.replay)
    application.command("tree")(tree.tree)
    application.command("topic")(topic.topic)
    application.command("rebuild")(rebuild.rebuild)
    application.command("diff")(diff.diff)
    application.add_typer(spaces.spaces, name="spaces")
    application.command("stats")(stats.stats)
    application.command("health")(health.health)
    application.command("doctor")(doctor.doctor)
    application.add_typer(calls.calls, name="calls")
    application.add_typer(queries.queries, name="queries")
    application.command("cypher")(queries.cypher)
    application.command("bench")(bench.bench)
    application.add_typer(db.db, name="db")
    application.add_typer(config_show.config, name="config")
    command = typer.main.get_command(application)
    give_to_all(command)
    return command


def _carry_out(arguments: Sequence[str], options: GlobalOptions) -> int:
    outcome = build().main(args=list(arguments), prog_name=NAME, standalone_mode=False, obj=options)
    if inspect.iscoroutine(outcome):
        import asyncio  # a tenth of a second that --help need not wait for

        outcome = asyncio.run(outcome)
    return outcome if isinstance(outcome, int) else 0


def _version(wanted: bool) -> None:
    if wanted:
        write(f"{NAME} {__version__}")
        raise typer.Exit


def _every_command(
    context: typer.Context,
    *,
    uri: Uri = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
    version: Annotated[bool, typer.Option(
        "--version", callback=_version, is_eager=True, expose_value=False, help="Print the version.")] = False,
) -> int | None:
    """Long-term memory for AI agents in a graph database."""
    if context.invoked_subcommand:
        return None
    complain(context.get_help())
    return 2
