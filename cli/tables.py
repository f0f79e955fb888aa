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


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under a header, aligned; on a terminal wrapped to its width, in a pipe one line a row."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in header:
        shown.add_column(Text(visible(name, one_line=True)), overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell(value)) for value in row))
    return rendered(shown, width=columns() if sys.stdout.isatty() else 10_000)


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
