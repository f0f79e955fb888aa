"""Importing a file: read, checked and stored in chunks; what is wrong with an item stops only that item."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from trace_graph.errors import InvalidInput
from trace_graph.ingest.adding import Adding, parts_of
from trace_graph.ingest.importers.detect import read_file
from trace_graph.ingest.importers.lines import Item, Parsed
from trace_graph.ingest.importers.reading import Source
from trace_graph.ingest.prepare import Prepared, check
from trace_graph.models import ImportReport, Progress, RejectedLine
from trace_graph.store.ledger import Actor


@dataclass
class _Tally:
    messages: int = 0
    duplicates: int = 0
    differing: int = 0
    without_vector: int = 0
    space_created: bool = False
    sessions: set[str] = field(default_factory=set)
    rejected: list[RejectedLine] = field(default_factory=list)


@dataclass(frozen=True)
class ImportSource:
    """A file, or a stream, that is about to be imported."""

    source: Source
    format: str
    samples: Sequence[str] | None

    def items(self) -> Iterator[Item]:
        """Its messages, and what is wrong with those that are none."""
        return read_file(self.source, self.format, self.samples)


def open_source(
    path: Path | str | BinaryIO, *, format: str, samples: Sequence[str] | None, strict: bool
) -> ImportSource:
    """Look at a file before anything is opened or created for it; with `strict` at every item.

    Raises: InvalidInput (a file that is not what it should be; with `strict` naming the first bad item), NotFound.
    """
    source = ImportSource(Path(path) if isinstance(path, str) else path, format, samples)
    if not isinstance(source.source, Path):
        if strict:
            raise InvalidInput(
                "A stream cannot be checked before it is stored.", fix="Give a file, or leave out --strict.")
        return source
    for item in source.items():
        if not strict:
            break
        reason = _why_not(item)
        if reason is not None:
            raise InvalidInput(
                f"{item.place.capitalize()}: {reason}", fix="Correct it, or leave out --strict; nothing was stored.")
    return source


async def import_items(
    adding: Adding, source: ImportSource, *, space: str, progress: Progress | None, actor: Actor
) -> ImportReport:
    """Store the messages of a file; a bad item is reported and does not stop the others.

    Raises: InvalidInput, NotFound, and what storing raises.
    """
    started = time.monotonic()
    zone = await adding.zone(space)  # read afresh: another process may have changed it
    tally = _Tally()
    items = source.items()
    while chunk := list(islice(items, adding.chunk)):
        checked = await asyncio.to_thread(_checked_all, adding, zone, chunk)
        await _store_chunk(adding, space, checked, tally, actor)
        if progress is not None:
            progress(tally.messages + tally.duplicates, None)
    if tally.messages:
        await adding.end_load()
    return ImportReport(
        space=space, messages=tally.messages, duplicates=tally.duplicates, differing=tally.differing,
        without_vector=tally.without_vector, space_created=tally.space_created, sessions=len(tally.sessions),
        rejected=tally.rejected, seconds=round(time.monotonic() - started, 3))


async def _store_chunk(
    adding: Adding, name: str, checked: Sequence[Prepared | RejectedLine], tally: _Tally, actor: Actor
) -> None:
    prepared = [one for one in checked if not isinstance(one, RejectedLine)]
    tally.rejected += [one for one in checked if isinstance(one, RejectedLine)]
    if not prepared:
        return  # a file without a good message creates no space
    space, created = await adding.space(name, actor)
    tally.space_created |= created
    for part in parts_of(prepared, adding.chunk):
        for receipt in await adding.store(part, space, actor):
            tally.sessions.add(receipt.session)
            tally.messages += not receipt.duplicate
            tally.duplicates += receipt.duplicate
            tally.differing += receipt.differs
            tally.without_vector += receipt.without_vector


def _why_not(item: Item) -> str | None:
    """What is wrong with an item; None where nothing is."""
    if not isinstance(item, Parsed):
        return item.reason
    try:
        check(item.message)
    except InvalidInput as error:
        return error.message
    return None


def _checked_all(adding: Adding, zone: str, chunk: Sequence[Item]) -> list[Prepared | RejectedLine]:
    return [_checked(adding, zone, item) for item in chunk]


def _checked(adding: Adding, zone: str, item: Item) -> Prepared | RejectedLine:
    if not isinstance(item, Parsed):
        return RejectedLine(line=item.line, place=item.place, reason=item.reason)
    try:
        return adding.prepare(item.message, zone)
    except InvalidInput as error:
        return RejectedLine(line=item.line, place=item.place, reason=error.message)
