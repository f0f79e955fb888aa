"""How a file is read: its encoding, its lines or its one JSON document, and the limits on all of them."""

from __future__ import annotations

import codecs
import io
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from trace_graph.errors import InvalidInput
from trace_graph.text.files import open_file

Source = Path | BinaryIO
"""A file's path, or an open binary stream (standard input). A stream is read from where it stands."""

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Bytes of UTF-8 in one line; guess: twice the longest text that a message may have."""
MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
"""Bytes of a file that is one JSON document; LongMemEval-S, the largest of the benchmarks read whole, has 277 MB."""
CHUNK_BYTES = 1024 * 1024

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SAVE_AS_UTF8 = "Save the file as UTF-8 (iconv -f ITS-ENCODING -t UTF-8 FILE) and import it again."


_OF_AN_ESCAPE = frozenset("\\u0123456789abcdefABCDEF")
"""Characters of an escape; where nothing else follows up to the end, the end cuts through it."""


class Line(NamedTuple):
    """One line of a file."""

    number: int
    """From 1."""
    offset: int
    """Bytes before it, of the file as UTF-8."""
    content: bytes | None
    """UTF-8, without its line end; None where the line is longer than MAX_LINE_BYTES."""


class BadJson(Exception):
    """Why some bytes are no JSON that we read, in one sentence."""


class BrokenOff(BadJson):
    """That the JSON ends in the middle, or there is none at all."""


class BadBytes(BadJson):
    """Which byte is not UTF-8."""


def source_name(source: Source) -> str:
    """The file's name without its folder; `-` for a stream."""
    return source.name if isinstance(source, Path) else "-"


@contextmanager
def opened(source: Source) -> Iterator[BinaryIO]:
    """The source as an open binary stream, closed at the end where it was opened here.

    Raises: NotFound where there is no such file, InvalidInput where it cannot be read.
    """
    if not isinstance(source, Path):
        yield source
        return
    with open_file(source) as stream:
        yield stream


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines that are not empty, one after the other; holds one line and one chunk at a time.

    A line of more than MAX_LINE_BYTES is passed over without being held.
    """
    number, offset, pending, passed_over = 1, 0, bytearray(), 0
    for chunk in _utf8_chunks(stream):
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            length = passed_over + len(pending) + len(piece)
            if length > MAX_LINE_BYTES:
                yield Line(number, offset, None)
            elif not _is_blank(content := bytes(pending) + piece):
                yield Line(number, offset, content)
            number, offset, passed_over = number + 1, offset + length + 1, 0
            pending.clear()
        pending += rest
        if passed_over + len(pending) > MAX_LINE_BYTES:
            passed_over += len(pending)
            pending.clear()
    if passed_over or not _is_blank(bytes(pending)):
        yield Line(number, offset, None if passed_over else bytes(pending))


def read_document(source: Source) -> object:
    """The one JSON value that the source holds.

    Raises: NotFound, InvalidInput where it is too large, undecodable (with the byte) or not JSON (with the place).
    """
    name, chunks, size = source_name(source), [], 0
    with opened(source) as stream:
        for chunk in _utf8_chunks(stream):
            size += len(chunk)
            if size > MAX_DOCUMENT_BYTES:
                raise InvalidInput(
                    f"{name} is larger than {MAX_DOCUMENT_BYTES} bytes, the limit for one JSON document.",
                    fix="Cut it into several files, or write it as JSON lines, which have no such limit.",
                )
            chunks.append(chunk)
    try:
        return parse_json(b"".join(chunks))
    except BadBytes as error:
        raise InvalidInput(f"{name}: {error}", fix=_SAVE_AS_UTF8) from error
    except BadJson as error:
        raise InvalidInput(
            f"{name}: {error}", fix="Correct the file, or name its format with --format."
        ) from error


def parse_line(line: Line) -> object:
    """The JSON value of a line. Raises: BadJson, also where the line was too long to hold."""
    if line.content is None:
        raise BadJson(f"longer than {MAX_LINE_BYTES} bytes, the limit for a line.")
    return parse_json(line.content, line.offset)


def parse_json(data: bytes, offset: int = 0) -> object:
    """The JSON value in these bytes of UTF-8, which stand at `offset` in their file.

    Raises: BadJson also where a key stands twice in an object or a number has no value in JSON (NaN, Infinity);
        BadBytes where the bytes are not UTF-8.
    """
    try:
        text = data.decode().removeprefix("\ufeff")
        value: object = json.loads(
            text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_no_key_twice
        )
    except UnicodeDecodeError as error:
        raise BadBytes(f"byte {offset + error.start} (0x{data[error.start]:02x}) is not UTF-8.") from error
    except json.JSONDecodeError as error:
        raise _no_json(text, error) from error
    except RecursionError as error:
        raise BadJson("nested too deeply.") from error
    except ValueError as error:
        raise BadJson(f"not JSON that can be kept: {error}.") from error
    return value


def _no_json(text: str, error: json.JSONDecodeError) -> BadJson:
    if not text.strip():
        return BrokenOff("it is empty.")
    place = f"line {error.lineno}, column {error.colno}"
    rest = text[error.pos:].strip()
    # A word, a number or an escape that the end cuts through is reported where it begins.
    cut_through = any(word.startswith(rest) for word in ("true", "false", "null")) or all(one in "-.eE" for one in rest)
    cut_escape = error.msg.startswith("Invalid \\") and all(one in _OF_AN_ESCAPE for one in rest)
    if cut_through or cut_escape or error.msg.startswith("Unterminated string"):
        return BrokenOff(f"it breaks off in the middle ({place}): the end is missing.")
    return BadJson(f"not JSON: {error.msg} ({place}).")


def read_head(stream: BinaryIO, size: int) -> str:
    """The first `size` bytes as text, undecodable ones replaced: to look at, not to keep."""
    return b"".join(_utf8_chunks(io.BytesIO(stream.read(size)), partial=True)).decode(errors="replace")


def _is_blank(content: bytes) -> bool:
    return not content.removeprefix(codecs.BOM_UTF8).strip()


def _utf8_chunks(stream: BinaryIO, *, partial: bool = False) -> Iterator[bytes]:
    """The stream's bytes as UTF-8: UTF-16 is converted, everything else is passed on unchecked.

    `partial`: the stream may end within a character.
    """
    chunk = stream.read(CHUNK_BYTES)
    encoding = _UTF16.get(chunk[:2])
    if encoding is None:
        while chunk:
            yield chunk
            chunk = stream.read(CHUNK_BYTES)
        return
    decoder, position, chunk = codecs.getincrementaldecoder(encoding)(), 2, chunk[2:]
    while True:
        held = len(decoder.getstate()[0])
        try:
            yield decoder.decode(chunk).encode()
        except UnicodeDecodeError as error:
            raise _not_utf16(position - held + error.start) from error
        position += len(chunk)
        chunk = stream.read(CHUNK_BYTES)
        if not chunk:
            break
    if not partial and (held := len(decoder.getstate()[0])):
        raise _not_utf16(position - held)


def _not_utf16(position: int) -> InvalidInput:
    return InvalidInput(
        f"Byte {position} is not UTF-16, which the file's first two bytes announce.", fix=_SAVE_AS_UTF8
    )


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return record
