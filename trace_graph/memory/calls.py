"""Calls to models, as they are listed, shown, counted and written to a file."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from trace_graph.access.scopes import Scope, Space
from trace_graph.maintain.lines import canonical
from trace_graph.maintain.target import Target
from trace_graph.memory.rebuilding import rebuild
from trace_graph.models import CallRecord, CallsExportReport
from trace_graph.retrieve.calls import Wanted, all_calls, read_call, read_calls
from trace_graph.store.connection import Store
from trace_graph.text.times import parse_time

EVER = datetime(1970, 1, 1, tzinfo=UTC)


def wanted_calls(
    purpose: str | None, outcome: str | None, since: datetime | str | None, limit: int, zone: str
) -> Wanted:
    """Which calls are meant; a time without an offset is read in the zone of the space. Raises: InvalidInput."""
    return Wanted.of(purpose, outcome, EVER if since is None else parse_time(since, zone).instant, limit)


async def show_call(store: Store, scope: Scope, id: str) -> CallRecord:
    """One call with its request made again. Raises: NotFound, EngineUnavailable, StoreFailed."""
    call = await read_call(store, scope, id)
    before = await read_calls(store, scope, [call.follows]) if call.follows is not None else []
    again = await rebuild(store, scope, call, before[0] if before else None)
    return CallRecord(**dict(call), rebuilt=again)


async def export_calls(store: Store, scope: Scope, space: Space, out: Path | BinaryIO) -> CallsExportReport:
    """Write every call for a space as JSON lines, by id.

    A file that is there is replaced at the end, in one step; only its owner may read it.
    Raises: NotFound (no such folder), InvalidInput, EngineUnavailable, StoreFailed.
    """
    calls = size = 0
    with Target(out) as target:
        async for call in all_calls(store, scope, space):
            line = canonical(call.model_dump(mode="json"))
            size += await asyncio.to_thread(target.stream.write, line)
            calls += 1
        target.stream.flush()
        target.keep()
    return CallsExportReport(space=space.name, calls=calls, bytes=size)
