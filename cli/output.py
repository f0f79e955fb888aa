"""What is printed: results on stdout in words or as JSON, everything else on stderr. Stored text never arrives live."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TextIO

import typer

from trace_graph.cli.global_options import GlobalOptions
from trace_graph.errors import TraceGraphError
from trace_graph.text.characters import IGNORABLE
from trace_graph.text.display import visible

PLAIN_WIDTH = 100
"""Columns where there is no terminal and COLUMNS is not set. Guess."""

_LIVE = re.compile(rf"[\x7f-\x9f\u2028\u2029\ud800-\udfff{IGNORABLE}]")
"""What JSON lets through, and a terminal would act on or hide."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")


class ClosedPipe(Exception):
    """Whoever read our output has gone, as `| head -1` does; nothing more is to be said."""


def show(options: GlobalOptions, value: Any, words: Callable[[], str]) -> None:
    """Print a result: with --json the value itself, otherwise its words."""
    write(as_json(value) if options.json else words())


def write(text: str) -> None:
    """Print to stdout, at once.

    Raises: ClosedPipe, TraceGraphError where it cannot be written.
    """
    with _stdout_failing_in_words():
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()


@contextmanager
def _stdout_failing_in_words() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        _give_up_stdout()
        raise ClosedPipe from error
    except OSError as error:
        _give_up_stdout()
        raise TraceGraphError(
            f"The result cannot be written to standard output: {error.strerror}.",
            fix="Write it elsewhere; what the command stored is stored.") from error


def write_piece(text: str) -> None:
    """Print a part of a line to stdout, at once; `text` has been made visible. Raises: as `write`."""
    with _stdout_failing_in_words():
        sys.stdout.write(text)
        sys.stdout.flush()


def write_bytes(source: IO[bytes]) -> None:
    """Copy bytes to stdout as they are.

    Raises: ClosedPipe, TraceGraphError where they cannot be written.
    """
    with _stdout_failing_in_words():
        shutil.copyfileobj(source, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def remark(options: GlobalOptions, text: str) -> None:
    """Say something beside the result, one dim line on stderr; nothing with --quiet or --json."""
    if not (options.quiet or options.json):
        complain(visible(text, one_line=True), dim=True)


def complain(text: str, *, dim: bool = False) -> None:
    """Print to stderr, whatever the options; `text` has been made visible."""
    sys.stderr.write((typer.style(text, dim=True) if dim and coloured(sys.stderr) else text) + "\n")


def as_json(value: Any) -> str:
    """A model, or lists and maps of them, as one JSON document; indented for a terminal.

    No character in it is live or hidden: those are escaped, which JSON reads as the same text.
    """
    from pydantic_core import to_json

    text = to_json(
        value, indent=2 if sys.stdout.isatty() else None, by_alias=True, fallback=str, inf_nan_mode="strings",
        bytes_mode="base64").decode()
    return _escaped(text)


def error_json(error: TraceGraphError) -> str:
    """An error as the JSON document that --json promises."""
    return _escaped(json.dumps(
        {"error": {"code": error.code, "message": error.message, "fix": error.fix}}, ensure_ascii=False))


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


def _escaped(text: str) -> str:
    """JSON text whose live characters, or all beyond ASCII where stdout is not UTF-8, are escapes."""
    unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    return (_LIVE if unicode else _BEYOND_ASCII).sub(lambda found: json.dumps(found.group())[1:-1], text)


def _give_up_stdout() -> None:
    """What is still buffered would be tried, and fail, again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
