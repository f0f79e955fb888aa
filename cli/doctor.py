"""`trace-graph doctor`: is everything as it must be, and what mends it?"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import show
from trace_graph.cli.tables import counted, moment
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import DoctorReport, Problem, SpaceHealth

SHOWN_IDS = 3
"""Ids of a problem in words (guess); --json shows up to 20."""


def doctor(
    context: typer.Context,
    *,
    space: Annotated[str | None, typer.Option("--space", metavar="S", help="One space. Default: all.")] = None,
    fix: Annotated[bool, typer.Option(
        "--fix", help="Mend what is safe: caches, marks, expired leases, missing indexes.")] = False,
    deep: Annotated[bool, typer.Option(
        "--deep", help="Read all contents as well, against their hashes; as slow as an export.")] = False,
) -> Coroutine[Any, Any, int]:
    """Check that the memory is whole.

    Tries every invariant of the graph and names what breaks it, and what mends it. Exit code 1 when problems are left.
    """
    return _doctor(options_of(context), space, fix, deep)


async def _doctor(options: GlobalOptions, space: str | None, fix: bool, deep: bool) -> int:
    async with memory_of(options) as memory:
        report = await memory.doctor(space=space, fix=fix, deep=deep)
    show(options, report, lambda: "\n".join(_words(report)))
    return 0 if report.ok else 1


def _words(report: DoctorReport) -> Iterator[str]:
    for problem in report.fixed:
        yield f"mended: {_place(problem)}: {problem.says} ({counted(problem.count, 'case')})"
    for problem in report.problems:
        yield from _problem(problem)
    for health in report.spaces:
        yield _health(health)
    found = counted(len(report.problems), "problem") if report.problems else "all is well"
    yield f"{counted(report.checks, 'invariant')} of {counted(len(report.spaces), 'space')} tried: {found}"


def _problem(problem: Problem) -> Iterator[str]:
    count = f" ({counted(problem.count, 'case')})" if problem.count else ""
    yield f"{_place(problem)}: {problem.invariant}{count}"
    yield f"  {visible(problem.says, one_line=True)}"
    if problem.ids:
        more = ", ..." if problem.count > SHOWN_IDS else ""
        yield f"  {', '.join(visible(id, one_line=True) for id in problem.ids[:SHOWN_IDS])}{more}"
    yield f"  What mends it: {problem.mends}"


def _health(health: SpaceHealth) -> str:
    parts = [counted(health.messages, "message")]
    if health.waiting and health.waiting_since is not None:
        parts.append(f"{health.waiting:,} of them waiting since {moment(health.waiting_since)}")
    if health.without_vector:
        parts.append(f"{health.without_vector:,} without a vector")
    if health.stale_topics:
        parts.append(f"{counted(health.stale_topics, 'summary', 'summaries')} to be revised")
    return f"{visible(health.space, one_line=True)}: {', '.join(parts)}"


def _place(problem: Problem) -> str:
    return "the database" if problem.space is None else visible(problem.space, one_line=True)
