"""When no model is asked: the endpoint fails, or what may be spent is spent. The memory goes on without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime

MOST_FAILURES = 3
"""HTTP requests in a row that may fail."""

MOST_UNUSABLE = 12
"""Questions in a row that may come back without a usable reply. Guess: a model that fails at half of its questions
gets there within 100 of them with a chance of 1 in 80, one that fails at nine in ten soon."""


class Breaker:
    """Opens for the rest of the run once an endpoint fails."""

    def __init__(self) -> None:
        self.reason: str | None = None
        """Why it is open, in a sentence; None while it is closed."""
        self._failures = 0
        self._unusable = 0
        self._under_way = 0
        self.proved = False
        """The endpoint has answered in this run, with something in it."""
        self._changed = asyncio.Condition()

    @property
    def tries(self) -> int:
        """HTTP requests that may fail before it opens."""
        return max(0, MOST_FAILURES - self._failures)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be sent: one at a time until the endpoint has answered, and again after a failure,
        so that a crowd does not find out all at once that it does not."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: self.reason is not None or not self._under_way or (self.proved and not self._failures))
            self._under_way += 1
        try:
            yield
        finally:
            async with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def answered(self) -> None:
        """The endpoint answered, with something in it."""
        self._failures, self.proved = 0, True

    def failed(self, requests: int, reason: str) -> None:
        """So many HTTP requests failed, the last one for this reason (a sentence)."""
        self._failures += requests
        if self._failures >= MOST_FAILURES:
            self.open(reason)

    def usable(self, is_usable: bool, reason: str = "") -> None:
        """A question came back with or without a usable reply."""
        self._unusable = 0 if is_usable else self._unusable + 1
        if self._unusable >= MOST_UNUSABLE:
            self.open(f"{MOST_UNUSABLE} questions in a row got no usable reply; the last: {reason}")

    def open(self, reason: str) -> None:
        """No request is sent from now on."""
        if self.reason is None:
            self.reason = reason


@dataclass(frozen=True)
class Spent:
    """What model use has cost."""

    calls: int = 0
    tokens: int = 0
    """In and out together."""


@dataclass(frozen=True)
class Limits:
    """What it may cost; None: without limit."""

    calls_per_run: int | None = None
    calls_per_day: int | None = None
    tokens_per_run: int | None = None
    tokens_per_day: int | None = None


class Allowance:
    """Counts calls and tokens against limits. A call that is under way may take it over a limit of tokens."""

    def __init__(self, limits: Limits, used_today: Spent, now: datetime) -> None:
        """`used_today` was used before, on the day of `now` (UTC)."""
        self._limits = limits
        self._run = Spent()
        self._today = used_today
        self._day: date = now.date()

    def used_up(self, now: datetime) -> str | None:
        """Which limit is reached, in a sentence that names its setting; None where none is."""
        self._begin_day(now)
        for name, used, limit in (
            ("calls_per_run", self._run.calls, self._limits.calls_per_run),
            ("calls_per_day", self._today.calls, self._limits.calls_per_day),
            ("tokens_per_run", self._run.tokens, self._limits.tokens_per_run),
            ("tokens_per_day", self._today.tokens, self._limits.tokens_per_day),
        ):
            if limit is not None and used >= limit:
                return f"The allowance of {limit} {name.replace('_per_', ' a ')} is used up (setting llm.{name})."
        return None

    def take(self, calls: int, tokens: int, now: datetime) -> None:
        """Count so many calls and tokens."""
        self._begin_day(now)
        self._run = Spent(self._run.calls + calls, self._run.tokens + tokens)
        self._today = Spent(self._today.calls + calls, self._today.tokens + tokens)

    def _begin_day(self, now: datetime) -> None:
        if now.date() > self._day:
            self._day, self._today = now.date(), Spent()
