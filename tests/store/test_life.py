"""A space lives: messages are added, repeated, filed, cut off in the middle and opened again, in any order.

What was acknowledged is there, word for word, once, in its order; what was not is there whole or not at all; and every
filed message has one place. `TRACE_GRAPH_TEST_EXAMPLES` lives are tried on the embedded engine (default: 50, the same
in every run), and a fifth of them on each Neo4j.
"""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
from collections.abc import Coroutine
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as tried
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.engines.releases import EngineAddress
from tests.store.conftest import Run
from tests.store.looking import opened
from tests.store.prepared import Graph, open_graph
from trace_graph.config import Settings
from trace_graph.errors import TraceGraphError
from trace_graph.memory import Memory
from trace_graph.models import MessageInput, Receipt
from trace_graph.organize.lease import LENGTH
from trace_graph.text.times import utc_now

pytestmark = pytest.mark.each_release

EXAMPLES = int(os.environ.get("TRACE_GRAPH_TEST_EXAMPLES", "50"))
SESSIONS = ("monday", "tuesday", "日曜日")
TEXTS = st.sampled_from((
    "The sourdough rose well.", "We sail to Bergen on Friday with the Petrel.", "My knee hurts after running.",
    "Slugs ate the lettuce again.", "好的，明天见。", "ok", "The invoice A-1234 is still open.", "مرحبا، كيف حالك؟",
    "A long remark. " * 60))

LOOK = """
MATCH (s:Space {name: $name})
MATCH (m:Message {space: s.id})
OPTIONAL MATCH (m)-[:HAS_PASSAGE]->(p:Passage)
WITH s, m, count(p) AS passages
RETURN m.session AS session, m.seq AS seq, m.text AS text, m.external_id AS external_id, passages,
       m.terms IS NOT NULL AND m.embedding IS NOT NULL AND m.content_hash IS NOT NULL AS complete,
       COUNT { (m)<-[r:PARENT_OF]-() WHERE r.live_key IS NOT NULL } AS parents, m.waiting_in IS NOT NULL AS waiting
ORDER BY m.session, m.seq
"""


class Life(RuleBasedStateMachine):
    """One space, and what this test knows of it."""

    engine: Settings
    runner: Run
    graph: Graph

    def __init__(self) -> None:
        super().__init__()
        self.space = f"life-{secrets.token_hex(6)}"
        self.memory: Memory | None = None
        self.acknowledged: dict[str, dict[int, str]] = {}
        self.tried: list[MessageInput] = []
        self.number = 0
        self.late = timedelta()
        """What each next memory's clock is ahead: an organiser that was cut off may leave its lease behind, and nobody
        has to wait until it expires."""

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner(work)

    def opened(self) -> Memory:
        late = self.late

        def clock() -> datetime:
            return utc_now() + late

        return opened(self.engine, clock=clock)

    @initialize()
    def open(self) -> None:
        self.memory = self.opened()
        self.run(self.memory.create_space(self.space))

    def _messages(self, texts: list[str], session: str) -> list[MessageInput]:
        made = []
        for text in texts:
            self.number += 1
            made.append(MessageInput(text=text, session=session, author="Mira", external_id=f"m{self.number}"))
        self.tried += made
        return made

    def _note(self, messages: list[MessageInput], receipts: list[Receipt]) -> None:
        for message, receipt in zip(messages, receipts, strict=True):
            places = self.acknowledged.setdefault(message.session, {})
            assert places.setdefault(receipt.seq, message.text) == message.text

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=6), session=st.sampled_from(SESSIONS))
    def add(self, texts: list[str], session: str) -> None:
        messages = self._messages(texts, session)
        receipts = self.run(self.memory.add_many(messages, space=self.space))
        assert [receipt.duplicate for receipt in receipts] == [False] * len(texts)
        self._note(messages, receipts)

    @rule(texts=st.lists(TEXTS, min_size=2, max_size=5), session=st.sampled_from(SESSIONS))
    def add_at_once(self, texts: list[str], session: str) -> None:
        messages = self._messages(texts, session)

        async def write() -> list[Receipt]:
            return [one for part in await asyncio.gather(
                *(self.memory.add_many([message], space=self.space) for message in messages)) for one in part]

        self._note(messages, self.run(write()))

    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        if self.tried:
            again = data.draw(st.lists(st.sampled_from(self.tried), min_size=1, max_size=4), label="again")
            self._note(again, self.run(self.memory.add_many(again, space=self.space)))

    @rule()
    def organize(self) -> None:
        report = self.run(self.memory.organize(space=self.space))
        assert report.waiting == 0

    @rule(
        verb=st.sampled_from(("add", "organize")), way=st.sampled_from(("cancelled", "closed", "connection lost")),
        rounds=st.integers(0, 60), texts=st.lists(TEXTS, min_size=1, max_size=30))
    def cut_off(self, verb: str, way: str, rounds: int, texts: list[str]) -> None:
        """What is under way ends somewhere in the middle; another memory goes on."""
        messages = self._messages(texts, "monday") if verb == "add" else []

        async def broken() -> list[Receipt]:
            work: Coroutine[Any, Any, Any] = (
                self.memory.add_many(messages, space=self.space) if messages
                else self.memory.organize(space=self.space))
            task = asyncio.ensure_future(work)
            for _ in range(rounds):
                await asyncio.sleep(0.0002)
            if way == "cancelled":
                task.cancel()
            elif way == "closed":
                await self.memory._opening.close()
            else:
                await lose_connections(self.memory)
            done, = await asyncio.gather(task, return_exceptions=True)
            await self.memory.close()
            if isinstance(done, BaseException):
                assert isinstance(done, TraceGraphError | asyncio.CancelledError), repr(done)
                return []
            return done if messages else []

        receipts = self.run(broken())
        if receipts:
            self._note(messages, receipts)
        self.late += LENGTH
        self.memory = self.opened()

    @rule()
    def open_again(self) -> None:
        self.run(self.memory.close())
        self.memory = self.opened()

    @invariant()
    def what_was_acknowledged_is_there_and_all_is_whole(self) -> None:
        if self.memory is None:
            return
        rows = self.run(self.graph.rows(LOOK, name=self.space))
        by_session: dict[str, dict[int, str]] = {}
        for row in rows:
            by_session.setdefault(row["session"], {})[row["seq"]] = row["text"]
            assert row["complete"]
            assert (row["passages"] > 0) == (len(row["text"]) > 800)
            assert row["parents"] == (0 if row["waiting"] else 1)
        known = {message.external_id: message for message in self.tried}
        assert len({row["external_id"] for row in rows}) == len(rows)
        for row in rows:
            assert (known[row["external_id"]].text, known[row["external_id"]].session) == (row["text"], row["session"])
        for session, places in by_session.items():
            assert list(places) == list(range(1, len(places) + 1)), session
        for session, places in self.acknowledged.items():
            assert places.items() <= by_session.get(session, {}).items()

    @rule()
    def export(self) -> None:
        """An export checks itself: nothing in it refers to what is not there, and the counts are those of the space."""
        report = self.run(self.memory.export(space=self.space, out=BytesIO()))
        stored = self.run(self.graph.rows(LOOK, name=self.space))
        assert report.messages == len(stored)

    def teardown(self) -> None:
        if self.memory is not None:
            self.run(self.memory.close())


async def lose_connections(memory: Memory) -> None:
    """The network is gone for a moment: every connection of this memory breaks off, in use or not."""
    if memory._opening._opened is not None:
        pool = memory._opening._opened.store._driver._pool
        for connection in [one for kept in pool.connections.values() for one in kept]:
            connection.kill()


# Connections are broken off on purpose: the driver leaves some of their sockets to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_whatever_happens_nothing_acknowledged_is_lost_and_nothing_is_half(
    settings: Settings, engine_address: EngineAddress, run: Run
) -> None:
    graph = open_graph(settings)
    machine = type("LifeHere", (Life,), {"engine": settings, "runner": staticmethod(run), "graph": graph})
    lives = EXAMPLES if engine_address.kind == "arcadedb" else max(1, EXAMPLES // 5)
    try:
        run_state_machine_as_test(machine, settings=tried(
            max_examples=lives, stateful_step_count=10, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck)))
    finally:
        run(graph.close())
        gc.collect()
