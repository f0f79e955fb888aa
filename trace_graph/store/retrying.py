"""Trying again: what may succeed the next time is repeated, with pauses that grow, until a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import tenacity
from neo4j import exceptions as driver

from trace_graph.errors import EngineTimeout
from trace_graph.store.driver_errors import is_transient, translate

T = TypeVar("T")

FIRST_WAIT, LONGEST_WAIT = 0.01, 1.0
"""Seconds between tries, doubling, with full jitter. Guess: a conflicting write of ours takes 5 to 50 ms."""
TRIES_OF_A_TAKEN_KEY = 20
"""Before a key that is taken counts as taken for good; guess: about 10 s. Only a fault of ours takes a key for good."""
MOST_REVIVALS = 3
"""Starts of the engine that one operation waits for: it may be the operation itself that ends it."""

GONE = (driver.ServiceUnavailable, driver.SessionExpired, driver.IncompleteCommit, ConnectionError)
"""The server is not there any more, or was not there at all."""


class Persistence(Generic[T]):
    """One operation: how often it may fail, and how long all its tries may take together."""

    def __init__(
        self, once: Callable[[], Awaitable[T]], revive: Callable[[], Awaitable[bool]] | None, *, optimistic: bool,
        seconds: float, conflicts: int | None,
    ) -> None:
        """Prepare it.

        Args:
            once: one try.
            revive: brings the engine back and tells whether it was gone; None where that is not ours to do.
            optimistic: of two writers at once the engine tells the second that its key is taken.
            seconds: for all tries, counted anew after the engine was brought back.
            conflicts: lost to other writers after which it gives up; None: only the deadline counts.
        """
        self._once, self._revive = once, revive
        self._optimistic, self._seconds, self._conflicts = optimistic, seconds, conflicts
        self._lost = 0
        self._revived = 0
        self._last: BaseException | None = None

    async def carry_through(self, operation: str) -> T:
        """Try until it succeeds. Raises: our error for the last one of the driver; EngineTimeout."""
        retrying = tenacity.AsyncRetrying(
            retry=self._again, stop=tenacity.stop_never, reraise=True,
            wait=tenacity.wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT, min=FIRST_WAIT))
        try:
            async with asyncio.timeout(self._seconds) as limit:
                return await retrying(self._try, limit)
        except TimeoutError as error:
            if isinstance(self._last, GONE):
                raise translate(self._last, operation) from self._last
            raise EngineTimeout(f"The database did not finish in {self._seconds:g} s ({operation}).") from error
        except (driver.DriverError, driver.Neo4jError, OSError) as error:
            raise translate(error, operation) from error

    async def _try(self, limit: asyncio.Timeout) -> T:
        try:
            return await self._once()
        except GONE as error:
            self._last = error
            if self._revive is not None and self._revived < MOST_REVIVALS and not limit.expired():
                await self._bring_back(self._revive, limit)
            raise
        except BaseException as error:
            self._last = error
            raise

    async def _bring_back(self, revive: Callable[[], Awaitable[bool]], limit: asyncio.Timeout) -> None:
        """Wait for the engine, which has a deadline of its own for starting; then the operation's begins anew."""
        end = limit.when()
        limit.reschedule(None)
        if await revive():
            self._revived += 1
            end = asyncio.get_running_loop().time() + self._seconds
        limit.reschedule(end)

    def _again(self, state: tenacity.RetryCallState) -> bool:
        error = state.outcome.exception() if state.outcome is not None else None
        if error is None:
            return False
        taken = isinstance(error, driver.ConstraintError)
        if not is_transient(error) and not (taken and self._optimistic):
            return False
        # A try that the end of the engine undid was lost to nobody.
        self._lost += not isinstance(error, GONE)
        limits = [self._conflicts, TRIES_OF_A_TAKEN_KEY if taken else None]
        return all(self._lost < most for most in limits if most is not None)
