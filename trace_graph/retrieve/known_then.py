"""What a memory knew at a moment: a scope of now, set back to a change of each of its spaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from trace_graph.access.scopes import Scope, Space
from trace_graph.store.connection import Store
from trace_graph.store.rows import Row


async def known_at(store: Store, scope: Scope, moment: datetime) -> Scope:
    """The spaces as this memory stood at a moment. Which of them may be read is decided by now."""
    rows = await store.read("changes_at", spaces=scope.ids, moment=moment)
    return await set_back(store, scope, {row["space"]: row["change_seq"] for row in rows})


async def set_back(store: Store, scope: Scope, bounds: Mapping[str, int]) -> Scope:
    """The spaces at these changes, with nothing in those that are not named: they did not exist yet.

    What a recall goes by (counts, speakers) is that of then as well.
    """
    there = scope.spaces
    changed = {space.id: bounds.get(space.id, 0) for space in there if bounds.get(space.id, 0) < space.change_seq}
    if not changed:
        return scope
    rows = {row["space"]: row for row in await store.read("counts_then", spaces=list(changed), bounds=changed)}
    spaces = [
        _as_then(space, changed[space.id], rows.get(space.id)) if space.id in changed else space for space in there]
    return Scope(
        tuple(spaces), is_past=True,
        later_messages=sum(one.messages for one in there) - sum(one.messages for one in spaces),
        later_passages=sum(one.passages for one in there) - sum(one.passages for one in spaces))


def _as_then(space: Space, change_seq: int, row: Row | None) -> Space:
    """A space at a change; `row` says what it held, None: nothing."""
    if row is None:
        return replace(space, change_seq=change_seq, messages=0, passages=0, authors=())
    spoken = set(row["authors"])
    # A space names a limited number of speakers, the first ones: those of then are among them.
    return replace(
        space, change_seq=change_seq, messages=row["messages"], passages=row["passages"],
        authors=tuple(author for author in space.authors if author in spoken))
