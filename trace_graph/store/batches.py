"""Which rows go to the database together: a server takes no message of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

LARGEST_BATCH = 4 * 1024 * 1024
"""Bytes, about, of the rows of one query. ArcadeDB 26.10.2 drops the connection at a Bolt message over 16 MiB, where
7,000 passages are (measured); one row may hold a text of 4 MiB and its terms, for which its limit is raised."""

_NUMBER_BYTES = 9
"""Of a float or a large integer on the wire (PackStream)."""


def grouped(items: Iterable[T], most: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """The items in their order, in lists of at most `most` in size together; a larger item comes alone."""
    group: list[T] = []
    size = 0
    for item in items:
        more = size_of(item)
        if group and size + more > most:
            yield group
            group, size = [], 0
        group.append(item)
        size += more
    if group:
        yield group


def batches(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Mapping[str, Any]]]:
    """The rows in their order, in lists of at most about LARGEST_BATCH bytes; a larger row comes alone."""
    return grouped(rows, LARGEST_BATCH, _bytes)


def _bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode())
    if isinstance(value, Mapping):
        return sum(len(name) + _bytes(part) for name, part in value.items())
    if isinstance(value, list) and value and isinstance(value[0], float):
        return _NUMBER_BYTES * len(value)
    if isinstance(value, list):
        return sum(_bytes(part) for part in value)
    return _NUMBER_BYTES
