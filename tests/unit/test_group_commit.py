"""Adds that come while a write is under way share the next one, in their order, and each hears of its own fate."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from trace_graph.access.scopes import Space
from trace_graph.errors import Conflict, EngineTimeout
from trace_graph.ingest.group_commit import GroupCommit
from trace_graph.ingest.prepare import Prepared, prepare
from trace_graph.ingest.write import WriteRequest
from trace_graph.models import MessageInput, Receipt, SpaceId
from trace_graph.store.ledger import Actor

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def space(name: str) -> Space:
    return Space(SpaceId(name), name, name, "UTC", "root", 0, 0, (), 1)


A, B = space("a"), space("b")


def request(*texts: str) -> WriteRequest:
    messages: tuple[Prepared, ...] = tuple(
        prepare(MessageInput(text=text), zone="UTC", now=NOW, new_id=lambda: "id") for text in texts)
    return WriteRequest(messages, Actor("tester", "library"), "event")


class Writer:
    """Stands for the database: notes the groups it is given, and waits at a gate."""

    def __init__(self, error: Exception | None = None, poison: str = "") -> None:
        self.groups: list[list[str]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self._error, self._poison = error, poison

    async def append(self, space: Space, requests: list[WriteRequest]) -> list[list[Receipt]]:
        texts = [message.text for one in requests for message in one.messages]
        self.groups.append(texts)
        await self.gate.wait()
        if self._error is not None and (not self._poison or self._poison in texts):
            raise self._error
        return [
            [Receipt(id=f"{space.name}:{message.text}", seq=1, duplicate=False, session="s", occurred_at=NOW)
             for message in one.messages] for one in requests]


def ids(receipts: list[Receipt]) -> list[str]:
    return [receipt.id for receipt in receipts]


async def started(*calls: Coroutine[Any, Any, list[Receipt]]) -> list[asyncio.Task[list[Receipt]]]:
    """The calls begun in their order, each as far as it comes by itself."""
    tasks = []
    for call in calls:
        tasks.append(asyncio.create_task(call))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    return tasks


def test_what_comes_while_a_write_is_under_way_shares_the_next_one() -> None:
    async def work() -> tuple[list[list[str]], list[list[str]]]:
        writer = Writer()
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=100)
        tasks = await started(*(commit.submit(A, request(text)) for text in ("1", "2", "3", "4")))
        writer.gate.set()
        return writer.groups, [ids(await task) for task in tasks]

    assert asyncio.run(work()) == ([["1"], ["2", "3", "4"]], [["a:1"], ["a:2"], ["a:3"], ["a:4"]])


def test_a_group_holds_no_more_messages_than_allowed_but_always_one_request() -> None:
    async def work() -> list[list[str]]:
        writer = Writer()
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=3)
        tasks = await started(*(commit.submit(A, request(*text)) for text in ("1", "23", "4", "56789", "0")))
        writer.gate.set()
        await asyncio.gather(*tasks)
        return writer.groups

    assert asyncio.run(work()) == [["1"], ["2", "3", "4"], ["5", "6", "7", "8", "9"], ["0"]]


def test_spaces_do_not_wait_for_each_other() -> None:
    async def work() -> list[str]:
        writer = Writer()
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=3)
        tasks = await started(commit.submit(A, request("1")), commit.submit(B, request("2")))
        both = [group[0] for group in writer.groups]
        writer.gate.set()
        await asyncio.gather(*tasks)
        return both

    assert asyncio.run(work()) == ["1", "2"]


def test_a_request_that_the_database_refuses_fails_alone() -> None:
    async def work() -> tuple[list[list[str]], list[Any]]:
        writer = Writer(Conflict("taken"), poison="bad")
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=100)
        tasks = await started(*(commit.submit(A, request(text)) for text in ("1", "2", "bad", "3")))
        writer.gate.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        return writer.groups, [str(one) if isinstance(one, BaseException) else ids(one) for one in done]

    groups, done = asyncio.run(work())

    assert groups == [["1"], ["2", "bad", "3"], ["2"], ["bad"], ["3"]]
    assert done == [["a:1"], ["a:2"], "taken", ["a:3"]]


def test_when_the_database_is_gone_all_of_the_group_hear_of_it_and_the_next_is_tried() -> None:
    async def work() -> tuple[list[str], list[str]]:
        writer = Writer(EngineTimeout("gone"))
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=100)
        tasks = await started(*(commit.submit(A, request(text)) for text in ("1", "2", "3")))
        writer.gate.set()
        failed = [str(one) for one in await asyncio.gather(*tasks, return_exceptions=True)]
        writer._error = None
        return failed, ids(await commit.submit(A, request("4")))

    assert asyncio.run(work()) == (["gone"] * 3, ["a:4"])


def test_a_caller_that_gives_up_neither_stops_its_own_write_nor_that_of_others() -> None:
    async def work() -> tuple[list[list[str]], list[str]]:
        writer = Writer()
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=100)
        first, second, third = await started(*(commit.submit(A, request(text)) for text in ("1", "2", "3")))
        first.cancel()
        second.cancel()
        writer.gate.set()
        return writer.groups, ids(await third)

    groups, third = asyncio.run(work())

    assert groups == [["1"], ["2", "3"]]
    assert third == ["a:3"]


def test_closing_waits_for_what_was_handed_over() -> None:
    async def work() -> tuple[bool, list[str]]:
        writer = Writer()
        writer.gate.clear()
        commit = GroupCommit(writer.append, most_messages=100)
        tasks = await started(commit.submit(A, request("1")), commit.submit(A, request("2")))
        closing = asyncio.create_task(commit.close())
        await asyncio.sleep(0)
        waited = not closing.done()
        writer.gate.set()
        await closing
        return waited, [id for task in tasks for id in ids(await task)]

    assert asyncio.run(work()) == (True, ["a:1", "a:2"])


def test_closing_with_nothing_under_way_returns_at_once() -> None:
    asyncio.run(GroupCommit(Writer().append, most_messages=1).close())


def test_whatever_goes_wrong_reaches_the_caller() -> None:
    """No caller waits for ever because of a fault of ours."""
    async def work() -> None:
        await GroupCommit(Writer(ZeroDivisionError("ours")).append, most_messages=1).submit(A, request("1"))

    with pytest.raises(ZeroDivisionError, match="ours"):
        asyncio.run(work())
