"""One state of a space while others write to it: what may change is read at one moment, what came later is undone.

A write takes the next `change_seq` of its space, and nothing is overwritten but caches. So the space as it stood at
change N is what was recorded up to N, with the closings after N undone. Caches carry no `change_seq`: those of topics
are read before and after the Space node, and again where an organiser changed one in between; those of messages and
sessions follow from what was recorded. No lock is taken: who writes does not wait.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.errors import NotFound, Refused
from trace_graph.maintain.lines import Record
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row

LOOK_AGAIN = (0.05, 0.3)
"""Seconds between two looks at topics that an organiser changes, at random. Guess: one of its steps takes 1 s."""

OF_THE_DATABASE: Mapping[str, frozenset[str]] = {
    "Space": frozenset({"key", "lock", "lease_owner", "lease_until", "restoring", "restorer", "restored"}),
    "Message": frozenset({"filed_in", "segment"}),
    "Topic": frozenset({"filed_in", "segment"}),
}
"""Properties that another database gives anew, that say who works right now, or that a live placement says as well:
not exported."""


@dataclass(frozen=True)
class Cut:
    """A space at one change."""

    bound: int
    """The last `change_seq` that belongs to it."""
    key: str
    """What stands in front of its terms in this database."""
    space: Record
    topics: list[Record]
    """By id."""


async def read_cut(store: Store, space: Space) -> Cut:
    """What the space is now, as far as that can change.

    Raises: Refused where an organiser never paused for as long as an operation may take, NotFound.
    """
    deadline = time.monotonic() + store.deadline_seconds
    while True:
        before = await store.read("export_topics", spaces=[space.id])
        found = await store.read("export_space", spaces=[space.id])
        after = await store.read("export_topics", spaces=[space.id])
        if not found:
            raise NotFound(f"There is no space named {space.name!r} any more.")
        if before == after:
            break
        if time.monotonic() > deadline:
            raise Refused(
                "The topics of this space are being organised and do not hold still.",
                fix="Export it again when organize is done.")
        await asyncio.sleep(random.uniform(*LOOK_AGAIN))
    properties = found[0]["properties"]
    topics = [record_of("Topic", row) for row in after]
    return Cut(
        bound=properties["change_seq"], key=properties["key"], space=record_of("Space", found[0]),
        topics=sorted(topics, key=lambda topic: str(topic.properties["id"])))


def record_of(kind: str, row: Row) -> Record:
    """The record of a row with `properties`, and with `source` and `target` where it is a relationship."""
    hidden = OF_THE_DATABASE.get(kind, frozenset()) | {"space"}
    properties = {
        name: value for name, value in row["properties"].items()
        if value is not None and name not in hidden and not name.startswith("@")}
    return Record(kind, properties, row.get("source"), row.get("target"))


def message_at(row: Row, cut: Cut, space_id: str) -> Record:
    """A message as it was at the cut: without the space's key in its terms, waiting where it was filed later."""
    record = record_of("Message", row)
    properties = {**record.properties, "terms": without_key(record.properties["terms"], cut.key)}
    if row["placed_since"] and not row["placed"]:
        properties |= {"waiting": True, "waiting_in": space_id}
    return Record("Message", properties)


def passage_at(row: Row, cut: Cut) -> Record:
    """A passage without the space's key in its terms."""
    record = record_of("Passage", row)
    return Record("Passage", {**record.properties, "terms": without_key(record.properties["terms"], cut.key)})


def closable_at(record: Record, cut: Cut) -> Record:
    """A placement, revision or the like as it was at the cut: open where it was closed later."""
    properties: dict[str, Any] = dict(record.properties)
    if properties.get("retired_seq", 0) > cut.bound:
        del properties["retired_seq"]
        properties.pop("retired_at", None)
        if record.kind == "PARENT_OF":
            properties["live_key"] = record.target
        if record.kind == "SummaryRevision":
            properties["current_key"] = properties["topic"]
    return Record(record.kind, properties, record.source, record.target)


def session_at(row: Row, ends: Mapping[str, tuple[int, str]]) -> Record | None:
    """A session as it was at the cut; None where it had no message yet.

    Args:
        ends: the last place and message of each session, by name.
    """
    record = record_of("Session", row)
    end = ends.get(record.properties["name"])
    if end is None:
        return None
    grown = record.properties["last_seq"] > end[0]
    return Record("Session", {**record.properties, **({"last_seq": end[0], "last_id": end[1]} if grown else {})})


def without_key(terms: str, key: str) -> str:
    """The terms of a message or passage as text, without the key of its space in front of each."""
    return " ".join(term.removeprefix(f"{key}_") for term in terms.split(" ")) if terms else terms


def with_key(terms: str, key: str) -> str:
    """The terms as a database holds them that gave the space this key."""
    return " ".join(f"{key}_{term}" for term in terms.split(" ")) if terms else terms
