"""Ids: time-ordered UUIDs as text, one NewType a kind."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import NewType
from uuid import UUID

SpaceId = NewType("SpaceId", str)
TopicId = NewType("TopicId", str)
MessageId = NewType("MessageId", str)
RevisionId = NewType("RevisionId", str)

NewId = Callable[[], str]
"""Gives a fresh id at each call; a parameter, so that tests can pin it."""

_RANDOM_BITS = 74
_LARGEST_STEP_BITS = 32
"""Ids of one millisecond go on from each other by a random step, so that none can be guessed from the one before."""


class _Sequence:
    """The last id of this process: a later one is always larger, also within a millisecond."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        """48 bits of Unix milliseconds, then 74 random bits."""
        now = (time.time_ns() // 1_000_000) << _RANDOM_BITS
        with self._lock:
            if now > self._last:
                # The highest bit stays free, so that a millisecond does not run over.
                self._last = now | secrets.randbits(_RANDOM_BITS - 1)
            else:
                self._last += 1 + secrets.randbits(_LARGEST_STEP_BITS)
            return self._last


_sequence = _Sequence()


def uuid7() -> str:
    """A UUIDv7 as text; those of one process sort in the order in which they were made.

    Source: RFC 9562, sections 5.7 and 6.2 (method 2). The standard library has it from Python 3.14 on.
    """
    return as_uuid7(_sequence.next())


def as_uuid7(value: int) -> str:
    """The UUIDv7 of 48 bits of Unix milliseconds and 74 bits below them; larger numbers give larger ids."""
    high, low = value >> 62, value & ((1 << 62) - 1)
    return str(UUID(int=(high >> 12) << 80 | 0x7 << 76 | (high & 0xFFF) << 64 | 0x2 << 62 | low))
