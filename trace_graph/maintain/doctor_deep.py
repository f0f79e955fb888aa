"""What the doctor looks at only when asked: the contents themselves, against their hashes and sums."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from trace_graph.maintain.checking import is_object
from trace_graph.maintain.doctor_caches import expected_caches
from trace_graph.maintain.doctor_checks import CALL_TEXTS, CONTENT, PAYLOAD, VECTOR_SUMS, Check
from trace_graph.maintain.doctor_findings import Finding
from trace_graph.store.connection import Store
from trace_graph.store.ledger import CACHES, Record, payload_hash
from trace_graph.store.rows import Row

DEEP: tuple[Check, ...] = (PAYLOAD, CONTENT, VECTOR_SUMS, CALL_TEXTS)

TOGETHER = 500
"""Messages read in one query, with all that was written with them. Guess: some 4 MB."""


async def look_deeper(store: Store, space: str) -> list[Finding]:
    """Messages against their hash, events against what they added, sums of vectors, and what of calls must be JSON."""
    forged: list[str] = []
    changed: list[str] = []
    for events in _together(await store.read("doctor_ledger", spaces=[space])):
        written: dict[str, list[Row]] = {}
        for ids in _groups([id for event in events for id in event["targets"]]):
            for row in await store.read("doctor_written", ids=ids, spaces=[space]):
                written.setdefault(row["message"], []).append(row)
        forged += [event["id"] for event in events if _hash_of(event, written) != event["payload_hash"]]
        changed += [id for id, rows in written.items() if any(_changed(row) for row in rows)]
    caches = await expected_caches(store.read, space)
    return [
        *Finding.of(PAYLOAD, space, forged), *Finding.of(CONTENT, space, changed),
        *Finding.of(VECTOR_SUMS, space, caches.wrong_sums),
        *Finding.of(CALL_TEXTS, space, await _illegible_calls(store, space))]


async def _illegible_calls(store: Store, space: str) -> list[str]:
    ids = [str(row[0]) for row in await store.read_lists("doctor_call_ids", spaces=[space])]
    return [
        row["id"]
        for some in _groups(ids) for row in await store.read("doctor_call_texts", ids=some, spaces=[space])
        if not is_object(row["inputs"] or "") or not is_object(row["figures"] or "{}")]


def _hash_of(event: Row, written: dict[str, list[Row]]) -> str:
    return payload_hash(
        Record(row["kind"], _as_hashed(row["kind"], row["properties"]))
        for id in event["targets"] for row in written.get(id, []))


def _as_hashed(kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    hidden = CACHES.get(kind, frozenset())
    return {name: value for name, value in properties.items() if name not in hidden}


def _changed(row: Row) -> bool:
    """Whether a message's text and content are not those of its hash."""
    if row["kind"] != "Message":
        return False
    said = row["properties"]
    content = f"{said['text']}\0{said.get('content') or ''}"
    return bool(hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest() != said.get("content_hash"))


def _together(events: Sequence[Row]) -> Iterator[list[Row]]:
    """The events in their order, in lists that added about TOGETHER messages; one that added more comes alone."""
    group: list[Row] = []
    size = 0
    for event in events:
        if group and size + len(event["targets"]) > TOGETHER:
            yield group
            group, size = [], 0
        group.append(event)
        size += len(event["targets"])
    if group:
        yield group


def _groups(ids: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), TOGETHER):
        yield list(ids[start:start + TOGETHER])
