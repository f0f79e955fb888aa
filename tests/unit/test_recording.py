"""Keeping recalls: after the answer, in batches, and never in the way of whoever asks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import pytest

from tests.unit.test_tracing import answer, item, kept, request, scored
from trace_graph.errors import EngineTimeout
from trace_graph.retrieve import recording
from trace_graph.retrieve.recording import BATCH, Recording
from trace_graph.retrieve.tracing import KeptRecall, trace_of
from trace_graph.store import calls
from trace_graph.store.connection import Store

DAYS = {"before": "2026-02-28", "since": "2026-01-30"}
"""One day, and 30, before the moment of the recall."""
RECALL = kept(trace_of(request(), answer([scored("a")], [item("a", 1)])), ("s",))


def _same(recall: KeptRecall) -> KeptRecall:
    return recall


class _Transaction:
    def __init__(self, asked: list[tuple[str, dict[str, Any]]], dropped: list[int]) -> None:
        self.asked, self.dropped = asked, dropped

    async def run(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        self.asked.append((name, parameters))
        return [{"dropped": self.dropped.pop(0) if name == "drop_old_recalls" and self.dropped else 0}]


class _Store:
    """Takes down what is written, one list a transaction."""

    def __init__(self, error: Exception | None = None, dropped: list[int] | None = None) -> None:
        self.transactions: list[list[tuple[str, dict[str, Any]]]] = []
        self.spaces: list[str | None] = []
        self._error, self._dropped = error, dropped or []

    async def write(
        self, work: Callable[[Any], Awaitable[Any]], operation: str, *, space: str | None = None
    ) -> None:
        await asyncio.sleep(0)
        if self._error is not None:
            raise self._error
        self.spaces.append(space)
        self.transactions.append([])
        await work(_Transaction(self.transactions[-1], self._dropped))


def recording_to(store: _Store, kept: int = 5) -> Recording:
    return Recording(cast(Store, store), kept)


def test_nothing_is_made_or_written_before_keeping_returns_and_all_of_it_once_it_is_waited_for() -> None:
    store = _Store()
    made: list[str] = []

    def make() -> KeptRecall:
        made.append(RECALL.id)
        return RECALL

    async def keep() -> tuple[int, int]:
        log = recording_to(store)
        log.keep("s", make)
        before = len(made), len(store.transactions)
        await log.written()
        return before

    assert (asyncio.run(keep()), made) == ((0, 0), [RECALL.id])
    assert store.transactions == [[
        ("keep_recalls", {"recalls": [RECALL.properties()]}), ("keep_used", {"used": RECALL.used()}),
        ("drop_old_recalls", {"space": "s", "kept": 5, "most": recording.MOST_DROPPED}),
        ("drop_passing_calls", {"space": "s", **DAYS, "most": calls.MOST_DROPPED})]]
    assert store.spaces == ["s"]


def test_recalls_that_wait_are_written_together_by_space() -> None:
    store = _Store()
    other = kept(RECALL.trace, ("t",))

    async def keep() -> None:
        log = recording_to(store)
        for recall in (*[RECALL] * (BATCH + 1), other):
            log.keep(recall.spaces[0], partial(_same, recall))
        await log.written()

    asyncio.run(keep())

    assert [(space, len(transaction[0][1]["recalls"])) for space, transaction in zip(
        store.spaces, store.transactions, strict=True)] == [("s", BATCH), ("s", 1), ("t", 1)]


def test_old_ones_are_dropped_until_no_more_are_than_are_kept() -> None:
    store = _Store(dropped=[recording.MOST_DROPPED, 3])

    async def keep() -> None:
        log = recording_to(store)
        log.keep("s", lambda: RECALL)
        await log.written()

    asyncio.run(keep())

    assert [name for name, _ in store.transactions[0]].count("drop_old_recalls") == 2


def test_with_none_to_keep_nothing_is_written() -> None:
    store = _Store()

    async def keep() -> None:
        log = recording_to(store, kept=0)
        log.keep("s", lambda: RECALL)
        await log.written()

    asyncio.run(keep())

    assert store.transactions == []


def test_a_write_that_fails_is_warned_of_and_counted_and_the_next_one_goes_on(
    caplog: pytest.LogCaptureFixture
) -> None:
    store = _Store(error=EngineTimeout("Too late."))

    async def keep() -> int:
        log = recording_to(store)
        for _ in range(2):
            log.keep("s", lambda: RECALL)
        await log.written()
        store._error = None
        log.keep("s", lambda: RECALL)
        await log.written()
        return log.lost

    assert asyncio.run(keep()) == 2
    assert len(store.transactions) == 1
    [record] = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.WARNING, "recalls were not kept")
    assert {name: getattr(record, name) for name in ("recalls", "lost", "reason")} == {
        "recalls": 2, "lost": 2, "reason": "Too late."}


def test_what_cannot_be_made_or_sent_is_lost_and_said_and_the_others_are_kept(
    caplog: pytest.LogCaptureFixture
) -> None:
    store = _Store(error=UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"))

    async def keep() -> int:
        log = recording_to(store)
        log.keep("s", lambda: RECALL)
        await log.written()
        store._error = None
        log.keep("s", lambda: RECALL)
        await log.written()
        return log.lost

    assert asyncio.run(keep()) == 1
    assert len(store.transactions) == 1
    assert [record.reason for record in caplog.records] == ["UnicodeEncodeError"]


def test_what_no_longer_fits_the_queue_is_lost_and_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MOST_QUEUED", 2)
    store = _Store()

    async def keep() -> int:
        log = recording_to(store)
        for _ in range(3):
            log.keep("s", lambda: RECALL)
        await log.written()
        return log.lost

    assert asyncio.run(keep()) == 1
    assert len(store.transactions[0][0][1]["recalls"]) == 2
    assert [getattr(record, "reason", None) for record in caplog.records] == ["too many wait to be written"]
