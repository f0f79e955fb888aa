"""`trace-graph spaces`: which memories there are."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import moment, table

if TYPE_CHECKING:
    from trace_graph.models import SpaceInfo

spaces = typer.Typer(rich_markup_mode=None, add_completion=False)

HEADER = ("SPACE", "MESSAGES", "TOPICS", "WAITING", "TIME ZONE", "CREATED")


@spaces.callback(invoke_without_command=True)
def list_spaces(context: typer.Context) -> Coroutine[Any, Any, int] | None:
    """List the spaces, create one, or set its time zone."""
    return None if context.invoked_subcommand else _list(options_of(context))


@spaces.command("create")
def create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called.")],
    time_zone: Annotated[str, typer.Option(
        "--time-zone", metavar="Z", help="In which times without an offset are read, as Europe/Oslo.")] = "UTC",
) -> Coroutine[Any, Any, int]:
    """Create an empty space; one of that name that is there already stays as it is."""
    return _create(options_of(context), name, time_zone)


@spaces.command("set")
def set_zone(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which space.")],
    time_zone: Annotated[str, typer.Option(
        "--time-zone", metavar="Z", help="In which times without an offset are read from now on, as Europe/Oslo.")],
) -> Coroutine[Any, Any, int]:
    """Set a space's time zone."""
    return _set(options_of(context), name, time_zone)


async def _list(options: GlobalOptions) -> int:
    async with memory_of(options) as memory:
        found = await memory.spaces()
    show(options, found, lambda: _words(found))
    return 0


async def _create(options: GlobalOptions, name: str, time_zone: str) -> int:
    async with memory_of(options) as memory:
        made = await memory.create_space(name, time_zone=time_zone)
    show(options, made, lambda: _words([made]))
    return 0


async def _set(options: GlobalOptions, name: str, time_zone: str) -> int:
    async with memory_of(options) as memory:
        changed = await memory.set_space(name, time_zone=time_zone)
    show(options, changed, lambda: _words([changed]))
    return 0


def _words(found: Sequence[SpaceInfo]) -> str:
    if not found:
        return "There are no spaces yet: trace-graph spaces create NAME, or add a message to one."
    return table(HEADER, [
        (one.name, f"{one.messages:,}", f"{one.topics:,}", f"{one.waiting:,}", one.time_zone, moment(one.created_at))
        for one in found])
