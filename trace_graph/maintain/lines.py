"""The format `trace-graph`, version 2: one space as canonical JSON lines. Pure. docs/export-format.md describes it.

A first line (format, versions, embedder, space, counts), one line a node and one a relationship in the order of
`KINDS`, and a last line with the number of lines and SHA-256 of everything before it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from trace_graph.errors import InvalidInput, StoreFailed

FORMAT = "trace-graph"
VERSION = 2
"""1 had no calls to models; it is read as before."""

NODES = ("Space", "Topic", "SummaryRevision", "Session", "Message", "Passage", "ModelCall", "Event")
RELATIONSHIPS = ("PARENT_OF", "HAS_REVISION", "SUPERSEDES", "DERIVED_FROM", "HAS_PASSAGE", "NEXT", "MADE")
KINDS: Mapping[str, int] = {kind: place for place, kind in enumerate((*NODES, *RELATIONSHIPS))}
"""Labels and relationship types with their place in a file."""

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes. Guess: a text of 4 MiB, its content and its terms, with every character escaped, stay below."""

_PROPERTY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_FLOATS = {"float32": "<f4", "float64": "<f8"}
_LARGEST_INTEGER = 2**63 - 1
REAL = frozenset({"score", "margin", "temperature"})
"""Properties that are fractions; where one is whole an engine may give it back as an integer."""

Value = str | int | float | bool | datetime | list[str] | list[float]


@dataclass(frozen=True)
class Record:
    """One line between the first and the last: a node, or a relationship with the ids of its ends."""

    kind: str
    properties: Mapping[str, Any]
    """As the database holds them, but for `space`, which the first line says; times are aware datetimes."""
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True)
class Header:
    """The first line of an export."""

    version: int
    schema_version: int
    space_id: str
    space_name: str
    embedder: Mapping[str, Any] | None
    """Name, dimension and probe vector; None where no embedder was in use."""
    counts: Mapping[str, int]
    """Lines by kind."""


@dataclass
class Digest:
    """What the last line says of all lines before it, counted while they pass."""

    lines: int = 0
    whole: Any = field(default_factory=hashlib.sha256)
    records: Any = field(default_factory=hashlib.sha256)

    def take(self, line: bytes) -> None:
        """Count one line, its end included; the first one is the header."""
        self.whole.update(line)
        if self.lines:
            self.records.update(line)
        self.lines += 1

    def trailer(self) -> bytes:
        """The last line."""
        return canonical({"end": {
            "lines": self.lines, "records_sha256": self.records.hexdigest(), "sha256": self.whole.hexdigest()}})


def is_time(name: str) -> bool:
    """Whether a property of this name is a time; no other is one."""
    return name == "at" or name.endswith("_at")


def canonical(value: Mapping[str, Any]) -> bytes:
    """A JSON object as one line: keys sorted, no spaces, UTF-8 without escapes that JSON does not ask for."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def header_line(header: Header) -> bytes:
    """The first line."""
    return canonical({
        "counts": dict(header.counts), "embedder": header.embedder, "format": FORMAT,
        "schema_version": header.schema_version, "space": {"id": header.space_id, "name": header.space_name},
        "version": header.version})


def record_line(record: Record) -> bytes:
    """The line of a node or a relationship. Raises: StoreFailed for a value that has no place in the format."""
    value: dict[str, Any] = {"kind": record.kind, "properties": {
        name: _encoded(record.kind, name, one) for name, one in record.properties.items() if one is not None}}
    if record.source is not None:
        value |= {"from": record.source, "to": record.target}
    return canonical(value)


def order(record: Record, line: bytes) -> tuple[int, str, str, bytes]:
    """Where a record stands in a file: by kind, then nodes by id, relationships by the ids of their ends."""
    place = KINDS[record.kind]
    if record.source is None or record.target is None:
        return place, str(record.properties["id"]), "", b""
    return place, record.source, record.target, line


def parse_object(line: bytes) -> dict[str, Any]:
    """The JSON object of one line, which must be written as we write it. Raises: InvalidInput saying what is wrong."""
    try:
        value = json.loads(line)
        if isinstance(value, dict) and canonical(value) == line:
            return value
    except (ValueError, RecursionError) as error:
        raise InvalidInput("It is not JSON in UTF-8.") from error
    raise InvalidInput("It is not written as an export writes it.")


def parse_header(line: bytes) -> Header:
    """The first line. Raises: InvalidInput."""
    value = parse_object(line)
    if value.get("format") != FORMAT:
        raise InvalidInput("It is not the first line of an export of trace-graph.")
    match value:
        case {
            "counts": dict(counts), "embedder": dict() | None as embedder, "schema_version": int(schema),
            "space": {"id": str(id), "name": str(name)}, "version": int(version),
        } if _are_counts(counts) and _is_embedder(embedder):
            return Header(version, schema, id, name, embedder, counts)
        case {"version": int(version)} if version > VERSION:
            return Header(version, 0, "", "", None, {})
    raise InvalidInput("The first line lacks something, or holds what does not belong there.")


def _are_counts(counts: Mapping[str, Any]) -> bool:
    return all(kind in KINDS and type(count) is int for kind, count in counts.items())


def _is_embedder(value: Mapping[str, Any] | None) -> bool:
    match value:
        case None:
            return True
        case {"dimension": int(dimension), "name": str(), "probe": list(probe)}:
            return len(probe) == dimension and all(isinstance(one, int | float) for one in probe)
    return False


def parse_record(value: Mapping[str, Any]) -> Record:
    """A line between the first and the last. Raises: InvalidInput."""
    match value:
        case {"kind": str(kind), "properties": dict(properties)} if kind in KINDS:
            decoded = {name: _decoded(name, one) for name, one in properties.items()}
            ends = {"from", "to"} if kind in RELATIONSHIPS else set()
            if set(value) != {"kind", "properties"} | ends:
                raise InvalidInput(f"A {kind} has other parts.")
            source, target = value.get("from"), value.get("to")
            if ends and not (isinstance(source, str) and isinstance(target, str)):
                raise InvalidInput(f"The ends of a {kind} are ids.")
            return Record(kind, decoded, source, target)
    raise InvalidInput("It is neither a node nor a relationship of a kind that is known.")


def _encoded(kind: str, name: str, value: Any) -> Any:
    if not _PROPERTY.fullmatch(name) or isinstance(value, datetime) is not is_time(name):
        raise _unknown(kind, name)
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if name in REAL and isinstance(value, int | float):
        return float(value)
    if isinstance(value, list) and value and all(isinstance(one, float) for one in value):
        return _packed(value)
    if isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise _unknown(kind, name)


def _packed(numbers: list[float]) -> dict[str, str]:
    """A vector by the bytes of its numbers, little endian: of 32 bits where that loses nothing."""
    wide = np.asarray(numbers, dtype=np.float64)
    narrow = wide.astype(np.float32)
    name: Literal["float32", "float64"] = "float32" if np.array_equal(narrow.astype(np.float64), wide) else "float64"
    array = narrow if name == "float32" else wide
    return {name: base64.b64encode(array.astype(_FLOATS[name]).tobytes()).decode("ascii")}


def _decoded(name: str, value: Any) -> Value:
    if not _PROPERTY.fullmatch(name):
        raise InvalidInput("A property has a name that no property has.")
    if is_time(name):
        return _time(name, value)
    if isinstance(value, dict):
        return _unpacked(name, value)
    if isinstance(value, bool | str | float):
        return value
    if isinstance(value, int) and abs(value) <= _LARGEST_INTEGER:
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise InvalidInput(f"The property {name} has a value that none has.")


def _time(name: str, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"The property {name} is no time.") from error
    if moment.utcoffset() is None or moment.astimezone(UTC).isoformat(timespec="microseconds") != value:
        raise InvalidInput(f"The property {name} is no time in UTC with microseconds.")
    return moment


def _unpacked(name: str, value: Mapping[str, Any]) -> list[float]:
    match value:
        case {"float32": str(text)} | {"float64": str(text)} if len(value) == 1:
            try:
                raw = base64.b64decode(text, validate=True)
                numbers = np.frombuffer(raw, dtype=_FLOATS[next(iter(value))])
            except (binascii.Error, ValueError) as error:
                raise InvalidInput(f"The property {name} is no vector.") from error
            if len(numbers) and np.isfinite(numbers).all():
                unpacked: list[float] = numbers.tolist()
                return unpacked
    raise InvalidInput(f"The property {name} is no vector.")


def _unknown(kind: str, name: str) -> StoreFailed:
    return StoreFailed(
        f"A {kind} has a property {name[:64]!r} whose value has no place in an export.",
        fix="Run trace-graph doctor; nothing was exported.")
