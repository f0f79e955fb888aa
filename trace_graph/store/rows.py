"""What the driver answers, with Python's own types."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import neo4j
import neo4j.time

Row = dict[str, Any]
"""One row of a result: column to value; becomes a model in the store's caller, next to the query's name."""


async def rows_of(result: neo4j.AsyncResult) -> list[Row]:
    """All rows of a result."""
    return [native(record) async for record in result]


async def lists_of(result: neo4j.AsyncResult) -> list[list[Any]]:
    """The rows of a result that holds them as lists in one record; a column of times holds no null."""
    record = await result.single(strict=True)
    rows: list[list[Any]] = record[0]
    times = [place for place, value in enumerate(rows[0]) if isinstance(value, neo4j.time.DateTime)] if rows else []
    for row in rows if times else ():
        for place in times:
            row[place] = _native_value(row[place])
    return rows


def native(record: neo4j.Record) -> Row:
    """A row with Python's own types; times become aware UTC datetimes."""
    items: Iterable[tuple[str, Any]] = record.items()  # type: ignore[no-untyped-call]  # the driver's has none
    return {key: _native_value(value) for key, value in items}


def _native_value(value: Any) -> Any:
    if isinstance(value, neo4j.time.DateTime):
        moment: datetime = value.to_native()
        # ArcadeDB keeps UTC and gives the zone back as none.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    if isinstance(value, list):
        return value if not value or isinstance(value[0], float | str) else [_native_value(part) for part in value]
    if isinstance(value, dict):
        return {key: _native_value(part) for key, part in value.items()}
    return value
