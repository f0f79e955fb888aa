"""The door without await, against a running engine."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.command import Command
from trace_graph.errors import UsageError
from trace_graph.sync import Memory


def test_many_threads_share_one_memory(trace_graph: Command) -> None:
    with Memory(uri=trace_graph.uri) as memory, ThreadPoolExecutor(8) as threads:
        receipts = list(threads.map(
            lambda number: memory.add(f"Thought number {number}", space="threads", external_id=f"t{number}"),
            range(24)))
        found = list(threads.map(lambda _: memory.recall("thought", space="threads", limit=5), range(4)))
        stats = memory.stats(space="threads")

    assert sorted(receipt.seq for receipt in receipts) == list(range(1, 25))
    assert [len(result.items) for result in found] == [5, 5, 5, 5]
    assert stats.messages == 24


def test_its_own_thread_is_refused_instead_of_waiting_for_itself(trace_graph: Command) -> None:
    (trace_graph.folder / "one.jsonl").write_text('{"text": "One"}\n', encoding="utf-8")
    with (
        Memory(uri=trace_graph.uri) as memory,
        pytest.raises(UsageError, match="from its own thread"),
    ):
        memory.import_file(
            trace_graph.folder / "one.jsonl", space="threads", progress=lambda done, total: memory.close())


def test_a_closed_memory_says_so() -> None:
    memory = Memory(uri="local:/nowhere-at-all")
    memory.close()
    memory.close()

    with pytest.raises(UsageError, match="This memory is closed"):
        memory.spaces()
