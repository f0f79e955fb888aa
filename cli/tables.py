"""Tables and cells in words; every value is shown on one line, and nothing in it is live."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from trace_graph.cli.output import coloured, columns
from trace_graph.text.display import clip, visible

LONGEST_CELL = 200
"""Characters of a value in a table (guess); --json shows all of it."""

NARROWEST = 8
"""Columns of the terminal that a column of a table needs at least, on average (guess)."""


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under a header, aligned.

    On a terminal wrapped to its width, or upright where that is too small for them; in a pipe one line a row.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    cells = [[cell(value) for value in row] for row in rows]
    if _is_too_wide(header, cells):
        # Side by side its columns would be a letter wide, or not there at all.
        return "\n\n".join(table(("COLUMN", "VALUE"), list(zip(header, row, strict=True))) for row in rows)
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in header:
        shown.add_column(Text(visible(name, one_line=True)), overflow="fold")
    for row in cells:
        shown.add_row(*map(Text, row))
    return rendered(shown, width=columns() if sys.stdout.isatty() else 10_000)


def _is_too_wide(header: Sequence[str], cells: Sequence[Sequence[str]]) -> bool:
    """Whether a terminal has no room for the table, and too little for each of its columns."""
    from rich.cells import cell_len

    if not sys.stdout.isatty() or len(header) == 2 or columns() >= NARROWEST * len(header):
        return False
    between = 3 * (len(header) - 1)
    return between + sum(max(map(cell_len, column)) for column in zip(header, *cells, strict=True)) > columns()


def cell(value: Any) -> str:
    """One value on one line."""
    if value is None:
        return "null"
    if isinstance(value, str):
        text = value
    elif isinstance(value, dict | list | bool):
        text = json.dumps(value, ensure_ascii=False, default=_plain)
    else:
        text = _plain(value)
    return clip(visible(text, one_line=True), LONGEST_CELL)


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def moment(value: datetime) -> str:
    """A time for people, to the minute, in UTC."""
    return f"{value:%Y-%m-%d %H:%M} UTC"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 message`, `2 messages`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def arrears(behind: int, failed: int = 0) -> list[str]:
    """How far a wording lags, in words: nothing where it is up to date."""
    words = []
    if behind:
        words.append(f"{counted(behind, 'message')} behind")
    if failed:
        words.append(f"{counted(failed, 'wording')} refused")
    return words


def rendered(thing: Any, *, width: int) -> str:
    """What rich draws of a thing, as text; with colours where stdout wants them."""
    from io import StringIO

    from rich.console import Console

    drawn = StringIO()
    console = Console(
        file=drawn, width=width, force_terminal=coloured(sys.stdout), no_color=not coloured(sys.stdout),
        highlight=False, emoji=False, markup=False, legacy_windows=False)
    console.print(thing)
    return "\n".join(line.rstrip() for line in drawn.getvalue().splitlines())


def decimals(value: float) -> str:
    """A score with two decimals."""
    return f"{round(value, 2) + 0.0:.2f}"  # no -0.00
