"""What it costs that an acknowledged write survives a power cut: ArcadeDB with each way of flushing its log.

    python -m bench.durability [--messages 3000] [--adds 300] [--out FILE.json]

`txWalFlush` 0 leaves the log to the operating system, 1 flushes it without its metadata, 2 with it. Three engines run
side by side and take turns, write by write, so that whatever else the machine does burdens all of them alike: messages
are stored 500 at a time, then one by one. The project runs with 2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.kill_victim import corpus
from trace_graph import Memory
from trace_graph.bench.engine import engine_title
from trace_graph.bench.scoring import percentile
from trace_graph.models import MessageInput
from trace_graph.store import local_command

WAYS = (0, 1, 2)
TOGETHER = 500
"""Messages of one write: as many as an import stores at once."""
WARM_UP = 30
"""Adds that are not counted."""


@dataclass(frozen=True)
class Price:
    """One way of flushing."""

    flush: int
    rate: float
    """Messages a second, stored in transactions of 500."""
    p50_ms: float
    p95_ms: float
    """Of one add."""


@contextmanager
def flushing(way: int) -> Iterator[None]:
    """Engines that are started meanwhile flush their log so."""
    usual, local_command.WAL_FLUSH = local_command.WAL_FLUSH, way
    try:
        yield
    finally:
        local_command.WAL_FLUSH = usual


@asynccontextmanager
async def memories() -> AsyncIterator[dict[int, Memory]]:
    """A memory on a fresh engine for each way."""
    async with AsyncExitStack() as stack:
        opened = {}
        for way in WAYS:
            settings = await stack.enter_async_context(engine_of(None))
            opened[way] = await stack.enter_async_context(Memory(settings=settings))
            with flushing(way):
                await opened[way].add("The first message.", space="warm")
        yield opened


async def in_turn(opened: Mapping[int, Memory], parts: Sequence[Sequence[MessageInput]]) -> dict[int, list[float]]:
    """Store each part in every memory, one memory after the other; seconds of each write, by way."""
    taken: dict[int, list[float]] = {way: [] for way in opened}
    for place, part in enumerate(parts):
        for way in sorted(opened, key=lambda one: (one + place) % len(opened)):
            began = time.perf_counter()
            await opened[way].add_many(part, space="many")
            taken[way].append(time.perf_counter() - began)
    return taken


async def measure(messages: int, adds: int) -> dict[str, Any]:
    """All ways, side by side."""
    many = corpus(messages, seed=0)
    texts = [f"The reading number {number} of the tide at the pier." for number in range(WARM_UP + adds)]
    single = [[MessageInput(text=text)] for text in texts]
    async with memories() as opened:
        about = circumstances(await engine_title(opened[WAYS[0]].settings), opened[WAYS[0]].settings.embedder)
        large = await in_turn(opened, [many[start:start + TOGETHER] for start in range(0, messages, TOGETHER)])
        small = await in_turn(opened, single)
    prices = [
        Price(way, round(messages / sum(large[way]), 1), *(
            round(percentile(small[way][WARM_UP:], share) * 1000, 1) for share in (50, 95)))
        for way in WAYS]
    print(f"{about}\n\n{'flush':>5}{'stored/s':>10}{'add p50 ms':>12}{'add p95 ms':>12}")
    for one in prices:
        print(f"{one.flush:>5}{one.rate:>10}{one.p50_ms:>12}{one.p95_ms:>12}")
    return {"circumstances": about, "prices": [asdict(one) for one in prices]}


def main() -> int:
    """The exit code: 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.durability", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--adds", type=int, default=300)
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    chosen = parser.parse_args()
    measured = asyncio.run(measure(chosen.messages, chosen.adds))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
