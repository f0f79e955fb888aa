"""Wording topics anew: what it reads, and where it works."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest

from tests.store.conftest import Run
from tests.store.talk import conversation
from trace_graph.memory import Memory
from trace_graph.organize import organizing, quoting, revising


def test_the_messages_of_a_topic_are_read_once(
    memory: Memory, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: Counter[str] = Counter()
    original = revising.read_messages

    async def counting(store: Any, space: str, topics: Any) -> Any:
        read.update(topics)
        return await original(store, space, topics)

    monkeypatch.setattr(revising, "read_messages", counting)
    monkeypatch.setattr(revising, "READ_TOGETHER", 10)

    async def work() -> int:
        await memory.add_many(conversation(), space=space)
        return (await memory.organize(space=space)).topics_created

    assert run(work()) == len(read)
    assert set(read.values()) == {1}


def test_what_keeps_a_processor_busy_does_not_hold_up_the_event_loop(
    memory: Memory, run: Run, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Adds and recalls of the same process go on meanwhile: the pure work is done in other threads."""
    on_the_loop: dict[str, bool] = {}

    def watched(module: Any, name: str) -> None:
        original = getattr(module, name)

        def watching(*given: Any, **named: Any) -> Any:
            on_the_loop[name] = threading.current_thread() is threading.main_thread()
            return original(*given, **named)

        monkeypatch.setattr(module, name, watching)

    pure = {
        organizing: ("cut", "plan"),
        revising: ("leaf_phrases", "leaf_draft", "parent_phrases"),
        quoting: ("parent_draft", "title"),
    }
    for module, names in pure.items():
        for name in names:
            watched(module, name)

    async def work() -> None:
        await memory.add_many(conversation(), space=space)
        await memory.organize(space=space)

    run(work())

    assert on_the_loop == {name: False for names in pure.values() for name in names}
