"""A clock that stands and ids that repeat: with them two runs over the same input write the same bytes.

The clocks of the store go on from each other by themselves, so a clock that stands is enough for it.
"""

from __future__ import annotations

import random
import threading
from datetime import datetime

from trace_graph.models.ids import as_uuid7

_RANDOM_BITS, _LARGEST_STEP_BITS = 74, 32
"""As in `models.ids`."""


class Pinned:
    """Ids and clock of one run, from a seed and a moment."""

    def __init__(self, seed: int, moment: datetime) -> None:
        """`moment` is aware. The same two give the same ids in the same order."""
        self.seed = seed
        self.moment = moment
        self._random = random.Random(seed)
        milliseconds = int(moment.timestamp() * 1000)
        # The highest bit stays free, so that a millisecond does not run over.
        self._last = (milliseconds << _RANDOM_BITS) | self._random.getrandbits(_RANDOM_BITS - 1)
        self._lock = threading.Lock()

    def clock(self) -> datetime:
        """The moment, at every call."""
        return self.moment

    def new_id(self) -> str:
        """A UUIDv7 of the moment; each one is larger than the one before."""
        with self._lock:
            self._last += 1 + self._random.getrandbits(_LARGEST_STEP_BITS)
            return as_uuid7(self._last)
