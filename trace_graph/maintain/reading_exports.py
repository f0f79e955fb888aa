"""A file is read as an export: all of it is checked first, then its records are given out in batches. No database."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from trace_graph.errors import InvalidInput, Refused
from trace_graph.maintain.checking import Checker
from trace_graph.maintain.lines import (
    FORMAT,
    LONGEST_LINE,
    VERSION,
    Digest,
    Header,
    Record,
    parse_header,
    parse_object,
    parse_record,
    record_line,
)
from trace_graph.text.files import open_file

LONGEST_HEADER = 1024 * 1024
"""Bytes looked at to tell whether a file is an export. Guess: a header has 6 KB."""
LARGEST_BATCH = 1024 * 1024
"""Bytes of lines written together; a longer line comes alone. Guess: short transactions beside other writers."""
MOST_TOGETHER = 500
"""Records written together; guess."""

NOT_WHOLE = "Use an undamaged copy of the file; nothing was stored."


@dataclass(frozen=True)
class Verified:
    """An export that is whole."""

    header: Header
    sha256: str
    records_sha256: str
    kind_of: dict[str, str]
    """Label by id of node."""


@dataclass(frozen=True)
class Batch:
    """Records of one kind, with relationships to one label, that stand together in the file."""

    kind: str
    target: str
    """The label that relationships lead to; empty for nodes, and for MADE, which leads to several in turn."""
    records: list[Record]
    lines: int
    """Of the file, up to the last one of this batch."""


def is_export(source: Path | BinaryIO) -> bool:
    """Whether a file begins as an export does. A stream must be seekable, and is left where it stood."""
    if isinstance(source, Path) and not source.is_file():
        return False
    with opened(source) as stream:
        first = stream.readline(LONGEST_HEADER)
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("format") == FORMAT


def verify(source: Path | BinaryIO) -> Verified:
    """Read all of an export and check it: checksum, counts, order, shapes and references.

    Raises: InvalidInput naming the line, Refused where a newer trace-graph wrote it, NotFound.
    """
    digest = Digest()
    with opened(source) as stream:
        number = 0
        try:
            header = _header(stream, digest)
            checker = Checker(header.space_id)
            for number, line in enumerate(_lines(stream), start=2):  # noqa: B007  named in the error
                value = parse_object(line)
                if "end" in value:
                    _check_end(line, digest, stream)
                    checker.finish(header)
                    return Verified(header, digest.whole.hexdigest(), digest.records.hexdigest(), checker.kind_of)
                checker.take(_record(value, line), line)
                digest.take(line)
        except InvalidInput as error:
            raise InvalidInput(f"Line {number or 1} of the export: {error.message}", fix=NOT_WHOLE) from error
    raise InvalidInput("The export breaks off before its last line.", fix=NOT_WHOLE)


def batches_of(source: Path | BinaryIO, verified: Verified, skip: int) -> Generator[Batch]:
    """The records of a verified export, in batches, without the first `skip` lines.

    Raises: InvalidInput where it is another file by now.
    """
    digest, group, size = Digest(), ("", ""), 0
    together: list[Record] = []
    with opened(source) as stream:
        _header(stream, digest)
        for line in _lines(stream):
            value = parse_object(line)
            if "end" in value:
                break
            digest.take(line)
            if digest.lines <= skip:
                continue
            record = parse_record(value)
            own = (record.kind, _label(record, verified))
            if together and (own != group or size + len(line) > LARGEST_BATCH or len(together) == MOST_TOGETHER):
                yield Batch(*group, together, digest.lines - 1)
                together, size = [], 0
            group = own
            together.append(record)
            size += len(line)
    if digest.whole.hexdigest() != verified.sha256:
        raise InvalidInput("The file changed while it was read.", fix="Import it again.")
    if together:
        yield Batch(*group, together, digest.lines)


def _label(record: Record, verified: Verified) -> str:
    return "" if record.target is None or record.kind == "MADE" else verified.kind_of[record.target]


@contextmanager
def opened(source: Path | BinaryIO) -> Iterator[IO[bytes]]:
    """The source as an open stream: a file is closed at the end, a stream left where it stood.

    Raises: NotFound, InvalidInput.
    """
    if not isinstance(source, Path):
        start = source.tell()
        try:
            yield source
        finally:
            if not source.closed:
                source.seek(start)
        return
    with open_file(source) as stream:
        yield stream


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise InvalidInput(f"It is longer than {LONGEST_LINE} bytes, the limit for a line.")
        yield line


def _header(stream: IO[bytes], digest: Digest) -> Header:
    line = stream.readline(LONGEST_HEADER)
    header = parse_header(line)
    if header.version > VERSION:
        raise Refused(
            f"This export has format version {header.version}; this trace-graph knows up to {VERSION}.",
            fix="Upgrade trace-graph: pip install --upgrade trace-graph.")
    digest.take(line)
    return header


def _record(value: dict[str, Any], line: bytes) -> Record:
    """A record that an export would write as this very line."""
    record = parse_record(value)
    if record_line(record) != line:
        raise InvalidInput("It is not written as an export writes it.")
    return record


def _check_end(line: bytes, digest: Digest, stream: IO[bytes]) -> None:
    if line != digest.trailer():
        raise InvalidInput("The checksum is another: the file is damaged.")
    if stream.read(1):
        raise InvalidInput("Something follows after the last line.")
