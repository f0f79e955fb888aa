"""The ledger: one Event a write, whose payload hash covers every property written that is no cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

TICK = timedelta(microseconds=1)
"""The precision that both engines keep (measured: ArcadeDB 26.10.2 and Neo4j 5.26 return microseconds)."""

CACHES: Mapping[str, frozenset[str]] = {
    "Space": frozenset({"key"}),
    "Message": frozenset({"waiting", "waiting_in", "terms", "filed_in", "segment"}),
    "Passage": frozenset({"terms"}),
    "Topic": frozenset({
        "title", "status", "depth", "vector_sum", "vector_count", "message_count", "segment_count", "child_count",
        "last_message_at", "phrases", "stale_in", "filed_in", "segment",
        "word_at", "failed_wordings",
    }),
    "SummaryRevision": frozenset({"current_key"}),
    "PARENT_OF": frozenset({"live_key"}),
}
"""Properties that may be overwritten, by label; no hash covers them and no as-of query reads them. The key of a space,
and with it the terms, which follow from the text, are others in another database."""

Door = Literal["library", "cli", "rest", "mcp"]


@dataclass(frozen=True)
class Actor:
    """Who acts, and through which door."""

    name: str
    door: Door


@dataclass(frozen=True)
class Clock:
    """The next reading of a space's two counters of order."""

    change_seq: int
    recorded_at: datetime
    event_seq: int

    @classmethod
    def after(cls, change_seq: int | None, recorded_at: datetime | None, event_seq: int | None, now: datetime) -> Clock:
        """The reading after the last one: the clock, or one tick past the last where the clock stands behind it."""
        moment = now if recorded_at is None else max(now, recorded_at + TICK)
        return cls((change_seq or 0) + 1, moment, (event_seq or 0) + 1)


@dataclass(frozen=True)
class Record:
    """One node or relationship as it is written, or the closing of one."""

    kind: str
    """Label or relationship type."""
    properties: Mapping[str, Any]
    """Of a relationship: with `from` and `to`, the ids of its ends."""


def payload_hash(records: Iterable[Record]) -> str:
    """SHA-256 (hex) over the canonical JSON of the records, whatever their order."""
    lines = sorted(_canonical(record) for record in records)
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


def event(
    clock: Clock, *, id: str, space: str, actor: Actor, action: str, targets: Sequence[str], records: Iterable[Record],
    reason: str | None = None,
) -> dict[str, Any]:
    """The properties of the Event for one write."""
    return {
        "id": id, "space": space, "seq": clock.event_seq, "place_key": f"{space}/{clock.event_seq}",
        "change_seq": clock.change_seq, "recorded_at": clock.recorded_at, "actor": actor.name, "door": actor.door,
        "action": action, "targets": list(targets), "payload_hash": payload_hash(records), "reason": reason,
    }


def _canonical(record: Record) -> str:
    hidden = CACHES.get(record.kind, frozenset())
    kept = {
        name: _plain(value) for name, value in record.properties.items() if value is not None and name not in hidden}
    return json.dumps([record.kind, kept], sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, list) and value and isinstance(value[0], float):
        # Vectors by the bytes of their 32-bit floats: that is what every engine gives back exactly.
        return hashlib.sha256(np.asarray(value, dtype="<f4").tobytes()).hexdigest()
    return value
