"""One small request to the model, to see whether it answers: `trace-graph health --probe`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from trace_graph.llm.purposes import probe
from trace_graph.llm.values import Answered, Model
from trace_graph.memory.modelling import Modelling
from trace_graph.models import NewId
from trace_graph.store.calls import keep_calls_of_no_space
from trace_graph.store.connection import Store


@dataclass(frozen=True)
class Tried:
    """What came of one request."""

    words: str
    answered: bool
    """Whether the answer was right."""


@dataclass(frozen=True)
class Probing:
    """Tries the model of the settings."""

    store: Store
    modelling: Modelling
    clock: Callable[[], datetime]
    new_id: NewId

    async def probe(self) -> Tried:
        """Send one request. It is kept, and counts against the allowance of the day.

        Raises: ConfigError where the endpoint cannot be used as it is set, EngineUnavailable, StoreFailed.
        """
        # The one of the settings: what is tried is their endpoint.
        async with replace(self.modelling, given=None).required(self.store) as model:
            answered = await ask(model)
        await keep_calls_of_no_space(
            self.store, [(self.new_id(), call) for call in answered.calls], now=self.clock())
        return Tried(in_words(answered), answered.value is not None and answered.fault is None)


async def ask(model: Model) -> Answered[Any]:
    """The one request."""
    return await model.ask(probe.request())


def in_words(answered: Answered[Any]) -> str:
    """What came of it, for people. Pure."""
    requests = sum(call.requests for call in answered.calls)
    took = sum(call.milliseconds for call in answered.calls)
    cost = f"{requests} HTTP request{'' if requests == 1 else 's'}, {took:,} ms"
    if answered.value is None:
        return f"no answer that can be used ({cost}): {answered.fault}"
    if answered.fault is not None:
        return f"an answer, and a wrong one ({cost})"
    return f"answered ({cost})"
