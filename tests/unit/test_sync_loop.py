"""The loop behind the door without await: what an interrupted verb holds is given back before anything else."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from trace_graph.sync import _Loop


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT interrupts, also where the tests run as a job in the background, which begins with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_verb_has_given_back_what_it_holds_before_the_memory_closes() -> None:
    """An organiser interrupted by Ctrl-C kept its lease, and the next one waited a minute for it."""
    said: list[str] = []

    async def hold() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(100):  # as a write over the network takes many turns of the loop
                await asyncio.sleep(0)
            said.append("given back")

    async def last() -> None:
        said.append("closed")

    loop = _Loop()
    with pytest.raises(KeyboardInterrupt):
        loop.run(hold)
    loop.close(last)

    assert said == ["given back", "closed"]


def test_a_verb_that_fails_tells_its_own_error() -> None:
    async def fail() -> None:
        raise ValueError("its own")

    async def last() -> None:
        return None

    loop = _Loop()
    with pytest.raises(ValueError, match="its own"):
        loop.run(fail)
    loop.close(last)
