"""Recalls are kept off the response path: queued in memory, and written in batches by a task of its own."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from trace_graph.errors import TraceGraphError
from trace_graph.retrieve.tracing import KeptRecall
from trace_graph.store.calls import drop_passing_calls
from trace_graph.store.connection import Store, Transaction

MOST_QUEUED = 200
"""Recalls that wait to be written; further ones are lost. Guess: 70 MB, with all that each has scored."""
BATCH = 50
"""Recalls of one transaction. Guess: 2 MB."""
GATHERING = 0.5
"""Seconds for which recalls are gathered before they are written, so that one that follows another does not share the
database with what is kept of it. Guess."""
MOST_DROPPED = 1000
"""Recalls that one query removes: the setting may have been lowered. Guess."""

Make = Callable[[], KeptRecall]

log = logging.getLogger(__name__)


class Recording:
    """Keeps the recalls of one open memory."""

    def __init__(self, store: Store, kept: int) -> None:
        """Prepare it; `kept` is how many of a space stay, 0 for none at all."""
        self.lost = 0
        """Recalls that could not be kept."""
        self._store = store
        self._kept = kept
        self._queue: deque[tuple[str, Make]] = deque()
        self._hurry = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None

    def keep(self, space: str, make: Make) -> None:
        """Queue what is to be kept of a recall; returns at once, before it is made or anything is written.

        Args:
            space: id of the space that it will belong to.
            make: makes it; that takes 1 to 3 ms (measured), for which whoever asked is not to wait.
        """
        if self._kept == 0:
            return
        if len(self._queue) >= MOST_QUEUED:
            self._lose(1, "too many wait to be written")
            return
        self._queue.append((space, make))
        if len(self._queue) >= BATCH:
            self._hurry.set()
        if self._worker is None:
            self._worker = asyncio.create_task(self._drain())

    async def written(self) -> None:
        """Wait until everything queued is written or has failed."""
        if self._worker is not None:
            self._hurry.set()
            await asyncio.shield(self._worker)  # who gives up waiting does not stop it

    async def _drain(self) -> None:
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GATHERING):
                    await self._hurry.wait()
            while self._queue:
                space = self._queue[0][0]
                batch: list[KeptRecall] = []
                while self._queue and len(batch) < BATCH and self._queue[0][0] == space:
                    batch += self._made(self._queue.popleft()[1])
                    await asyncio.sleep(0)  # whoever asks meanwhile waits for the making of one, not of all
                if batch:
                    await self._write(space, batch)
        finally:
            self._worker = None
            self._hurry.clear()

    def _made(self, make: Make) -> list[KeptRecall]:
        """What is to be kept; nothing where making it fails, which is then our fault and never the asker's."""
        try:
            return [make()]
        except Exception as error:  # noqa: BLE001 (whatever it is: the answer is given, and the others are to be kept)
            self._lose(1, type(error).__name__)
            return []

    async def _write(self, space: str, batch: list[KeptRecall]) -> None:
        recalls = [recall.properties() for recall in batch]
        used = [edge for recall in batch for edge in recall.used()]
        cited = [edge for recall in batch for edge in recall.cited()]
        made = [edge for recall in batch for edge in recall.made()]

        async def work(transaction: Transaction) -> None:
            await transaction.run("keep_recalls", recalls=recalls)
            await transaction.run("keep_used", used=used)
            if cited:
                await transaction.run("keep_cited", cited=cited)
            if made:
                await transaction.run("link_made_recalls", links=made)
            dropped = MOST_DROPPED
            while dropped == MOST_DROPPED:
                rows = await transaction.run("drop_old_recalls", space=space, kept=self._kept, most=MOST_DROPPED)
                dropped = rows[0]["dropped"]
            await drop_passing_calls(transaction, space, max(recall.at for recall in batch))

        try:
            # The edges touch what others write: a turn among the writers of the space keeps all from trying again.
            await self._store.write(work, "keep_recalls", space=space)
        except TraceGraphError as error:  # whoever asked has the answer already
            self._lose(len(batch), error.message)
        except (TypeError, ValueError, OverflowError) as error:  # the driver cannot send it
            self._lose(len(batch), type(error).__name__)

    def _lose(self, recalls: int, reason: str) -> None:
        self.lost += recalls
        log.warning("recalls were not kept", extra={"recalls": recalls, "lost": self.lost, "reason": reason})
