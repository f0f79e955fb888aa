"""How long everything takes, and where the time goes.

    python -m bench.speed [--uri URI] [--quick | --stores 1000 10000 100000] [--out FILE.json]

Without --uri an embedded engine is started in a temporary folder, and stopped and removed at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.installed import DoorFailed, help_seconds, import_seconds, installed_megabytes
from bench.large_store import copied, write_lines
from bench.locomo import default_file, messages
from bench.stopwatch import Stopwatch
from trace_graph import Memory, MessageInput, TraceGraphError
from trace_graph.bench.datasets import LOCOMO_ANSWERABLE
from trace_graph.bench.engine import engine_title, local_server
from trace_graph.bench.questions import locomo_questions
from trace_graph.bench.scoring import percentile
from trace_graph.config import Settings
from trace_graph.models import uuid7

T = TypeVar("T")

WARM_UP = 20
"""Calls before the first one that is timed: the engine's Java compiles what it runs often."""


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    stores: tuple[int, ...]
    """Messages of each store, the smallest first."""
    calls: int
    """Adds, and recalls, of each store."""


FULL, QUICK = Size((1_000, 10_000), 200), Size((300, 1_000), 30)


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    name: str
    value: float | None
    """None where it could not be measured; `note` says why."""
    unit: str
    aim: str = ""
    note: str = ""
    parts: dict[str, float] = field(default_factory=dict)
    """Milliseconds a call (or a message), by stage."""


@dataclass(frozen=True)
class Material:
    """What is stored and asked."""

    messages: list[MessageInput]
    questions: list[str]


async def measure_installed() -> list[Figure]:
    """Weight and start of an installation."""
    sizes = installed_megabytes()
    largest = ", ".join(f"{name} {size:.0f}" for name, size in list(sizes.items())[:5])
    lines = [Figure("installed size", round(sum(sizes.values()), 1), "MB", note=f"{len(sizes)} packages: {largest}")]
    doors: tuple[tuple[str, Callable[[], float], str], ...] = (
        ("import trace_graph", lambda: import_seconds("import trace_graph"), "0.3"),
        ("from trace_graph import Memory", lambda: import_seconds("from trace_graph import Memory"), "0.3"),
        ("trace-graph --help", help_seconds, "0.5"),
    )
    for name, taken, aim in doors:
        try:
            lines.append(Figure(name, round(await asyncio.to_thread(taken), 3), "s", aim))
        except DoorFailed as error:
            lines.append(Figure(name, None, "s", aim, str(error)))
    return lines


async def measure_stores(settings: Settings, material: Material, size: Size, stopwatch: Stopwatch) -> list[Figure]:
    """Import, organise, add and recall, for stores of each size in one database."""
    lines, suffix = [], uuid7()[-6:]
    with tempfile.TemporaryDirectory() as folder:
        for count in size.stores:
            file = Path(folder) / f"{count}.jsonl"
            write_lines(copied(material.messages, count), file)
            async with Memory(settings=settings) as memory:
                trial = _Trial(memory, f"bench-speed-{count}-{suffix}", count, stopwatch)
                print(f"{trial.space} ...", file=sys.stderr, flush=True)
                lines += [await trial.import_file(file), await trial.organize()]
                lines += await trial.add(material.messages, size.calls)
                lines += await trial.recall(material.questions, size.calls)
    return lines


@dataclass(frozen=True)
class _Trial:
    """One store that is measured."""

    memory: Memory
    space: str
    count: int
    """Messages in it, before the adds that are timed."""
    stopwatch: Stopwatch

    async def import_file(self, file: Path) -> Figure:
        """How many messages a second are imported."""
        return await self._rate("import", self.memory.import_file(file, space=self.space, format="jsonl"), "1000")

    async def organize(self) -> Figure:
        """How many messages a second are filed, the summaries included."""
        return await self._rate("organise", self.memory.organize(space=self.space), "500")

    async def add(self, messages: Sequence[MessageInput], calls: int) -> list[Figure]:
        """How long one message takes until it is durable, one after the other."""
        async def add(message: MessageInput) -> None:
            await self.memory.add(
                message.text, space=self.space, author=message.author, session="added", external_id=uuid7())

        return await self._latency("add", add, random.Random(0).choices(messages, k=WARM_UP + calls), "p95 15")

    async def recall(self, questions: Sequence[str], calls: int) -> list[Figure]:
        """How long one question takes, with the budget that is the default."""
        async def recall(question: str) -> None:
            await self.memory.recall(question, space=self.space)

        return await self._latency("recall", recall, random.Random(0).sample(questions, k=WARM_UP + calls), "p95 60")

    async def _rate(self, verb: str, work: Awaitable[object], aim: str) -> Figure:
        self.stopwatch.reset()
        began = time.perf_counter()
        report = await work
        seconds = time.perf_counter() - began
        return Figure(
            f"{verb}, {self.count:,} messages", round(self.count / seconds, 1), "messages/s", aim, str(report),
            self.stopwatch.parts(verb, seconds, self.count))

    async def _latency(
        self, verb: str, call: Callable[[T], Awaitable[None]], inputs: Sequence[T], aim: str
    ) -> list[Figure]:
        for one in inputs[:WARM_UP]:
            await call(one)
        self.stopwatch.reset()
        milliseconds = []
        for one in inputs[WARM_UP:]:
            began = time.perf_counter()
            await call(one)
            milliseconds.append((time.perf_counter() - began) * 1000)
        parts = self.stopwatch.parts(verb, sum(milliseconds) / 1000, len(milliseconds))
        name = f"{verb}, {self.count:,} messages stored"
        return [
            Figure(f"{name}, p50", round(percentile(milliseconds, 50), 1), "ms"),
            Figure(f"{name}, p95", round(percentile(milliseconds, 95), 1), "ms", aim, f"{len(milliseconds)} calls",
                   parts)]


async def measure(uri: str | None, data: Path, size: Size) -> dict[str, Any]:
    """Everything, on the engine of the URI, or on one of our own that is gone afterwards."""
    material = Material(
        messages(data), [one.text for one in locomo_questions(data) if one.category in LOCOMO_ANSWERABLE])
    lines = await measure_installed()
    async with engine_of(uri) as settings:
        lines.append(Figure("connect" if uri else "engine start, empty folder", await _opened(settings), "s"))
        about = circumstances(await engine_title(settings), settings.embedder)
        with Stopwatch() as stopwatch:
            lines += await measure_stores(settings, material, size, stopwatch)
        if uri is None:
            await local_server(settings).stop()
            lines.append(Figure(
                f"engine start, {sum(size.stores):,} messages stored", await _opened(settings), "s"))
    return {"circumstances": about, "figures": [asdict(one) for one in lines]}


async def _opened(settings: Settings) -> float:
    """Seconds until the engine has answered; an embedded one that does not run is started."""
    began = time.perf_counter()
    await engine_title(settings)
    return round(time.perf_counter() - began, 2)


def table(measured: dict[str, Any]) -> str:
    """The figures for people; below a figure its parts, in milliseconds a call or a message."""
    lines = [str(measured["circumstances"]), "", f"{'what':<40}{'value':>10}  {'unit':<11}{'aim':<8}note"]
    for one in measured["figures"]:
        value = "failed" if one["value"] is None else f"{one['value']:g}"
        lines.append(f"{one['name']:<40}{value:>10}  {one['unit']:<11}{one['aim']:<8}{one['note']}".rstrip())
        if one["parts"]:
            lines.append("    " + ", ".join(f"{stage} {value:g} ms" for stage, value in one["parts"].items()))
    return "\n".join(lines)


def main() -> int:
    """The exit code: 1 where something could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI (default: a fresh embedded engine)")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--quick", action="store_true", help="small stores and few calls, to see that it runs")
    parser.add_argument("--stores", type=int, nargs="+", help="messages of each store, the smallest first")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    chosen = parser.parse_args()
    try:
        size = QUICK if chosen.quick else FULL
        if chosen.stores:
            size = replace(size, stores=tuple(chosen.stores))
        measured = asyncio.run(measure(chosen.uri, chosen.data, size))
    except TraceGraphError as error:
        print(f"{error} {error.fix}", file=sys.stderr)
        return 1
    print(table(measured))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one["value"] is None for one in measured["figures"]) else 0


if __name__ == "__main__":
    sys.exit(main())
