"""What it costs that an acknowledged write survives a power cut: ArcadeDB with each way of flushing its log.

    python -m bench.durability [--messages 3000] [--adds 300] [--rounds 3] [--out FILE.json]

`txWalFlush` 0 leaves the log to the operating system, 1 flushes it without its metadata, 2 with it. Each way gets a
fresh engine: messages are imported, then added one by one. The ways take turns, and the medians of the rounds are
shown, since the machine may be busy with other things. The project runs with 2.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of, engine_title
from bench.kill_victim import corpus, write_corpus
from bench.scoring import percentile
from trace_graph import Memory
from trace_graph.store import local_command

WAYS = (0, 1, 2)
WARM_UP = 30
"""Adds that are not counted."""


@dataclass(frozen=True)
class Price:
    """One way of flushing."""

    flush: int
    import_rate: float
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


async def price(way: int, messages: int, adds: int) -> Price:
    """One way, on a fresh engine."""
    with flushing(way), tempfile.TemporaryDirectory(prefix="trace-graph-bench-") as folder:
        file = Path(folder) / "messages.jsonl"
        write_corpus(file, corpus(messages, seed=0))
        async with engine_of(None) as settings, Memory(settings=settings) as memory:
            await memory.add("The first message.", space="warm")
            began = time.perf_counter()
            await memory.import_file(file, space="many")
            rate = messages / (time.perf_counter() - began)
            taken = [await _add(memory, number) for number in range(WARM_UP + adds)][WARM_UP:]
    return Price(way, round(rate, 1), round(percentile(taken, 50), 1), round(percentile(taken, 95), 1))


async def _add(memory: Memory, number: int) -> float:
    began = time.perf_counter()
    await memory.add(f"The reading number {number} of the tide at the pier.", space="many")
    return (time.perf_counter() - began) * 1000


async def measure(messages: int, adds: int, rounds: int) -> dict[str, Any]:
    """All ways in turn, `rounds` times."""
    async with engine_of(None) as settings:
        about = circumstances(await engine_title(settings), settings.embedder)
    prices = [await price(way, messages, adds) for _ in range(rounds) for way in WAYS]
    print(f"{about}\n\n{'flush':>5}{'import/s':>10}{'add p50 ms':>12}{'add p95 ms':>12}")
    for way in WAYS:
        own = [one for one in prices if one.flush == way]
        rate, p50, p95 = (median(getattr(one, name) for one in own) for name in ("import_rate", "p50_ms", "p95_ms"))
        print(f"{way:>5}{rate:>10}{p50:>12}{p95:>12}")
    return {"circumstances": about, "prices": [asdict(one) for one in prices]}


def main() -> int:
    """The exit code: 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.durability", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=3000)
    parser.add_argument("--adds", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="a file for what was measured, as JSON")
    chosen = parser.parse_args()
    measured = asyncio.run(measure(chosen.messages, chosen.adds, chosen.rounds))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
