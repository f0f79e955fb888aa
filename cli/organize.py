"""`trace-graph organize`: file what waits, revise the summaries."""

from __future__ import annotations

import os
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import remark, show
from trace_graph.cli.progress import progress_bar
from trace_graph.cli.tables import counted

if TYPE_CHECKING:
    from trace_graph.models import OrganizeReport


def organize(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space to organise.")],
    no_model: Annotated[bool, typer.Option(
        "--no-model", help="Ask no language model; none is asked yet in any case.")] = False,
) -> Coroutine[Any, Any, int]:
    """File waiting messages under topics.

    The summaries of the topics that changed are revised. It may be interrupted and run again: what is done is done.
    """
    options = options_of(context)
    if os.environ.get("TRACE_GRAPH_MODEL", "").strip() and not no_model:
        remark(options, "TRACE_GRAPH_MODEL is set, but this version asks no model yet: organising without one")
    return _organize(options, space)


async def _organize(options: GlobalOptions, space: str) -> int:
    async with memory_of(options) as memory:
        with progress_bar(options, "organising") as progress:
            report = await memory.organize(space=space, progress=progress)
    show(options, report, lambda: _words(report))
    return 0


def _words(report: OrganizeReport) -> str:
    return (
        f"{counted(report.filed, 'message')} filed, {report.waiting:,} still waiting; "
        f"{counted(report.topics_created, 'topic')} created, "
        f"{counted(report.summaries_revised, 'summary', 'summaries')} revised, in {report.seconds:.1f} s")
