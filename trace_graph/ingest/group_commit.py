"""Group commit: adds that arrive while a write is under way share the next one.

The lock of a space is then taken once for many messages, so it does not become the price of each.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from trace_graph.access.scopes import Space
from trace_graph.errors import StoreFailed
from trace_graph.ingest.write import WriteRequest
from trace_graph.models import Receipt

Append = Callable[[Space, list[WriteRequest]], Awaitable[list[list[Receipt]]]]


@dataclass
class _Waiting:
    request: WriteRequest
    receipts: asyncio.Future[list[Receipt]]


@dataclass
class _Queue:
    space: Space
    waiting: list[_Waiting] = field(default_factory=list)
    worker: asyncio.Task[None] | None = None


class GroupCommit:
    """Collects write requests by space and hands them on in groups, in the order of their arrival."""

    def __init__(self, append: Append, *, most_messages: int) -> None:
        self._append = append
        self._most_messages = most_messages
        self._queues: dict[str, _Queue] = {}

    async def submit(self, space: Space, request: WriteRequest) -> list[Receipt]:
        """Store one request, together with whatever else waits for the same space.

        A caller that is cancelled meanwhile leaves its messages stored or not stored, never in part.
        """
        queue = self._queues.setdefault(space.id, _Queue(space))
        waiting = _Waiting(request, asyncio.get_running_loop().create_future())
        queue.waiting.append(waiting)
        if queue.worker is None:
            queue.worker = asyncio.create_task(self._drain(queue))
        return await waiting.receipts

    async def close(self) -> None:
        """Wait until everything submitted is stored or has failed."""
        workers = [queue.worker for queue in self._queues.values() if queue.worker is not None]
        await asyncio.gather(*workers)

    async def _drain(self, queue: _Queue) -> None:
        try:
            while queue.waiting:
                group = self._take_group(queue)
                await self._store(queue.space, group)
        finally:
            queue.worker = None
            self._queues.pop(queue.space.id, None)
            # Only a cancelled worker leaves any: nobody may wait for ever.
            _fail(queue.waiting, asyncio.CancelledError())

    def _take_group(self, queue: _Queue) -> list[_Waiting]:
        size, count = 0, 0
        for waiting in queue.waiting:
            size += len(waiting.request.messages)
            if count and size > self._most_messages:
                break
            count += 1
        group, queue.waiting = queue.waiting[:count], queue.waiting[count:]
        return group

    async def _store(self, space: Space, group: list[_Waiting]) -> None:
        try:
            receipts = await self._append(space, [waiting.request for waiting in group])
        except StoreFailed as error:
            await self._store_one_by_one(space, group, error)
        except BaseException as error:  # whatever it is, whoever waits must hear of it
            _fail(group, error)
            if not isinstance(error, Exception):
                raise
        else:
            for waiting, part in zip(group, receipts, strict=True):
                with contextlib.suppress(asyncio.InvalidStateError):  # the caller was cancelled
                    waiting.receipts.set_result(part)

    async def _store_one_by_one(self, space: Space, group: list[_Waiting], error: StoreFailed) -> None:
        """The database refused the group: find out whose request it is, and let the others pass."""
        if len(group) == 1:
            _fail(group, error)
            return
        for waiting in group:
            await self._store(space, [waiting])


def _fail(group: list[_Waiting], error: BaseException) -> None:
    for waiting in group:
        if waiting.receipts.done():
            continue
        if isinstance(error, asyncio.CancelledError):
            waiting.receipts.cancel()
        else:
            waiting.receipts.set_exception(error)
