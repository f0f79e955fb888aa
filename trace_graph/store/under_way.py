"""What is under way on a connection: closing waits for it, and what comes afterwards is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from trace_graph.errors import UsageError


def closed() -> UsageError:
    """What is said to who uses a memory after it was closed."""
    return UsageError("This memory is closed.", fix="Open another one.")


class UnderWay:
    """Counts the operations of one connection."""

    def __init__(self) -> None:
        self._count = 0
        self._closing = False
        self._idle = asyncio.Event()

    @contextmanager
    def operation(self) -> Iterator[None]:
        """One operation. Raises: UsageError once the connection is being closed."""
        if self._closing:
            raise closed()
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1
            if self._count == 0:
                self._idle.set()

    async def end(self) -> None:
        """Refuse what comes from now on, and wait for what is under way: each has a deadline of its own."""
        self._closing = True
        if self._count:
            self._idle.clear()
            await self._idle.wait()
