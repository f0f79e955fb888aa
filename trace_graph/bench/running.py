"""One run of the benchmark: import, organise, ask, and write down what was found."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from trace_graph.bench.asking import Baselines, Progress, asked, describe, fill, recalled, warm_up
from trace_graph.bench.circumstances import Circumstances, circumstances, commit
from trace_graph.bench.datasets import Dataset, Pool, Selection, read_dataset
from trace_graph.bench.engine import engine_in, engine_title
from trace_graph.bench.plot import draw
from trace_graph.bench.results import Results, System
from trace_graph.bench.run_folder import Filled, RunFolder, run_folder
from trace_graph.bench.summing_up import sum_up
from trace_graph.bench.tables import as_markdown
from trace_graph.config import Settings, load_settings
from trace_graph.embed.protocol import Embedder
from trace_graph.memory import Memory
from trace_graph.memory.embedding import configured_embedder
from trace_graph.version import VERSION

SYSTEMS: tuple[System, ...] = get_args(System)
PLOT, TABLE = "plot.png", "table.md"


@dataclass(frozen=True)
class Order:
    """What is to be measured, on what, and where the results go."""

    selection: Selection
    out: Path
    systems: tuple[System, ...] = SYSTEMS
    database: Settings | None = None
    """How to reach a database; None: an embedded engine of the run's own, removed after the last question."""
    run: str = "bench"
    """Goes into the names of the spaces; with one that was used before on a database, its spaces are asked again."""
    restart: bool = False
    """Begin anew where a run was broken off."""
    command: str = "trace-graph bench"
    """What was typed, for the record."""


async def run_benchmark(order: Order, progress: Progress) -> Results:
    """Measure what is ordered; writes `results.json`, `table.md` and `plot.png`.

    A run that was broken off goes on where it was. Raises: NotFound, InvalidInput, UsageError, Refused,
    EngineUnavailable, EmbeddingFailed, StoreFailed.
    """
    progress("reading", 0, None)
    dataset = await asyncio.to_thread(read_dataset, order.selection)
    with run_folder(order.out) as folder:
        async with _settings(order, folder) as settings:
            identity = await asyncio.to_thread(_identity, order, dataset, settings)
            folder.begin(identity, restart=order.restart)
            progress("connecting", 0, None)
            about = await _circumstances(order, settings)
            await _measure(order, dataset, settings, folder, progress)
        progress("summing up", 0, None)
        results = await asyncio.to_thread(
            sum_up, order.selection, order.systems, dataset, folder, settings=settings, about=about)
        await asyncio.to_thread(draw, results, order.out / PLOT)
        (order.out / TABLE).write_text(as_markdown(results), encoding="utf-8")
        folder.finish(results.model_dump_json(indent=1) + "\n")
    return results


async def _measure(
    order: Order, dataset: Dataset, settings: Settings, folder: RunFolder, progress: Progress
) -> None:
    """Fill every pool that is not done, and ask its questions that are left."""
    embedder = configured_embedder(settings)
    try:
        async with _memory(order, settings, embedder) as memory:
            run = _Run(order, dataset, folder, memory, embedder)
            for number, pool in enumerate(dataset.pools, start=1):
                await run.measure(pool, _named(progress, pool, number, len(dataset.pools)))
    finally:
        await embedder.close()


@dataclass(frozen=True)
class _Run:
    """A run whose memory is open."""

    order: Order
    dataset: Dataset
    folder: RunFolder
    memory: Memory | None
    """None where trace-graph is not among the systems."""
    embedder: Embedder

    async def measure(self, pool: Pool, progress: Progress) -> None:
        """Fill a pool's space and ask its questions, as far as that is not done."""
        space = "-".join((self.order.run, self.dataset.name, self.dataset.sha256[:8], pool.name))
        if pool.name not in self.folder.filled:
            self.folder.add(await self._fill(space, pool, progress))
        left = [question for question in pool.questions if question.id not in self.folder.asked]
        if not left:
            return
        baselines = await Baselines.of(pool, self.order.systems, self.embedder)
        if self.memory is not None:
            await warm_up(self.memory, space, pool)
        for done, question in enumerate(left, start=len(pool.questions) - len(left)):
            progress("asking", done, len(pool.questions))
            answers = await baselines.ask(question)
            if self.memory is not None:
                answers["trace-graph"] = await recalled(self.memory, space, question, pool.asked_at(question))
            self.folder.add(asked(self.dataset.name, pool, question, answers))

    async def _fill(self, space: str, pool: Pool, progress: Progress) -> Filled:
        if self.memory is None:
            return Filled(pool=describe(pool, None, 0), import_seconds=None, organize_seconds=None)
        return await fill(self.memory, space, pool, progress)


def _named(progress: Progress, pool: Pool, number: int, count: int) -> Progress:
    """Progress that says which of the pools it is about."""
    title = pool.name if count == 1 else f"{pool.name} ({number} of {count})"
    return lambda doing, done, total: progress(f"{title}: {doing}", done, total)


def needs_memory(systems: Sequence[System]) -> bool:
    """Whether a database is asked at all."""
    return "trace-graph" in systems


@asynccontextmanager
async def _settings(order: Order, folder: RunFolder) -> AsyncIterator[Settings]:
    if order.database is not None or not needs_memory(order.systems):
        yield order.database or load_settings(uri="local:")
        return
    async with engine_in(folder.memory) as settings:
        yield settings


@asynccontextmanager
async def _memory(order: Order, settings: Settings, embedder: Embedder) -> AsyncIterator[Memory | None]:
    if not needs_memory(order.systems):
        yield None
        return
    async with Memory(settings=settings, embedder=embedder, door="cli", actor="bench") as memory:
        yield memory


async def _circumstances(order: Order, settings: Settings) -> Circumstances:
    engine = await engine_title(settings) if needs_memory(order.systems) else None
    return await asyncio.to_thread(circumstances, engine, settings.embedder, command=order.command)


def _identity(order: Order, dataset: Dataset, settings: Settings) -> dict[str, Any]:
    """What a run must have in common with the one that it takes up."""
    selection = {name: value for name, value in asdict(order.selection).items() if name != "path"}
    return {
        **{name: list(value) if isinstance(value, tuple) else value for name, value in selection.items()},
        "data": dataset.sha256, "systems": list(order.systems),
        "database": order.database and order.database.target, "run": order.run,
        "embedder": settings.embedder, "recall settings": settings.recall.model_dump(mode="json"),
        "version": VERSION, "commit": commit()}
