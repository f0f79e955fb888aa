"""A space becomes a file: read page by page, checked as a whole before the first line is given out."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from trace_graph.access.scopes import Space
from trace_graph.errors import InvalidInput, StoreFailed
from trace_graph.maintain.checking import Checker
from trace_graph.maintain.cut import (
    Cut,
    closable_at,
    message_at,
    passage_at,
    read_cut,
    record_of,
    session_at,
)
from trace_graph.maintain.lines import VERSION, Digest, Header, Record, header_line, order, record_line
from trace_graph.maintain.target import Target
from trace_graph.models import ExportReport, Progress
from trace_graph.store.batches import grouped
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row
from trace_graph.store.schema import schema_version

PAGE_CHARACTERS = 1024 * 1024
"""About what one page of nodes holds of text; guess, it bounds the memory that an export takes."""
NODE_CHARACTERS = 2_500
"""What a node counts beside its text: a vector of 256 numbers takes 2,304 bytes on the wire."""
EDGES_OF = 50
"""Nodes whose relationships are read together. Guess: a topic has had at most a few hundred placements."""

Encode = Callable[[Row], Record | None]


@dataclass
class _Body:
    """The lines between the first and the last, on disk, and what has been counted of them."""

    file: IO[bytes]
    checker: Checker

    def write(self, records: Iterable[Record]) -> None:
        """Add records of one kind, or of one page of one kind, in their order."""
        lines = [(record, record_line(record)) for record in records]
        lines.sort(key=lambda pair: order(*pair))
        for record, line in lines:
            self.checker.take(record, line)
            self.file.write(line)


async def export_space(
    store: Store, space: Space, out: Path | BinaryIO, *, progress: Progress | None = None
) -> ExportReport:
    """Write one state of a space to a file or a stream; nothing is written before all of it is read and checked.

    A file that is there is replaced at the end, in one step. Memory stays within about 100 MB and 200 bytes a node.
    Raises: NotFound (no such folder), Refused, StoreFailed where the graph of the space is not whole.
    """
    started = time.monotonic()
    with ExitStack() as stack:
        target = stack.enter_context(Target(out))
        body = _Body(stack.enter_context(tempfile.TemporaryFile(dir=target.folder)), Checker(space.id))
        await _read(store, space, body, progress)
        header = Header(
            VERSION, await schema_version(store), space.id, space.name, await _embedder(store),
            dict(body.checker.counts))
        digest, size = await asyncio.to_thread(_give_out, header, body.file, target.stream)
        target.keep()
    counts = body.checker.counts
    return ExportReport(
        space=space.name, messages=counts["Message"], lines=digest.lines + 1, bytes=size,
        sha256=digest.whole.hexdigest(), seconds=round(time.monotonic() - started, 3))


async def records_digest(store: Store, space: Space) -> str:
    """SHA-256 (hex) over the lines of a space's nodes and relationships, as its export would have them."""
    with tempfile.TemporaryFile() as file:
        body = _Body(file, Checker(space.id))
        await _read(store, space, body, None)
        return await asyncio.to_thread(_digest_of, file)


async def _read(store: Store, space: Space, body: _Body, progress: Progress | None) -> None:
    try:
        cut = await read_cut(store, space)
        async for records in _pages(store, space, cut):
            await asyncio.to_thread(body.write, records)
            if progress is not None:
                progress(body.checker.counts["Message"], space.messages)
        body.checker.finish()
    except InvalidInput as error:
        raise StoreFailed(
            f"The space {space.name!r} is not whole: {error.message}",
            fix="Run trace-graph doctor; nothing was exported.") from error


async def _pages(store: Store, space: Space, cut: Cut) -> AsyncIterator[list[Record]]:
    """Every record of the space at the cut, in the order of an export but for that within a page."""
    reader = _Reader(store, [space.id], cut)
    yield [cut.space]
    yield cut.topics
    revisions = await reader.ids("export_revision_ids", bound=cut.bound)
    async for page in reader.nodes(
        "export_revisions", revisions, lambda row: closable_at(record_of("SummaryRevision", row), cut)
    ):
        yield page
    messages = await reader.ids("export_message_ids", bound=cut.bound)
    ends: dict[str, tuple[int, str]] = {}
    for id, _, session, seq in messages:
        ends[session] = max(ends.get(session, (seq, id)), (seq, id))
    sessions = await store.read("export_sessions", spaces=[space.id])
    yield [record for row in sessions if (record := session_at(row, ends)) is not None]
    async for page in reader.nodes(
        "export_messages", messages, lambda row: message_at(row, cut, space.id), bound=cut.bound
    ):
        yield page
    kept = {id for id, *_ in messages}
    passages = [row for row in await reader.ids("export_passage_ids") if row[2] in kept]
    async for page in reader.nodes("export_passages", passages, lambda row: passage_at(row, cut)):
        yield page
    calls = await reader.ids("export_call_ids", bound=cut.bound)
    async for page in reader.nodes("export_calls", calls, lambda row: record_of("ModelCall", row)):
        yield page
    events = [[id, 40 * targets] for id, targets in await reader.ids("export_event_ids", bound=cut.bound)]
    async for page in reader.nodes("export_events", events, lambda row: record_of("Event", row)):
        yield page
    sources = _Sources(
        [str(topic.properties["id"]) for topic in cut.topics], _first(revisions), _first(messages),
        sorted({row[2] for row in passages}), _first(calls))
    async for page in _relationships(reader, sources):
        yield page


async def _relationships(reader: _Reader, ids: _Sources) -> AsyncIterator[list[Record]]:
    sources: list[tuple[str, str, list[str], bool]] = [
        ("PARENT_OF", "export_placements", ids.topics, True),
        ("HAS_REVISION", "export_topic_revisions", ids.topics, True),
        ("SUPERSEDES", "export_superseded", ids.revisions, True),
        ("DERIVED_FROM", "export_sources", ids.revisions, True),
        ("HAS_PASSAGE", "export_message_passages", ids.with_passages, False),
        ("NEXT", "export_next", ids.messages, True),
        ("MADE", "export_made", ids.calls, True),
    ]
    for kind, query, starts, bounded in sources:
        more = {"bound": reader.cut.bound} if bounded else {}
        for start in range(0, len(starts), EDGES_OF):
            rows = await reader.rows(query, starts[start:start + EDGES_OF], **more)
            yield [closable_at(record_of(kind, row), reader.cut) for row in rows]


@dataclass(frozen=True)
class _Sources:
    """Ids of the nodes from which relationships lead, each sorted."""

    topics: list[str]
    revisions: list[str]
    messages: list[str]
    with_passages: list[str]
    calls: list[str]


def _first(rows: Sequence[Sequence[Any]]) -> list[str]:
    return [str(row[0]) for row in rows]


@dataclass(frozen=True)
class _Reader:
    store: Store
    spaces: list[str]
    cut: Cut

    async def ids(self, query: str, **parameters: Any) -> list[list[Any]]:
        """Rows of id, length of text, and more; sorted by id."""
        rows = await self.store.read_lists(query, spaces=self.spaces, **parameters)
        return sorted(rows, key=lambda row: str(row[0]))

    async def rows(self, query: str, ids: list[str], **parameters: Any) -> list[Row]:
        return await self.store.read(query, ids=ids, spaces=self.spaces, **parameters)

    async def nodes(
        self, query: str, ids: Sequence[list[Any]], encode: Encode, **parameters: Any
    ) -> AsyncIterator[list[Record]]:
        """The nodes of these ids, a page at a time. Raises: StoreFailed where one has gone meanwhile."""
        for page in grouped(ids, PAGE_CHARACTERS, lambda row: NODE_CHARACTERS + int(row[1] or 0)):
            rows = await self.rows(query, [row[0] for row in page], **parameters)
            if len(rows) != len(page):
                raise StoreFailed("Something of this space was removed while it was read.", fix="Export it again.")
            yield [record for row in rows if (record := encode(row)) is not None]


async def _embedder(store: Store) -> dict[str, Any] | None:
    rows = await store.read("read_meta")
    if not rows or rows[0]["embedder"] is None:
        return None
    return {"dimension": rows[0]["dimension"], "name": rows[0]["embedder"], "probe": rows[0]["probe"]}


def _give_out(header: Header, body: IO[bytes], out: IO[bytes]) -> tuple[Digest, int]:
    """Write all lines; what was counted, and how many bytes there were."""
    digest, size = Digest(), 0
    body.seek(0)
    first = header_line(header)
    digest.take(first)
    out.write(first)
    for line in body:
        digest.take(line)
        size += out.write(line)
    last = digest.trailer()
    out.write(last)
    out.flush()
    return digest, size + len(first) + len(last)


def _digest_of(body: IO[bytes]) -> str:
    digest = Digest()
    digest.take(b"")
    body.seek(0)
    for line in body:
        digest.take(line)
    return str(digest.records.hexdigest())
