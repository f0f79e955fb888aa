"""`trace-graph organize`: file what waits, revise the summaries."""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import remark, show
from trace_graph.cli.progress import followed
from trace_graph.cli.tables import counted

if TYPE_CHECKING:
    from trace_graph.models import OrganizeReport


ROUTING = typer.Option(
    "--routing", help="How a model is asked where segments belong: about those that vectors are not sure of (cascade), "
                      "level by level from the root (descent), or not at all (vectors).")


def organize(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space to organise.")],
    no_model: Annotated[bool, typer.Option(
        "--no-model", help="Ask no language model, also where one is set.")] = False,
    routing: Annotated[Literal["cascade", "descent", "vectors"], ROUTING] = "cascade",
    record: Annotated[str | None, typer.Option(
        "--record", metavar="FILE", help="Keep what the model replies in a new file, a cassette.")] = None,
    replay: Annotated[str | None, typer.Option(
        "--replay", metavar="FILE", help="Take the replies from a cassette: no model is asked.")] = None,
) -> Coroutine[Any, Any, int]:
    """File waiting messages under topics.

    The summaries of the topics that changed are revised. With TRACE_GRAPH_MODEL set, that model is asked where vectors
    are not sure and words the topics; where it fails, the run goes on without it. It may be interrupted and run again:
    what is done is done.
    """
    return _organize(options_of(context), {
        "space": space, "use_model": not no_model, "routing": routing, "record": record, "replay": replay})


async def _organize(options: GlobalOptions, wanted: dict[str, Any]) -> int:
    async with memory_of(options) as memory:
        with waiting_told(options), followed(options, "organising", _interrupted) as progress:
            report = await memory.organize(progress=progress, **wanted)
    show(options, report, lambda: organized_words(report))
    model_remark(options, report)
    return 0


def model_remark(options: GlobalOptions, report: OrganizeReport) -> None:
    """Say beside the result why a model was not used, or not everywhere."""
    if report.model_unused:
        remark(options, f"without the model, at least in part: {report.model_unused}")


def _interrupted(filed: int, total: int | None) -> str:
    done = "no message is filed yet" if total is None else f"{filed:,} of {counted(total, 'message')} filed"
    return f"Interrupted; what was stored stays: {done}. Organize again to go on."


@contextmanager
def waiting_told(options: GlobalOptions) -> Iterator[None]:
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


def organized_words(report: OrganizeReport) -> str:
    """What the organiser did, for people."""
    calls = f", {counted(report.model_calls, 'model call')}" if report.model_calls else ""
    return (
        f"{counted(report.filed, 'message')} filed, {report.waiting:,} still waiting; "
        f"{counted(report.topics_created, 'topic')} created, "
        f"{counted(report.summaries_revised, 'summary', 'summaries')} revised{calls}, in {report.seconds:.1f} s")
