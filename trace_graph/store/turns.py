"""Whose turn it is to write to a space.

The lock of a space is kept by the database: whoever writes first makes the others wait, or fail and try again. On
ArcadeDB they fail, as its transactions are optimistic: eight processes that write to one space undo each other's work,
and a long transaction loses to every short one. So writers queue first: within a process, and, where the engine is the
embedded one and all of them are on one machine, among processes. The queue is a courtesy, not what keeps a space whole:
who has waited too long for a turn goes on without one, and so does who cannot queue.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from weakref import WeakValueDictionary

try:
    import fcntl
except ImportError:  # Windows: its locks cannot be waited for, so there writers do not queue among processes
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger(__name__)

FOLDER = "turns"
"""Of the lock files, in the data folder of the embedded engine: one a space, named by its id."""


class Turns:
    """The queues of one open connection, one for each space."""

    def __init__(self, folder: Path | None, patience: float) -> None:
        """Make the queues.

        Args:
            folder: the data folder that several processes share; None where the database is not the embedded one.
            patience: seconds to wait for a turn.
        """
        self._folder = None if folder is None or fcntl is None else folder / FOLDER
        self._patience = patience
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, space: str | None) -> AsyncIterator[None]:
        """Wait for the turn to write to this space, and hold it; nothing is waited for without a space."""
        if space is None:
            yield
            return
        queue = self._queues.setdefault(space, asyncio.Lock())
        deadline = time.monotonic() + self._patience
        mine = await _queued(queue, deadline)
        shared = None
        try:
            shared = await self._among_processes(space, deadline) if mine else None
            yield
        finally:
            if shared is not None:
                _release(shared)
            if mine:
                queue.release()

    async def _among_processes(self, space: str, deadline: float) -> int | None:
        """A descriptor of this space's lock file, locked; None where the turn cannot be had."""
        if self._folder is None:
            return None
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            file = os.open(self._folder / f"{space}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            log.info("no turns are taken among processes", extra={"reason": str(error)})
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not await _waited_for(file, deadline):
                log.info("another process kept its turn too long", extra={"space": space})
                return None
        except OSError as error:  # a file system without locks
            os.close(file)
            log.info("no turns are taken among processes", extra={"reason": str(error)})
            return None
        return file


async def _queued(queue: asyncio.Lock, deadline: float) -> bool:
    """Whether this task's turn within the process came in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            await queue.acquire()
            return True
    return False


async def _waited_for(file: int, deadline: float) -> bool:
    """Whether a lock that another process holds came in time; one that comes too late is given back.

    The kernel keeps the waiting in order and wakes only who may go on; looking again and again starves some (measured:
    32 processes, of which one waited 25 s). A thread of our own, since one of the loop's executor would be waited for
    at the end of the process.
    """
    loop = asyncio.get_running_loop()
    locked: asyncio.Future[None] = loop.create_future()

    def arrived() -> None:
        if locked.done():
            _release(file)
        else:
            locked.set_result(None)

    def wait() -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            loop.call_soon_threadsafe(arrived)
        except (OSError, RuntimeError):  # RuntimeError: the loop has ended meanwhile
            os.close(file)

    threading.Thread(target=wait, name="trace-graph-turn", daemon=True).start()
    with suppress(TimeoutError):
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            await locked
            return True
    return False


def _release(file: int) -> None:
    fcntl.flock(file, fcntl.LOCK_UN)
    os.close(file)
