"""An export becomes a space again: all of the file is checked first, and nobody sees the space before it is whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal

from trace_graph.errors import Conflict, Refused, SchemaTooNew, StoreFailed
from trace_graph.maintain.cut import with_key
from trace_graph.maintain.exporting import records_digest
from trace_graph.maintain.lines import Record
from trace_graph.maintain.reading_exports import Batch, Verified, batches_of
from trace_graph.models import ImportReport, NewId, Progress
from trace_graph.store.connection import Store, Transaction
from trace_graph.store.ledger import Actor, Clock, event
from trace_graph.store.ledger import Record as Written
from trace_graph.store.rows import Row
from trace_graph.store.schema import LATEST
from trace_graph.store.spaces import find_spaces, moved, new_key

LINES_OF_BEGIN = 2
"""The first line and the Space, which is written whole at the end."""
DISCARDED_TOGETHER = 500
"""Nodes of a half space removed in one transaction; guess."""
LOOKED_UP_TOGETHER = 5_000
"""Ids; guess: 200 KB on the wire."""

NODE_QUERIES: Mapping[str, str] = {
    "Topic": "restore_topics", "SummaryRevision": "restore_revisions", "Session": "restore_sessions",
    "Message": "restore_messages", "Passage": "restore_passages", "ModelCall": "restore_calls",
    "Event": "restore_events"}
EDGE_QUERIES: Mapping[tuple[str, str], str] = {
    ("PARENT_OF", "Topic"): "restore_topic_placements", ("PARENT_OF", "Message"): "restore_message_placements",
    ("HAS_REVISION", "SummaryRevision"): "restore_topic_revisions",
    ("SUPERSEDES", "SummaryRevision"): "restore_superseded",
    ("DERIVED_FROM", "Message"): "restore_message_sources",
    ("DERIVED_FROM", "SummaryRevision"): "restore_revision_sources",
    ("HAS_PASSAGE", "Passage"): "restore_message_passages", ("NEXT", "Message"): "restore_next",
    ("MADE", ""): "restore_made"}
TAKEN_QUERIES: Mapping[str, str] = {
    "Topic": "restore_topics_taken", "SummaryRevision": "restore_revisions_taken",
    "Message": "restore_messages_taken", "Passage": "restore_passages_taken", "ModelCall": "restore_calls_taken",
    "Event": "restore_events_taken"}
DISCARD_QUERIES = (
    "restore_discard_passages", "restore_discard_messages", "restore_discard_revisions", "restore_discard_topics",
    "restore_discard_sessions", "restore_discard_calls", "restore_discard_events")

Step = Literal["begin", "go on", "start again", "compare"]


@dataclass(frozen=True)
class Restore:
    """One run of restoring one file under one name."""

    store: Store
    source: Path | BinaryIO
    verified: Verified
    name: str
    actor: Actor
    clock: Callable[[], datetime]
    new_id: NewId
    progress: Progress | None = None

    async def run(self) -> ImportReport:
        """Restore, or find that it is there already.

        Killed at any point it leaves a space that nobody sees; the next run of the same file goes on from there, one of
        another export of the same space starts again.
        Raises: Refused (another space has the name or the ids; a newer schema), Conflict (another run took over).
        """
        started = time.monotonic()
        header = self.verified.header
        if header.schema_version > LATEST:
            raise SchemaTooNew(
                f"This export has schema {header.schema_version}; this trace-graph knows up to {LATEST}.")
        step = next_step(await self._standing(), self.verified, self.name)
        if step == "compare":
            await self._compare()
        else:
            await self._carry_out(step)
        messages = header.counts.get("Message", 0)
        stored = 0 if step == "compare" else messages
        return ImportReport(
            space=self.name, messages=stored, duplicates=messages - stored, sessions=header.counts.get("Session", 0),
            space_created=step != "compare", seconds=round(time.monotonic() - started, 3))

    async def _standing(self) -> list[Row]:
        return await self._write_once("restore_standing", space=self.verified.header.space_id, called=self.name)

    async def _compare(self) -> None:
        """Nothing to do where the space in the database is the one in the file. Raises: Refused otherwise."""
        [space] = await find_spaces(self.store, [self.name])
        if await records_digest(self.store, space) != self.verified.records_sha256:
            raise Refused(
                f"The space {self.name!r} is here already, and is not as in this file.",
                fix="Restore it into another database; a space is never overwritten.")

    async def _carry_out(self, step: Step) -> None:
        token = self.new_id()
        if step == "start again":
            await self._discard(token)
        if step != "go on":
            await self._refuse_taken_ids()
            await self.store.write(lambda transaction: self._begin(transaction, token), "restore_begin")
        done = (await self._take_over(token, self.verified.sha256))["restored"]
        await self._store_batches(token, done)
        await self._complete(await asyncio.to_thread(self._space_record), token)

    async def _store_batches(self, token: str, done: int) -> None:
        batches = batches_of(self.source, self.verified, done)
        stored = 0
        try:
            while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                await self._store_batch(batch, token)
                stored += len(batch.records) if batch.kind == "Message" else 0
                if self.progress is not None:
                    self.progress(stored, self.verified.header.counts.get("Message", 0))
        finally:
            with suppress(ValueError):  # where this was cancelled, a thread may still be reading
                batches.close()

    async def _begin(self, transaction: Transaction, token: str) -> None:
        id = self.verified.header.space_id
        key = await new_key(transaction)  # also a lock against another run of the same file
        standing = await transaction.run("restore_standing", space=id, called=self.name)
        if any(row["restoring"] == self.verified.sha256 and row["id"] == id for row in standing):
            return  # an earlier try, whose answer was lost, or another run of the same file
        await transaction.run("restore_begin", space={
            "id": id, "name": self.name, "key": key, "restoring": self.verified.sha256,
            "restorer": token, "restored": LINES_OF_BEGIN})

    async def _take_over(self, token: str, digest: str) -> Row:
        rows = await self._write_once(
            "restore_take_over", space=self.verified.header.space_id, digest=digest, token=token, called=self.name)
        if not rows:
            raise Conflict("Another run restores this space at the same time.", fix="Wait for it to end.")
        return rows[0]

    async def _store_batch(self, batch: Batch, token: str) -> None:
        first = batch.lines - len(batch.records)

        async def work(transaction: Transaction) -> None:
            key = await self._advance(transaction, token, first, batch.lines)
            if key is None:
                return
            query = NODE_QUERIES.get(batch.kind) or EDGE_QUERIES[batch.kind, batch.target]
            rows = [_row(record, self.verified.header.space_id, key) for record in batch.records]
            made = (await transaction.run(query, rows=rows))[0]["made"]
            if made != len(rows):
                raise StoreFailed(f"{query} made {made} of {len(rows)}.", fix="Import the file again.")

        await self.store.write(work, "restore_batch")

    async def _advance(self, transaction: Transaction, token: str, before: int, after: int) -> str | None:
        """Lock the half space and move its count of lines; its key, or None where that was done before."""
        rows = await transaction.run(
            "restore_advance", space=self.verified.header.space_id, token=token, lines=after)
        if rows and rows[0]["before"] == after and before != after:
            return None  # an earlier try of this batch was committed
        if not rows or rows[0]["before"] != before:
            raise Conflict("Another run restores this space at the same time.", fix="Wait for it to end.")
        return str(rows[0]["key"])

    async def _complete(self, space: Record, token: str) -> None:
        header, event_id = self.verified.header, self.new_id()
        lines = sum(header.counts.values()) + 1

        async def work(transaction: Transaction) -> None:
            if await self._completed_before(transaction):
                return
            await self._advance(transaction, token, lines, lines)
            properties = {**space.properties, "name": self.name}
            if self.name != header.space_name:
                properties |= await self._renamed(transaction, space, event_id)
            await transaction.run("restore_complete", space=header.space_id, properties={
                **properties, "restoring": None, "restorer": None, "restored": None, "lock": None})

        await self.store.write(work, "restore_complete")

    async def _completed_before(self, transaction: Transaction) -> bool:
        rows = await transaction.run("restore_standing", space=self.verified.header.space_id, called=self.name)
        return any(row["id"] == self.verified.header.space_id and row["restoring"] is None for row in rows)

    async def _renamed(self, transaction: Transaction, space: Record, event_id: str) -> dict[str, Any]:
        """The ledger is told of the new name; the counters of the space after that."""
        id, old = self.verified.header.space_id, space.properties
        clock = Clock.after(old["change_seq"], old["last_recorded_at"], old["event_seq"], self.clock())
        line = event(
            clock, id=event_id, space=id, actor=self.actor, action="space.renamed", targets=[id],
            reason=f"{self.verified.header.space_name} -> {self.name}",
            records=[Written("Space", {"id": id, "name": self.name})])
        await transaction.run("append_event", event=line)
        await transaction.run("update_topics", topics=[{"id": old["root"], "properties": {"title": self.name}}])
        return moved(clock)

    async def _discard(self, token: str) -> None:
        """Remove a half space that another file had begun. Only one that was never complete can be taken over."""
        standing = await self._standing()
        begun = next(row["restoring"] for row in standing if row["id"] == self.verified.header.space_id)
        await self._take_over(token, begun)
        space = self.verified.header.space_id
        for query in DISCARD_QUERIES:
            while (await self._write_once(query, space=space, most=DISCARDED_TOGETHER))[0]["removed"]:
                pass
        await self._write_once("restore_discard", space=space, token=token)

    async def _refuse_taken_ids(self) -> None:
        by_kind: dict[str, list[str]] = {kind: [] for kind in TAKEN_QUERIES}
        for id, kind in self.verified.kind_of.items():
            if kind in by_kind:
                by_kind[kind].append(id)
        for kind, ids in by_kind.items():
            for part in _parts(ids):
                if (await self._write_once(TAKEN_QUERIES[kind], ids=part))[0]["taken"]:
                    raise Refused(
                        f"A {kind} of this file is in the database already, in another space.",
                        fix="Restore it into another database.")

    async def _write_once(self, query: str, **parameters: Any) -> list[Row]:
        return await self.store.write(lambda transaction: transaction.run(query, **parameters), query)

    def _space_record(self) -> Record:
        return next(batches_of(self.source, self.verified, 0)).records[0]


def next_step(standing: Sequence[Row], verified: Verified, name: str) -> Step:
    """What is to be done where these spaces stand. Pure.

    Raises: Refused where the name or the id belongs to a space that this file must not touch.
    """
    mine = [row for row in standing if row["id"] == verified.header.space_id]
    others = [row for row in standing if row["id"] != verified.header.space_id]
    if others:
        raise Refused(
            f"There is another space named {name!r}.", fix="Restore it under another name: --space NAME.")
    if not mine:
        return "begin"
    if mine[0]["restoring"] is not None:
        return "go on" if mine[0]["restoring"] == verified.sha256 else "start again"
    if mine[0]["name"] != name:
        raise Refused(
            f"This space is here already, as {mine[0]['name']!r}.",
            fix="Restore it into another database; two copies of a space cannot stand in one.")
    return "compare"


def _row(record: Record, space: str, key: str) -> dict[str, Any]:
    """What the query of a record takes."""
    properties = dict(record.properties)
    if record.source is not None:
        return {"source": record.source, "target": record.target, "properties": properties}
    if "terms" in properties:
        properties["terms"] = with_key(properties["terms"], key)
    return {**properties, "space": space}


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), LOOKED_UP_TOGETHER):
        yield ids[start:start + LOOKED_UP_TOGETHER]
