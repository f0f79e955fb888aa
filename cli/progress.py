"""A progress bar for long work: on a terminal only, on stderr, gone when the work is done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from trace_graph.cli.global_options import GlobalOptions


@contextmanager
def followed(
    options: GlobalOptions, doing: str, interrupted: Callable[[int, int | None], str]
) -> Iterator[Callable[[int, int | None], None]]:
    """The same with a bar or without; `interrupted` says how far the work is, for Ctrl-C."""
    with progress_bar(options, doing) as bar:
        def progress(done: int, total: int | None) -> None:
            options.interrupted = interrupted(done, total)
            if bar is not None:
                bar(done, total)

        options.interrupted = interrupted(0, None)
        yield progress
    options.interrupted = None


@contextmanager
def followed_stages(
    options: GlobalOptions, interrupted: Callable[[str], str]
) -> Iterator[Callable[[str, int, int | None], None]]:
    """The same for work of several stages, each of which says what it is and counts for itself."""
    with _bar(options, "starting", None) as bar:
        def progress(doing: str, done: int, total: int | None) -> None:
            options.interrupted = interrupted(doing)
            if bar is not None:
                bar(doing, done, total)

        yield progress
    options.interrupted = None


@contextmanager
def progress_bar(options: GlobalOptions, doing: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """What to call with the messages done and their total; None where no bar is wanted."""
    with _bar(options, doing, "messages") as bar:
        yield None if bar is None else lambda done, total: bar(doing, done, total)


@contextmanager
def _bar(
    options: GlobalOptions, doing: str, unit: str | None
) -> Iterator[Callable[[str, int, int | None], None] | None]:
    """Counts in a unit, or, where stages have different ones, shows how many of how many."""
    if options.json or options.quiet or os.environ.get("NO_COLOR") or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    count = TextColumn(f"{{task.completed:,}} {unit}") if unit else MofNCompleteColumn()
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn(),
        console=Console(stderr=True), transient=True)
    with bar:
        task = bar.add_task(doing, total=None)
        yield lambda now, done, total: bar.update(task, description=now, completed=done, total=total)
