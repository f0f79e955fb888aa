"""What is printed: results on stdout in words or as JSON, everything else on stderr. Stored text never arrives live."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from typing import Any, TextIO

import typer

from trace_graph.cli.global_options import GlobalOptions
from trace_graph.errors import TraceGraphError
from trace_graph.text.characters import IGNORABLE
from trace_graph.text.display import visible

PLAIN_WIDTH = 100
"""Columns where there is no terminal and COLUMNS is not set. Guess."""

_LIVE = re.compile(rf"[\x7f-\x9f\u2028\u2029\ud800-\udfff{IGNORABLE}]")
"""What JSON lets through, and a terminal would act on or hide."""


class ClosedPipe(Exception):
    """Whoever read our output has gone, as `| head -1` does; nothing more is to be said."""


def show(options: GlobalOptions, value: Any, words: Callable[[], str]) -> None:
    """Print a result: with --json the value itself, otherwise its words."""
    write(as_json(value) if options.json else words())


def write(text: str) -> None:
    """Print to stdout, at once.

    Raises: ClosedPipe, TraceGraphError where it cannot be written.
    """
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError as error:
        _give_up_stdout()
        raise ClosedPipe from error
    except OSError as error:
        _give_up_stdout()
        raise TraceGraphError(
            f"The result cannot be written to standard output: {error.strerror}.",
            fix="Write it elsewhere; what the command stored is stored.") from error


def remark(options: GlobalOptions, text: str) -> None:
    """Say something beside the result, one dim line on stderr; nothing with --quiet or --json."""
    if not (options.quiet or options.json):
        complain(visible(text, one_line=True), dim=True)


def complain(text: str, *, dim: bool = False) -> None:
    """Print to stderr, whatever the options; `text` has been made visible."""
    sys.stderr.write((typer.style(text, dim=True) if dim and coloured(sys.stderr) else text) + "\n")


def as_json(value: Any) -> str:
    """A model, or lists and maps of them, as one JSON document; indented for a terminal."""
    from pydantic_core import to_jsonable_python

    plain = to_jsonable_python(value, by_alias=True, fallback=str, inf_nan_mode="strings", bytes_mode="base64")
    return json_text(plain)


def json_text(plain: Any) -> str:
    """JSON values as text in which no character is live or hidden."""
    text = json.dumps(
        plain, ensure_ascii=not _speaks_unicode(sys.stdout), allow_nan=False, indent=2 if sys.stdout.isatty() else None)
    return _LIVE.sub(lambda found: json.dumps(found.group())[1:-1], text)


def coloured(stream: TextIO) -> bool:
    """Whether colours are wanted there: a terminal, and no NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def columns() -> int:
    """The width to print for."""
    return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns


def prepare_streams() -> None:
    """Let a character that the terminal's encoding lacks be printed as an escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _speaks_unicode(stream: TextIO) -> bool:
    return stream.encoding.lower().replace("-", "") == "utf8"


def _give_up_stdout() -> None:
    """What is still buffered would be tried, and fail, again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
