"""A progress bar for long work: on a terminal only, on stderr, gone when the work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trace_graph.cli.global_options import GlobalOptions


@contextmanager
def progress_bar(options: GlobalOptions, doing: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """What to call with the messages done and their total; None where no bar is wanted."""
    if options.json or options.quiet or os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} messages"),
        TimeElapsedColumn(), console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
