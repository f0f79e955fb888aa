"""Adding messages: checked, embedded, and appended in groups."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime

from trace_graph.access.scopes import Space
from trace_graph.embed.protocol import Vector
from trace_graph.ingest.group_commit import GroupCommit
from trace_graph.ingest.prepare import Prepared, prepare, spoken_texts, with_vectors
from trace_graph.ingest.write import WriteRequest, append
from trace_graph.models import MessageInput, NewId, Receipt
from trace_graph.store.batches import grouped
from trace_graph.store.connection import Store
from trace_graph.store.ledger import Actor
from trace_graph.store.spaces import find_spaces, obtain_space
from trace_graph.store.vector_graphs import build_vector_graphs

NEW_SPACE_ZONE = "UTC"
"""In which a space that comes into being with its first message reads times without an offset."""

EmbedAll = Callable[[Sequence[str]], Awaitable[list[Vector | None]]]


def parts_of(messages: Sequence[Prepared], most: int) -> Iterator[list[Prepared]]:
    """The messages in order, in parts of at most `most` messages and passages; a longer message comes alone."""
    return grouped(messages, most, lambda message: 1 + len(message.passages))


class Adding:
    """The write path of one open memory."""

    def __init__(
        self, store: Store, embed: EmbedAll, *, clock: Callable[[], datetime], new_id: NewId, chunk: int
    ) -> None:
        self.chunk = chunk
        """Messages of one transaction."""
        self._store, self._embed, self._clock, self._new_id = store, embed, clock, new_id
        self._spaces: dict[str, Space] = {}
        self._creating = asyncio.Lock()
        self._groups = GroupCommit(self._append, most_messages=chunk)

    async def close(self) -> None:
        """Wait until everything handed over is stored or has failed."""
        await self._groups.close()

    async def add_many(self, messages: Sequence[MessageInput], space_name: str, actor: Actor) -> list[Receipt]:
        """Store messages in order, `chunk` of them a transaction. Raises: InvalidInput before anything is stored."""
        # A time without an offset is read in the space's zone, which another process may have changed meanwhile.
        fresh = any(isinstance(message.at, str) for message in messages)
        zone = await self.zone(space_name, fresh=fresh)
        prepared = [self.prepare(message, zone) for message in messages]
        if not prepared:
            return []
        space, created = await self.space(space_name, actor)
        receipts: list[Receipt] = []
        for part in parts_of(prepared, self.chunk):
            receipts += await self.store(part, space, actor)
        if len(receipts) >= self.chunk:
            await self.end_load()
        return [receipt.model_copy(update={"space_created": True}) for receipt in receipts] if created else receipts

    async def zone(self, name: str, *, fresh: bool = True) -> str:
        """The time zone of this space, or of one that is about to be created: looking creates nothing."""
        if fresh or name not in self._spaces:
            self._spaces.update({space.name: space for space in await find_spaces(self._store, [name])})
        return self._spaces[name].time_zone if name in self._spaces else NEW_SPACE_ZONE

    async def space(self, name: str, actor: Actor) -> tuple[Space, bool]:
        """The space of this name, created when there is none, and whether it was created now."""
        created = False
        async with self._creating:
            if name not in self._spaces:
                self._spaces[name], created = await obtain_space(
                    self._store, name, actor=actor, now=self._clock(), new_id=self._new_id, time_zone=NEW_SPACE_ZONE)
        return self._spaces[name], created

    def prepare(self, message: MessageInput, zone: str) -> Prepared:
        """Check one message, whose time is read in this zone where it has no offset. Raises: InvalidInput."""
        return prepare(message, zone=zone, now=self._clock(), new_id=self._new_id)

    async def store(self, messages: Sequence[Prepared], space: Space, actor: Actor) -> list[Receipt]:
        """Embed and append checked messages, at most `chunk` of them, in one transaction."""
        ready = with_vectors(list(messages), await self._embed(spoken_texts(list(messages))))
        request = WriteRequest(tuple(ready), actor, self._new_id())
        # The write goes on when the caller gives up: a message is stored whole or not at all.
        return await asyncio.shield(self._groups.submit(space, request))

    async def end_load(self) -> None:
        """What is done once after many messages, so that the first question does not wait for it."""
        await build_vector_graphs(self._store)

    async def _append(self, space: Space, requests: list[WriteRequest]) -> list[list[Receipt]]:
        return await append(self._store, space, requests, now=self._clock(), new_id=self._new_id)
