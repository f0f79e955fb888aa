"""Importing a file: read, checked and stored in chunks; what is wrong with an item stops only that item."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from trace_graph.access.scopes import Space
from trace_graph.errors import InvalidInput
from trace_graph.ingest.adding import Adding
from trace_graph.ingest.importers.detect import read_file
from trace_graph.ingest.importers.lines import Item, Parsed
from trace_graph.ingest.prepare import Prepared
from trace_graph.models import ImportReport, Progress, RejectedLine
from trace_graph.store.ledger import Actor


@dataclass
class _Tally:
    messages: int = 0
    duplicates: int = 0
    sessions: set[str] = field(default_factory=set)
    rejected: list[RejectedLine] = field(default_factory=list)


async def import_file(
    adding: Adding, path: Path | str | BinaryIO, *, space: str, format: str, samples: Sequence[str] | None,
    strict: bool, progress: Progress | None, actor: Actor,
) -> ImportReport:
    """Store the messages of a file; with `strict` nothing is stored unless every item is good.

    Raises: InvalidInput (with `strict`: naming the first bad item), NotFound, and what storing raises.
    """
    started = time.monotonic()
    source = Path(path) if isinstance(path, str) else path
    if strict and not isinstance(source, Path):
        raise InvalidInput("A stream cannot be checked before it is stored.", fix="Give a file, or leave out --strict.")
    first = next(read_file(source, format, samples), None) if isinstance(source, Path) else None
    zone = await adding.zone(space)
    if strict and first is not None:
        _check_all(adding, zone, read_file(source, format, samples))
    # The file has been opened and recognised: only now may the space come into being.
    target = await adding.space(space, actor)
    tally = _Tally()
    items = read_file(source, format, samples)
    while chunk := list(islice(items, adding.chunk)):
        await _store_chunk(adding, target, chunk, tally, actor)
        if progress is not None:
            progress(tally.messages + tally.duplicates, None)
    return ImportReport(
        space=space, messages=tally.messages, duplicates=tally.duplicates, sessions=len(tally.sessions),
        rejected=tally.rejected, seconds=round(time.monotonic() - started, 3))


async def _store_chunk(
    adding: Adding, space: Space, chunk: Sequence[Item], tally: _Tally, actor: Actor
) -> None:
    prepared = []
    for item in chunk:
        checked = _checked(adding, space.time_zone, item)
        if isinstance(checked, RejectedLine):
            tally.rejected.append(checked)
        else:
            prepared.append(checked)
    if not prepared:
        return
    for receipt in await adding.store(prepared, space, actor):
        tally.sessions.add(receipt.session)
        if receipt.duplicate:
            tally.duplicates += 1
        else:
            tally.messages += 1


def _check_all(adding: Adding, zone: str, items: Iterator[Item]) -> None:
    for item in items:
        checked = _checked(adding, zone, item)
        if isinstance(checked, RejectedLine):
            raise InvalidInput(
                f"Line {checked.line}: {checked.reason}", fix="Correct it, or leave out --strict; nothing was stored.")


def _checked(adding: Adding, zone: str, item: Item) -> Prepared | RejectedLine:
    if not isinstance(item, Parsed):
        return RejectedLine(line=item.line, reason=item.reason)
    try:
        return adding.prepare(item.message, zone)
    except InvalidInput as error:
        return RejectedLine(line=item.line, reason=error.message)
