"""`trace-graph rebuild`: a second tree over the same messages."""

from __future__ import annotations

import shlex
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.organize import ROUTING, model_remark, organized_words, waiting_told
from trace_graph.cli.output import show
from trace_graph.cli.progress import followed
from trace_graph.cli.tables import counted
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import RebuildReport


def rebuild(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space whose messages are taken.")],
    into: Annotated[str, typer.Option("--into", metavar="T", help="The space that gets the second tree.")],
    model: Annotated[str | None, typer.Option(
        "--model", metavar="M", help="The model. Default: TRACE_GRAPH_MODEL.")] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Ask no language model.")] = False,
    routing: Annotated[Literal["cascade", "descent", "vectors"], ROUTING] = "cascade",
) -> Coroutine[Any, Any, int]:
    """Build a second tree over the messages of a space, in another space.

    For example under another model or other prompts (the setting llm.prompts). The first space stays as it is; the
    messages are copied word for word. trace-graph diff compares the two. It may be interrupted and run again.
    """
    return _rebuild(options_of(context), {
        "space": space, "into": into, "model": model, "use_model": not no_model, "routing": routing})


async def _rebuild(options: GlobalOptions, wanted: dict[str, Any]) -> int:
    async with memory_of(options) as memory:
        with waiting_told(options), followed(options, "rebuilding", _interrupted) as progress:
            report = await memory.rebuild(progress=progress, **wanted)
    show(options, report, lambda: _words(report))
    model_remark(options, report.organized)
    return 0


def _interrupted(done: int, total: int | None) -> str:
    so_far = "" if total is None else f": {done:,} of {counted(total, 'message')}"
    return f"Interrupted; what was stored stays{so_far}. Rebuild again to go on."


def _words(report: RebuildReport) -> str:
    if report.unchanged:
        return (f"Nothing to do: {visible(report.into, one_line=True)} holds these messages, filed already, however "
                "that tree was made.\nFor another tree name another space with --into.")
    first, second = (shlex.quote(visible(name, one_line=True)) for name in (report.space, report.into))
    return (
        f"{counted(report.copied, 'message')} copied; {organized_words(report.organized)}\n"
        f"Compare: trace-graph diff --space {first} --with {second}")
