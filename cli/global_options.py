"""The options that every command takes, before its name or after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

NAMES = frozenset({"uri", "json", "quiet", "debug"})


@dataclass
class GlobalOptions:
    """What was asked for beside the command itself; filled while the arguments are parsed."""

    uri: str | None = None
    """The database meant; None: the settings say."""
    json: bool = False
    """Results, and errors, as one JSON document on stdout."""
    quiet: bool = False
    """On stderr only what went wrong."""
    debug: bool = False
    """A failure shows its traceback."""
    interrupted: str | None = None
    """How far the command has come, to be said when it is interrupted; set while it works."""


def options_of(context: typer.Context) -> GlobalOptions:
    """The options of the call that this command belongs to."""
    options = context.obj
    assert isinstance(options, GlobalOptions)
    return options


def give_to_all(command: Any, shared: Iterable[Any] | None = None) -> None:
    """Let every command below `command` take its global options as well, so that they may stand after the name.

    Args:
        command: a command as typer builds it; those below it are in `commands`.
        shared: the parameters to hand down; default: those of `command` itself.
    """
    given = [parameter for parameter in command.params if parameter.name in NAMES] if shared is None else list(shared)
    for child in getattr(command, "commands", {}).values():
        child.params.extend(given)
        give_to_all(child, given)


def _remember(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> None:
    # Each level of the command parses them: one that is not given must not undo one that was.
    if value and isinstance(context.obj, GlobalOptions) and parameter.name:
        setattr(context.obj, parameter.name, value)


Uri = Annotated[str | None, typer.Option(
    "--uri", metavar="URI", callback=_remember, expose_value=False,
    help="The database: local:, local:/path or a Bolt URI. Default: TRACE_GRAPH_URI.")]
Json = Annotated[bool, typer.Option(
    "--json", callback=_remember, expose_value=False, help="Print the result, or the error, as JSON.")]
Quiet = Annotated[bool, typer.Option(
    "--quiet", callback=_remember, expose_value=False, help="Print no progress and no remarks.")]
Debug = Annotated[bool, typer.Option(
    "--debug", callback=_remember, expose_value=False, help="Log what is done, and show the traceback of a failure.")]
