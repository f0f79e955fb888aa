"""`trace-graph organize`: file what waits, revise the summaries."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import remark, show
from trace_graph.cli.progress import followed
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
        with _waiting_told(options), followed(options, "organising", _interrupted) as progress:
            report = await memory.organize(space=space, progress=progress)
    show(options, report, lambda: _words(report))
    return 0


def _interrupted(filed: int, total: int | None) -> str:
    done = "no message is filed yet" if total is None else f"{filed:,} of {counted(total, 'message')} filed"
    return f"Interrupted; what was stored stays: {done}. Organize again to go on."


@contextmanager
def _waiting_told(options: GlobalOptions) -> Iterator[None]:
    """Say on stderr for whom the organiser waits, which it logs."""
    import logging

    class Teller(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            holder, until = getattr(record, "holder", None), getattr(record, "until", None)
            if until is not None:
                named = f" ({holder})" if holder else ""
                end = f"{until.astimezone(UTC):%H:%M:%S} UTC"
                remark(options, f"Waiting for another organiser of this space{named}; unless it goes on, its lease "
                                f"ends at {end}.")

    log, teller = logging.getLogger("trace_graph.organize.lease"), Teller()
    log.addHandler(teller)
    log.setLevel(logging.INFO)
    log.propagate = options.debug
    try:
        yield
    finally:
        log.removeHandler(teller)


def _words(report: OrganizeReport) -> str:
    return (
        f"{counted(report.filed, 'message')} filed, {report.waiting:,} still waiting; "
        f"{counted(report.topics_created, 'topic')} created, "
        f"{counted(report.summaries_revised, 'summary', 'summaries')} revised, in {report.seconds:.1f} s")
