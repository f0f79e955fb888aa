"""The messages of one space become those of another: the same words, speakers, times and places."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta, timezone
from typing import Any

from trace_graph.access.scopes import Space
from trace_graph.errors import Refused
from trace_graph.ingest.adding import Adding
from trace_graph.models import MessageInput, Progress
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor

PAGE = 500
"""Messages that are read at once."""


async def copy_messages(
    store: Store, source: Space, adding: Adding, into: str, *, actor: Actor, progress: Progress | None = None
) -> int:
    """Add every message of a space to another in the order in which they were stored; returns how many were added.

    What an earlier run that broke off has copied is recognised and not added again.
    Raises: Refused where the other space holds anything else.
    """
    target, _ = await adding.space(into, actor)
    there = {(session, seq): content for _, session, seq, content in await _places(store, target)}
    wanted = await _places(store, source)
    known = {(session, seq): content for _, session, seq, content in wanted}
    if any(known.get(place) != content for place, content in there.items()):
        raise Refused(
            f"The space {into!r} holds messages that {source.name!r} does not hold at the same place.",
            fix="Name a space that does not exist yet.")
    missing = [id for id, session, seq, _ in wanted if (session, seq) not in there]
    for start in range(0, len(missing), PAGE):
        page = missing[start:start + PAGE]
        rows = {row["id"]: row for row in await store.read("messages_to_copy", ids=page, spaces=[source.id])}
        await adding.add_many([_message(rows[id]) for id in page], into, actor)
        if progress is not None:
            progress(len(there) + start + len(page), len(wanted))
    return len(missing)


async def _places(store: Store, space: Space) -> Sequence[Sequence[Any]]:
    return await store.read_lists("places_of_messages", spaces=[space.id])


def _message(row: Mapping[str, Any]) -> MessageInput:
    zone = timezone(timedelta(minutes=row["occurred_offset"] or 0))
    return MessageInput(
        text=row["text"], role=row["role"], author=row["author"], session=row["session"],
        at=row["occurred_at"].astimezone(zone), external_id=row["external_id"], agent=row["agent"],
        content=None if row["content"] is None else json.loads(row["content"]))
