"""`trace-graph stats`: how much there is."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import Stats


def stats(
    context: typer.Context,
    space: Annotated[str | None, typer.Option("--space", metavar="S", help="One space. Default: all.")] = None,
) -> Coroutine[Any, Any, int]:
    """Count messages, sessions, topics and revisions."""
    return _stats(options_of(context), space)


async def _stats(options: GlobalOptions, space: str | None) -> int:
    async with memory_of(options) as memory:
        counts = await memory.stats(space=space)
    show(options, counts, lambda: _words(counts))
    return 0


def _words(counts: Stats) -> str:
    rows = [("space", "all" if counts.space is None else visible(counts.space, one_line=True))]
    rows += [(name.replace("_", " "), f"{number:,}") for name, number in counts if name != "space"]
    wide = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{wide}}  {value}" for name, value in rows)
