"""`trace-graph export`: a space as a file that restores."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from trace_graph.cli.global_options import GlobalOptions, options_of
from trace_graph.cli.opening import memory_of
from trace_graph.cli.output import complain, show, write_bytes
from trace_graph.cli.progress import progress_bar
from trace_graph.cli.tables import counted
from trace_graph.errors import UsageError

if TYPE_CHECKING:
    from trace_graph.models import ExportReport


def export(
    context: typer.Context,
    *,
    space: Annotated[str, typer.Option("--space", metavar="S", help="The space.")],
    out: Annotated[str | None, typer.Option(
        "--out", metavar="FILE", help="The file, replaced where it is there. Default: standard output.")] = None,
) -> Coroutine[Any, Any, int]:
    """Write a space as canonical JSON lines: complete, one state of it, whoever writes meanwhile.

    trace-graph import restores it, into either engine.
    """
    options = options_of(context)
    if out is None and options.json:
        raise UsageError("--json prints what was done where the export goes.", fix="Give --out FILE.")
    return _to_stdout(options, space) if out is None else _to_file(options, space, Path(out))


async def _to_file(options: GlobalOptions, space: str, out: Path) -> int:
    async with memory_of(options) as memory:
        with progress_bar(options, "exporting") as progress:
            report = await memory.export(space=space, out=out, progress=progress)
    show(options, report, lambda: _words(report))
    return 0


async def _to_stdout(options: GlobalOptions, space: str) -> int:
    """By way of a temporary file: the connection is closed before a slow reader of ours takes the first line."""
    with tempfile.TemporaryFile() as file:
        async with memory_of(options) as memory:
            report = await memory.export(space=space, out=cast(BinaryIO, file))
        file.seek(0, os.SEEK_SET)
        write_bytes(file)
    if not options.quiet and sys.stderr.isatty():
        complain(_words(report))
    return 0


def _words(report: ExportReport) -> str:
    return (
        f"{counted(report.messages, 'message')}, {counted(report.lines, 'line')}, {report.bytes:,} bytes, "
        f"in {report.seconds:.1f} s")
