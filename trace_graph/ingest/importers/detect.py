"""Which format a file has, by what it holds, and the way into each importer."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import cast

from trace_graph.errors import InvalidInput
from trace_graph.ingest.importers import beam, jsonl, locomo, longmemeval, openai_chat
from trace_graph.ingest.importers.lines import Item
from trace_graph.ingest.importers.reading import BrokenOff, Source, opened, read_document, read_head, source_name

Importer = Callable[[Source, Sequence[str] | None], Iterator[Item]]

FORMATS: Mapping[str, Importer] = MappingProxyType({
    "jsonl": jsonl.read,
    "openai": openai_chat.read,
    "locomo": locomo.read,
    "longmemeval": longmemeval.read,
    "beam": beam.read,
})
"""The importers by the name that --format takes; `auto` is `detect`'s answer."""

_SIGNS: tuple[tuple[str, Callable[[object], bool]], ...] = (
    ("locomo", locomo.is_sample),
    ("longmemeval", longmemeval.is_question),
    ("beam", beam.is_batch),
    ("openai", openai_chat.is_conversation),
    ("openai", openai_chat.is_message),
)

HEAD_BYTES = 1024 * 1024
"""What is looked at first; guess. A sample of LoCoMo has 300 KB, a question of LongMemEval-S 500 KB."""
MOST_HEAD_BYTES = 64 * HEAD_BYTES
"""What is looked at at most, where the first item is longer than HEAD_BYTES; guess."""
_LINES_LOOKED_AT = 20


def read_file(source: Source, format: str = "auto", samples: Sequence[str] | None = None) -> Iterator[Item]:
    """The messages of a file, folder or stream in this format; none or an empty list of samples means all.

    Nothing is read before the first item is asked for. A stream that cannot seek is copied to a temporary file first,
    but for the format jsonl.
    Raises: InvalidInput for an unknown format, or a file that is not what the format says; NotFound for an unknown
        sample or file.
    """
    if format != "auto" and format not in FORMATS:
        raise InvalidInput(f"There is no format {format[:40]!r}.", fix=f"Choose auto or one of: {_names()}.")
    with ExitStack() as stack:
        if not isinstance(source, Path) and format != "jsonl" and not source.seekable():
            copy = stack.enter_context(tempfile.TemporaryFile())
            shutil.copyfileobj(source, copy)
            copy.seek(0)
            source = copy
        yield from FORMATS[detect(source) if format == "auto" else format](source, samples or None)


def detect(source: Source) -> str:
    """The name of the format that the source's first item has; a stream must be seekable and is left where it stood.

    Raises: InvalidInput where it has none of them, NotFound where there is no such file.
    """
    if isinstance(source, Path) and source.is_dir():
        beam.beam_chats(source)
        return "beam"
    found = _detect_in_file(source)
    if found is None and Path(source_name(source)).suffix.lower() in openai_chat.LINES_SUFFIXES:
        return "jsonl"
    if found is None:
        _refuse_broken(source)
        raise InvalidInput(
            f"The format of {source_name(source)} cannot be told from what it holds.",
            fix=f"Name it with --format, one of: {_names()}.",
        )
    return found


def _refuse_broken(source: Source) -> None:
    """A file that is empty, or whose JSON breaks off, has a fault that is easier to mend than its format.

    Raises: InvalidInput.
    """
    with opened(source) as stream:
        start = stream.tell()
        head = read_head(stream, HEAD_BYTES).removeprefix("\ufeff").lstrip()
        stream.seek(start)
        if not head or head.startswith(("{", "[")):
            try:
                read_document(source if isinstance(source, Path) else stream)
            except InvalidInput as error:
                if isinstance(error.__cause__, BrokenOff):
                    raise
            finally:
                stream.seek(start)


def _detect_in_file(source: Source) -> str | None:
    size = HEAD_BYTES
    with opened(source) as stream:
        start = stream.tell()
        while True:
            head = read_head(stream, size)
            is_all = not stream.read(1)
            stream.seek(start)
            found = _format_of_first(head) or _format_of_lines(head)
            if found or is_all or size >= MOST_HEAD_BYTES:
                return found
            size *= 8


def _format_of_first(head: str) -> str | None:
    """The format of the first value, or of the first element where that is a list."""
    text = head.removeprefix("\ufeff").lstrip()
    first = _first_value(text)
    if first is not None:
        return _format_of(first)
    return _format_of_element(_first_value(text[1:].lstrip())) if text.startswith("[") else None


def _format_of_lines(head: str) -> str | None:
    for line in head.split("\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT]:
        value = _first_value(line.strip())
        found = _format_of(value) if value is not None else None
        if found:
            return found
    return None


def _first_value(text: str) -> object:
    """The JSON object or list that the text begins with; None where it begins with none, or breaks off."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return cast(object, json.JSONDecoder().raw_decode(text)[0])
    except (ValueError, RecursionError):
        return None


def _format_of(value: object) -> str | None:
    if isinstance(value, list):
        return _format_of_element(value[0]) if value else None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("data"), list) and any(map(longmemeval.is_question, value["data"][:1])):
        return "longmemeval"
    found = _format_of_element(value)
    is_message = "text" in value or ("content" in value and not openai_chat.MESSAGE_FIELDS.issuperset(value))
    if is_message and found in (None, "openai"):
        return "jsonl"
    return found


def _format_of_element(value: object) -> str | None:
    if isinstance(value, list):
        value = value[0] if value and not isinstance(value[0], list) else None
        return "openai" if openai_chat.is_message(value) else None
    return next((name for name, fits in _SIGNS if fits(value)), None)


def _names() -> str:
    return ", ".join(FORMATS)
