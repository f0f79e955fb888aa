"""Trying again: what is worth it, how often, and how long, with an engine that may have to be brought back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from neo4j import exceptions as driver

from trace_graph.errors import Conflict, EngineTimeout, EngineUnavailable, StoreFailed
from trace_graph.store import retrying
from trace_graph.store.retrying import MOST_REVIVALS, TRIES_OF_A_TAKEN_KEY, Persistence

Once = Callable[[], Awaitable[str]]
Revive = Callable[[], Awaitable[bool]]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_WAIT", 0.0)
    monkeypatch.setattr(retrying, "LONGEST_WAIT", 0.0)


def scripted(*outcomes: BaseException | str) -> tuple[Once, list[int]]:
    """One try after the other with these outcomes, the last one again and again; and how many there were."""
    tried: list[int] = []

    async def once() -> str:
        tried.append(1)
        outcome = outcomes[min(len(tried), len(outcomes)) - 1]
        if isinstance(outcome, str):
            return outcome
        raise outcome

    return once, tried


def carry_through(
    once: Once, revive: Revive | None = None, *, optimistic: bool = True, seconds: float = 5.0,
    conflicts: int | None = None,
) -> str:
    persistence = Persistence(once, revive, optimistic=optimistic, seconds=seconds, conflicts=conflicts)
    return asyncio.run(persistence.carry_through("store_it"))


def busy() -> driver.TransientError:
    return driver.TransientError("a deadlock")


def test_what_may_succeed_the_next_time_is_tried_again() -> None:
    once, tried = scripted(busy(), driver.SessionExpired("gone"), driver.IncompleteCommit("who knows"), "stored")

    assert carry_through(once) == "stored"
    assert len(tried) == 4


def test_what_is_refused_for_good_is_tried_once() -> None:
    once, tried = scripted(driver.ClientError("no"))

    with pytest.raises(StoreFailed):
        carry_through(once)
    assert len(tried) == 1


@pytest.mark.parametrize(("optimistic", "tries"), [(True, TRIES_OF_A_TAKEN_KEY), (False, 1)])
def test_a_taken_key_counts_at_once_only_where_the_engine_means_it(optimistic: bool, tries: int) -> None:
    once, tried = scripted(driver.ConstraintError("taken"))

    with pytest.raises(Conflict):
        carry_through(once, optimistic=optimistic)
    assert len(tried) == tries


def test_a_number_of_conflicts_does_not_count_tries_that_the_end_of_the_engine_undid() -> None:
    gone = driver.ServiceUnavailable("gone")
    once, tried = scripted(busy(), gone, gone, gone, busy(), gone, busy(), "never")

    with pytest.raises(EngineTimeout):
        carry_through(once, conflicts=3)
    assert len(tried) == 7


def test_bringing_the_engine_back_takes_nothing_of_the_deadline() -> None:
    """An engine that was killed while a plan was carried out ended in "did not finish in 30 s"."""
    brought = asyncio.Event()

    async def slowly() -> bool:
        # Longer than the deadline, by the loop's own clock.
        asyncio.get_running_loop().call_later(0.2, brought.set)
        await brought.wait()
        return True

    once, tried = scripted(driver.ServiceUnavailable("gone"), "stored")

    assert carry_through(once, slowly, seconds=0.1) == "stored"
    assert len(tried) == 2


def test_an_operation_that_ends_the_engine_each_time_is_given_up() -> None:
    revived: list[int] = []

    async def revive() -> bool:
        revived.append(1)
        return True

    once, _ = scripted(driver.ServiceUnavailable("gone"))

    with pytest.raises(EngineUnavailable) as failed:
        carry_through(once, revive, seconds=0.05)

    assert len(revived) == MOST_REVIVALS
    assert failed.value.message == "The database does not answer. (query store_it)"


def test_a_server_that_was_there_all_the_while_is_not_given_more_time() -> None:
    async def there() -> bool:
        return False

    once, _ = scripted(driver.ServiceUnavailable("a connection broke"))

    with pytest.raises(EngineUnavailable) as failed:
        carry_through(once, there, seconds=0.05)

    assert type(failed.value) is EngineUnavailable


def test_a_deadline_that_passes_while_the_engine_works_is_said_so() -> None:
    async def once() -> str:
        await asyncio.Event().wait()
        return "never"

    with pytest.raises(EngineTimeout) as late:
        carry_through(once, seconds=0.05)

    assert late.value.message == "The database did not finish in 0.05 s (store_it)."
