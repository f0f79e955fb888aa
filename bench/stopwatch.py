"""Where the time goes: wall seconds by stage, taken by wrapping the functions that carry a stage out.

The library itself keeps no such count. A function that no longer exists under its name here is an error, not a zero.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from trace_graph.ingest import adding
from trace_graph.memory import door
from trace_graph.memory.embedding import CheckedEmbedder
from trace_graph.organize import organizing
from trace_graph.organize.revising import Reviser
from trace_graph.retrieve import recall
from trace_graph.retrieve.recording import Recording
from trace_graph.store.connection import Store

STAGES: tuple[tuple[Any, str, str], ...] = (
    (adding, "obtain_space", "space"),
    (adding, "prepare", "prepare"),
    (CheckedEmbedder, "embed", "embed"),
    (adding, "append", "database"),
    (organizing, "background_mean", "load"),
    (organizing, "read_waiting", "load"),
    (organizing, "read_tails", "load"),
    (organizing, "read_topics", "load"),
    (organizing, "read_contents", "load"),
    (organizing, "cut", "plan"),
    (organizing, "plan", "plan"),
    (organizing, "carry_out", "write"),
    (Reviser, "run", "revise"),
    (door, "find_spaces", "space"),
    (recall, "find_candidates", "candidates"),
    (recall, "rank", "rank"),
    (recall, "describe", "describe"),
    (Recording, "keep", "trace"),
    (Store, "_retried", "of it, database"),
)
"""Where the function is looked up when it is called, its name there, and the stage it belongs to."""

STAGES_OF = {
    "add": ("space", "prepare", "embed", "database"),
    "import": ("space", "prepare", "embed", "database"),
    "organise": ("load", "plan", "write", "revise"),
    "recall": ("space", "embed", "candidates", "rank", "describe", "trace"),
}
"""The stages of a verb; what they leave of the whole is `rest`. `of it, database` runs across them."""


class Stopwatch:
    """Counts while it is entered; calls of one stage that overlap count once."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._running: Counter[str] = Counter()
        self._began: dict[str, float] = {}
        self._originals: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Self:
        for owner, name, stage in STAGES:
            self.wrap(owner, name, stage)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._originals:
            setattr(*self._originals.pop())

    def wrap(self, owner: Any, name: str, stage: str) -> None:
        """Count the calls of `owner.name` towards a stage."""
        original = vars(owner)[name]
        self._originals.append((owner, name, original))
        setattr(owner, name, self._counting(original, stage))

    def reset(self) -> None:
        """Begin at nothing."""
        self._seconds.clear()

    def parts(self, verb: str, total: float, calls: int) -> dict[str, float]:
        """Milliseconds a call, by stage of the verb; `rest` is what no stage accounts for."""
        stages = {stage: self._seconds[stage] for stage in STAGES_OF[verb]}
        rest = total - sum(stages.values())
        shown = {**stages, "rest": rest, "of it, database": self._seconds["of it, database"]}
        return {stage: round(seconds * 1000 / calls, 3) for stage, seconds in shown.items()}

    def _counting(self, original: Callable[..., Any], stage: str) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(original):
            @functools.wraps(original)
            async def counted(*arguments: Any, **named: Any) -> Any:
                self._start(stage)
                try:
                    return await original(*arguments, **named)
                finally:
                    self._stop(stage)
        else:
            @functools.wraps(original)
            def counted(*arguments: Any, **named: Any) -> Any:
                self._start(stage)
                try:
                    return original(*arguments, **named)
                finally:
                    self._stop(stage)
        return counted

    def _start(self, stage: str) -> None:
        if not self._running[stage]:
            self._began[stage] = self._clock()
        self._running[stage] += 1

    def _stop(self, stage: str) -> None:
        self._running[stage] -= 1
        if not self._running[stage]:
            self._seconds[stage] += self._clock() - self._began[stage]
