"""`trace-graph topic`: one topic and how its summary came about."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import arrears, counted, moment
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import Revision, TopicDetail


def topic(
    context: typer.Context,
    id: Annotated[str, typer.Argument(
        metavar="ID", help="A topic's id; trace-graph tree --space S --ids shows them.")],
    *,
    history: Annotated[bool, typer.Option(
        "--history", help="Show every revision, newest first, not only the current one.")] = False,
) -> Coroutine[Any, Any, int]:
    """Show one topic with its summary.

    Prints its path, and the revisions of its summary with what they were made from.
    """
    return _topic(options_of(context), id, history=history)


async def _topic(options: GlobalOptions, id: str, *, history: bool) -> int:
    async with memory_of(options) as memory:
        detail = await memory.topic(id, history=history)
    show(options, detail, lambda: _words(detail))
    return 0


def _words(detail: TopicDetail) -> str:
    path = " › ".join(visible(title, one_line=True) for title in detail.path) or visible(detail.title, one_line=True)
    head = "\n".join([path, detail.id, *arrears(detail.behind, detail.failed_wordings)])
    if not detail.revisions:
        return f"{head}\n\nNo summary has been written yet."
    return "\n\n".join([head, *(_revision(revision) for revision in detail.revisions)])


def _revision(revision: Revision) -> str:
    until = f" to {moment(revision.retired_at)}" if revision.retired_at else ", current"
    made = f"{revision.method}, from {counted(len(revision.sources), 'source')}"
    title = visible(revision.title, one_line=True)
    lines = [f"Revision {revision.number}: {title}", f"  {moment(revision.recorded_at)}{until}; {made}"]
    return "\n".join([*lines, *(f"  {line}" for line in visible(revision.text).splitlines())])
