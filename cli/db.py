"""`trace-graph db`: the embedded engine."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import settings_of
from trace_graph.cli.output import show
from trace_graph.errors import UsageError
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.store.local_server import LocalServer
    from trace_graph.store.server_files import ServerState

db = typer.Typer(rich_markup_mode=None, add_completion=False)


@db.callback()
def embedded_engine() -> None:
    """Start, stop or look at the embedded engine.

    Other commands start it when they need it.
    """


@db.command("start")
def start(context: typer.Context) -> Coroutine[Any, Any, int]:
    """Start it, unless it runs."""
    return _start(options_of(context))


@db.command("stop")
def stop(context: typer.Context) -> Coroutine[Any, Any, int]:
    """Stop it, for every process that uses it."""
    return _stop(options_of(context))


@db.command("status")
def status(context: typer.Context) -> Coroutine[Any, Any, int]:
    """Say whether it runs, and where; the exit code is 0 either way."""
    return _status(options_of(context))


async def _start(options: GlobalOptions) -> int:
    server = _server(options)
    _show(options, server, await server.ensure())
    return 0


async def _stop(options: GlobalOptions) -> int:
    server = _server(options)
    # Looked at first: the lock that stopping takes would create the folder.
    stopped = await server.stop() if server.folder.is_dir() else False
    folder = str(server.folder)
    words = "stopped" if stopped else "was not running"
    show(options, {"stopped": stopped, "folder": folder}, lambda: f"{words}: {visible(folder, one_line=True)}")
    return 0


async def _status(options: GlobalOptions) -> int:
    server = _server(options)
    _show(options, server, await server.status())
    return 0


def _server(options: GlobalOptions) -> LocalServer:
    from trace_graph.store.local_server import LocalServer

    settings = settings_of(options)
    if settings.engine != "local":
        raise UsageError(
            f"The commands of trace-graph db are for the embedded engine; the settings name {settings.target}.",
            fix="Start and stop that server where it runs, or give --uri local: or --uri local:/path.")
    return LocalServer(settings.data_folder, heap_mb=settings.heap_mb, start_seconds=settings.start_seconds)


def _show(options: GlobalOptions, server: LocalServer, state: ServerState | None) -> None:
    values: dict[str, Any] = {
        "running": state is not None, "pid": state.pid if state else None,
        "bolt_port": state.bolt_port if state else None, "http_port": state.http_port if state else None,
        "folder": str(server.folder)}
    show(options, values, lambda: _words(values))


def _words(values: dict[str, Any]) -> str:
    """One line a value that there is."""
    shown = {"running": "yes" if values["running"] else "no"} | {
        name: str(value) for name, value in values.items() if name != "running" and value is not None}
    return "\n".join(f"{name.replace('_', ' '):<9}  {visible(value, one_line=True)}" for name, value in shown.items())
