"""Killed while it imports or organises: nothing acknowledged is lost, nothing half there, and the end is the same."""

from __future__ import annotations

import pytest

from bench.kill_engines import KilledEngine, Lent, own_engine
from bench.kills import Kill, Outcome, Target, tried
from tests.engines.releases import EngineAddress
from tests.store.conftest import Run

pytestmark = pytest.mark.each_release

MESSAGES = 160
SEED = 7


def kills(first: Target, second: Target, third: Target) -> list[Kill]:
    return [Kill("import", first, 0.6), Kill("organize", second, 0.3), Kill("organize", third, 0.5)]


def test_three_kills_lose_nothing_and_end_as_an_undisturbed_run(engine_address: EngineAddress, run: Run) -> None:
    """The servers of the other tests are not killed, only who writes to them: `make soak` kills both, 30 times each."""

    async def trial() -> Outcome:
        if engine_address.kind == "arcadedb":
            async with own_engine("arcadedb") as engine:
                return await on(engine, kills("both", "writer", "engine"))
        return await on(Lent(engine_address), kills("writer", "writer", "writer"))

    async def on(engine: KilledEngine, planned: list[Kill]) -> Outcome:
        return await tried(engine, planned, messages=MESSAGES, seed=SEED)

    outcome = run(trial())

    assert outcome.faults == []
    assert outcome.killed.total() == 3
