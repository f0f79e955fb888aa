"""Ids: time-ordered UUIDs as text, one NewType a kind."""

from __future__ import annotations

import secrets
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


def uuid7() -> str:
    """A UUIDv7 as text: 48 bits of Unix milliseconds, then 74 random bits.

    Source: RFC 9562, section 5.7. The standard library has it from Python 3.14 on.
    """
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & ((1 << 48) - 1)) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(UUID(int=value))
