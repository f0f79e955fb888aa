"""Writers of a space take turns, within a process and among processes; waiting in vain never stops a write."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from trace_graph.store.turns import FOLDER, Turns

SPACE = "0190-space"


def test_turns_of_one_process_are_taken_in_the_order_of_asking(tmp_path: Path) -> None:
    turns, order = Turns(tmp_path, 10.0), []

    async def writer(number: int) -> None:
        async with turns.take(SPACE):
            order.append(("in", number))
            await asyncio.sleep(0)
            order.append(("out", number))

    async def write() -> None:
        await asyncio.gather(*(writer(number) for number in range(5)))

    asyncio.run(write())
    assert order == [(way, number) for number in range(5) for way in ("in", "out")]


def test_two_connections_to_one_data_folder_exclude_each_other(tmp_path: Path) -> None:
    """Each connection has a descriptor of its own, as two processes have."""
    one, two = Turns(tmp_path, 10.0), Turns(tmp_path, 10.0)

    async def write() -> list[str]:
        order = []
        entered, leave = asyncio.Event(), asyncio.Event()

        async def first() -> None:
            async with one.take(SPACE):
                entered.set()
                await leave.wait()
                order.append("first leaves")

        async def second() -> None:
            await entered.wait()
            async with two.take("another space"):
                order.append("another space")
            waiting = asyncio.create_task(third())
            await asyncio.sleep(0)
            leave.set()
            await waiting

        async def third() -> None:
            async with two.take(SPACE):
                order.append("second")

        await asyncio.gather(first(), second())
        return order

    assert asyncio.run(write()) == ["another space", "first leaves", "second"]


@pytest.mark.parametrize("connections", [1, 2])
def test_who_has_waited_too_long_goes_on_without_a_turn(tmp_path: Path, connections: int) -> None:
    holder = Turns(tmp_path, 0.05)
    waiter = holder if connections == 1 else Turns(tmp_path, 0.05)

    async def write() -> bool:
        async with holder.take(SPACE), waiter.take(SPACE):
            return True

    assert asyncio.run(write())


def test_a_turn_that_comes_after_its_waiter_was_cancelled_is_given_back(tmp_path: Path) -> None:
    holder, waiter = Turns(tmp_path, 10.0), Turns(tmp_path, 10.0)

    async def write() -> bool:
        async def wait() -> None:
            async with waiter.take(SPACE):
                raise AssertionError("the turn is still the holder's")

        async with holder.take(SPACE):
            task = asyncio.create_task(wait())
            # Two rounds of the loop: the waiter stands at the file by then.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        async with Turns(tmp_path, 10.0).take(SPACE):
            return True

    assert asyncio.run(write())


def test_a_write_that_failed_gives_its_turn_back(tmp_path: Path) -> None:
    turns = Turns(tmp_path, 10.0)

    async def write() -> bool:
        with pytest.raises(ValueError, match="failed"):
            async with turns.take(SPACE):
                raise ValueError("failed")
        async with Turns(tmp_path, 10.0).take(SPACE), turns.take("another"):
            return True

    assert asyncio.run(write())


def test_a_folder_in_which_no_file_can_be_made_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("in the way")

    async def write() -> bool:
        async with Turns(tmp_path, 10.0).take(SPACE), Turns(None, 10.0).take(SPACE), Turns(tmp_path, 1.0).take(None):
            return True

    assert asyncio.run(write())


def test_the_lock_files_are_their_owner_s_and_none_stays_open(tmp_path: Path) -> None:
    before = open_files()

    async def write() -> None:
        turns = Turns(tmp_path, 10.0)
        for _ in range(20):
            async with turns.take(SPACE):
                pass

    asyncio.run(write())
    assert (tmp_path / FOLDER / f"{SPACE}.lock").stat().st_mode & 0o077 == 0
    assert open_files() <= before


def open_files() -> int:
    """How many descriptors this process has; 0 where the system does not tell."""
    told = Path("/proc/self/fd")
    return len(list(told.iterdir())) if told.exists() else 0
