"""`trace-graph import`: the messages of a file."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Coroutine
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import complain, remark, show
from trace_graph.cli.progress import followed
from trace_graph.cli.tables import counted
from trace_graph.errors import NotFound, UsageError
from trace_graph.text.display import visible

if TYPE_CHECKING:
    from trace_graph.models import ImportReport, RejectedLine

MOST_SHOWN = 20
"""Rejected lines listed in words; --json lists all."""
HELD_IN_MEMORY = 16 * 1024 * 1024
"""Bytes of standard input; what is longer waits in a temporary file. Guess."""


def import_file(
    context: typer.Context,
    file: Annotated[str, typer.Argument(
        metavar="FILE", help="A file, or a folder of BEAM chats; - is standard input.")],
    *,
    space: Annotated[str | None, typer.Option(
        "--space", metavar="S",
        help="The space they belong to; created where it is new. An export is restored under this name.")] = None,
    format: Annotated[str, typer.Option(
        "--format", metavar="FORMAT", help="auto, jsonl, openai, locomo, longmemeval, beam or trace-graph.")] = "auto",
    sample: Annotated[list[str] | None, typer.Option(
        "--sample", metavar="ID", help="Only this conversation of the file; may be repeated.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Store nothing unless every line is good.")] = False,
) -> Coroutine[Any, Any, int]:
    """Remember the messages of a file.

    Messages that are there already are recognised, so an import may be repeated. Lines that cannot be stored are listed
    on stderr, the others are stored, and the exit code is 1. An export of trace-graph is restored as the space it was:
    all of it, or nothing where the file is damaged, or the space is there already and not the same.
    """
    if file == "-" and strict:
        raise UsageError(
            "--strict reads a file twice, which standard input does not allow.",
            fix="Save it to a file, or leave out --strict.")
    if file != "-" and not Path(file).exists():
        # Looked at before the memory is opened: a mistyped name must not create an empty one.
        raise NotFound(f"There is no file {file}.", fix="Check the path.")
    return _import(
        options_of(context), _standard_input() if file == "-" else Path(file), space=space, format=format,
        samples=sample, strict=strict)


async def _import(options: GlobalOptions, source: Path | BinaryIO, **wanted: Any) -> int:
    import asyncio

    from trace_graph.memory.restoring import to_restore

    async with memory_of(options) as memory:
        with nullcontext() if isinstance(source, Path) else source, ExitStack() as stack:
            restores = await asyncio.to_thread(to_restore, source, wanted["format"])
            words = _restore_interrupted if restores else _interrupted
            progress = stack.enter_context(followed(options, "importing", words))
            report = await memory.import_file(source, progress=progress, **wanted)
    show(options, report, lambda: _words(report))
    _remark(options, report)
    if not report.rejected:
        return 0
    if not options.json:
        _list_rejected(report.rejected)
    complain(
        f"Error: partly failed: {report.messages:,} stored, {report.duplicates:,} known already, "
        f"{len(report.rejected):,} rejected.")
    return 1


def _interrupted(done: int, total: int | None) -> str:
    far = f"; at least {counted(done, 'message')} of the file {'is' if done == 1 else 'are'} in" if done else ""
    return f"Interrupted; what was stored stays{far}. Import it again for the rest."


def _restore_interrupted(done: int, total: int | None) -> str:
    return "Interrupted; an export is restored whole or not at all. Import it again."


def _standard_input() -> BinaryIO:
    """All of it, read before the event loop starts: inside, Ctrl-C could not interrupt the reading."""
    held = tempfile.SpooledTemporaryFile(max_size=HELD_IN_MEMORY)  # noqa: SIM115  closed by _import
    shutil.copyfileobj(sys.stdin.buffer, held)
    held.seek(0)
    return cast(BinaryIO, held)


def _words(report: ImportReport) -> str:
    return (
        f"{counted(report.messages, 'message')} stored, {report.duplicates:,} known already, "
        f"of {counted(report.sessions, 'session')}, in {report.seconds:.1f} s")


def _remark(options: GlobalOptions, report: ImportReport) -> None:
    """What the user may not expect."""
    if report.space_created:
        remark(options, f"Created the space {report.space}.")
    if not (report.messages or report.duplicates or report.rejected):
        remark(options, "The file holds no message.")
    if report.differing:
        complain(f"{counted(report.differing, 'message')} known already by the external id, but with another text or "
                 "content: what was stored stays.")
    if report.without_vector:
        remark(options, f"{counted(report.without_vector, 'text')} got no vector: found by words only.")


def _list_rejected(rejected: list[RejectedLine]) -> None:
    for one in rejected[:MOST_SHOWN]:
        complain(f"{one.place}: {visible(one.reason, one_line=True)}")
    if len(rejected) > MOST_SHOWN:
        complain(f"and {len(rejected) - MOST_SHOWN:,} more; --json lists all")
