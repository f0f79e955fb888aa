"""Closing waits for what is under way, and refuses what comes afterwards."""

from __future__ import annotations

import asyncio

import pytest

from trace_graph.errors import UsageError
from trace_graph.store.under_way import UnderWay


def test_closing_waits_for_what_is_under_way_and_refuses_the_rest() -> None:
    async def close() -> list[str]:
        under_way, may_end, order = UnderWay(), asyncio.Event(), []

        async def work(name: str) -> None:
            with under_way.operation():
                await may_end.wait()
                order.append(name)

        working = [asyncio.create_task(work(name)) for name in ("one", "two")]
        await asyncio.sleep(0)
        closing = asyncio.create_task(under_way.end())
        await asyncio.sleep(0)
        with pytest.raises(UsageError, match="This memory is closed"), under_way.operation():
            order.append("late")
        may_end.set()
        await closing
        order.append("closed")
        await asyncio.gather(*working)
        await under_way.end()
        return order

    assert asyncio.run(close()) == ["one", "two", "closed"]


def test_an_operation_that_failed_is_no_longer_under_way() -> None:
    async def close() -> bool:
        under_way = UnderWay()
        with pytest.raises(ValueError, match="failed"), under_way.operation():
            raise ValueError("failed")
        await under_way.end()
        return True

    assert asyncio.run(close())
