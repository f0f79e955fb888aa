"""How many can write into one session at once, how long each waits, and whether every message gets its own place.

    python -m bench.writers [--uri URI] [--writers 1 2 8 32] [--messages 200] [--ways tasks processes] [--out FILE.json]

Each writer adds its messages one after the other, as tasks of one process, and as processes of their own. Without --uri
an embedded engine is started in a temporary folder, and removed at the end. The exit code is 1 where a place is missing
or taken twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.engine import engine_title
from trace_graph.bench.scoring import mean, percentile
from trace_graph.config import Settings
from trace_graph.models import uuid7

SESSION = "shared"
PLACES = """
MATCH (s:Space {name: $name})
MATCH (m:Message {space: s.id})
RETURN count(*) AS messages, count(DISTINCT m.seq) AS places, min(m.seq) AS first, max(m.seq) AS last,
       count(DISTINCT m.text) AS texts
"""


@dataclass(frozen=True)
class Trial:
    """One number of writers, in one way."""

    way: str
    writers: int
    messages: int
    """Of all writers together."""
    seconds: float
    p50_ms: float
    p95_ms: float
    largest_ms: float
    last_to_first: float
    """How long an add of each writer's last tenth took, in the mean, for one of its first tenth: 1 is level."""
    whole: bool
    """Sequence numbers 1 to the number of messages, each once, and each text once."""

    @property
    def rate(self) -> float:
        """Messages a second."""
        return self.messages / self.seconds


async def write(memory: Memory, space: str, writer: int, count: int) -> list[float]:
    """Add `count` messages, one after the other; milliseconds of each."""
    taken = []
    for number in range(count):
        began = time.perf_counter()
        await memory.add(
            f"Writer {writer} noted the reading number {number} of the station.", space=space, session=SESSION,
            external_id=f"{writer}-{number}")
        taken.append((time.perf_counter() - began) * 1000)
    return taken


async def as_tasks(settings: Settings, space: str, writers: int, count: int) -> tuple[float, list[list[float]]]:
    """All writers in this process, through one memory: seconds, and by writer the milliseconds of each add."""
    async with Memory(settings=settings) as memory:
        await memory.add("The first message.", space=f"{space}-warm")
        began = time.perf_counter()
        taken = await asyncio.gather(*(write(memory, space, writer, count) for writer in range(writers)))
        return time.perf_counter() - began, taken


async def as_processes(settings: Settings, space: str, writers: int, count: int) -> tuple[float, list[list[float]]]:
    """Each writer in a process of its own; all begin once every one is connected."""
    environment = os.environ | {"TRACE_GRAPH_URI": settings.uri}
    async with AsyncExitStack() as stack:
        started = []
        for writer in range(writers):
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bench.writers", "--as-writer", space, str(writer), str(count),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=environment, limit=2**24)
            stack.push_async_callback(_ended, process)
            started.append(process)
        lines = [await _line(process) for process in started]
        if any(line != b"ready\n" for line in lines):
            raise ChildProcessError("A writer did not come up; what it said stands above.")
        began = time.perf_counter()
        for process in started:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
        taken = [json.loads(await _line(process) or b"null") for process in started]
        seconds = time.perf_counter() - began
    if None in taken:
        raise ChildProcessError("A writer broke off; what it said stands above.")
    return seconds, taken


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    return await process.stdout.readline()


async def _ended(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None and process.stdin is not None:
        process.stdin.close()
    await process.wait()


async def be_writer(space: str, writer: int, count: int) -> None:
    """What a writer's process does: connect, say so, wait for the word, write, tell the milliseconds."""
    async with Memory() as memory:
        await memory.add("The first message.", space=f"{space}-warm", session=str(writer))
        print("ready", flush=True)
        if await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await write(memory, space, writer, count)), flush=True)


WAYS = {"tasks": as_tasks, "processes": as_processes}


async def trial(settings: Settings, way: str, writers: int, count: int) -> Trial:
    """One measurement, in a space of its own."""
    space = f"bench-writers-{way}-{writers}-{uuid7()[-6:]}"
    async with Memory(settings=settings) as memory:
        await memory.create_space(space)
        seconds, by_writer = await WAYS[way](settings, space, writers, count)
        found = (await memory.cypher(PLACES, {"name": space}))[0]
    taken = [one for part in by_writer for one in part]
    total, tenth = writers * count, max(1, count // 10)
    first, last = (mean([one for part in by_writer for one in part[place]]) for place in (
        slice(tenth), slice(-tenth, None)))
    counts = [found[name] for name in ("messages", "places", "first", "last", "texts")]
    whole = counts == [total, total, 1, total, total]
    return Trial(
        way, writers, total, round(seconds, 3), round(percentile(taken, 50), 1), round(percentile(taken, 95), 1),
        round(max(taken), 1), round(last / first, 2), whole)


async def measure(uri: str | None, ways: Sequence[str], writers: Sequence[int], count: int) -> dict[str, Any]:
    """All trials, on the engine of the URI, or on one of our own that is gone afterwards."""
    async with engine_of(uri) as settings:
        about = circumstances(await engine_title(settings), settings.embedder)
        print(f"{about}\n\n{'way':<10}{'writers':>8}{'messages/s':>12}{'p50 ms':>9}{'p95 ms':>9}{'max ms':>9}"
              f"{'last/first':>12}  whole")
        trials = []
        for way in ways:
            for number in writers:
                one = await trial(settings, way, number, count)
                trials.append(one)
                print(f"{way:<10}{number:>8}{one.rate:>12.1f}{one.p50_ms:>9}{one.p95_ms:>9}{one.largest_ms:>9}"
                      f"{one.last_to_first:>12}  {'yes' if one.whole else 'NO'}", flush=True)
    return {"circumstances": about, "trials": [asdict(one) for one in trials]}


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.writers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in TRACE_GRAPH_PASSWORD")
    parser.add_argument("--writers", type=int, nargs="+", default=[1, 2, 8, 32])
    parser.add_argument("--messages", type=int, default=200, help="of each writer")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    parser.add_argument("--as-writer", nargs=3, metavar=("SPACE", "WRITER", "COUNT"), help=argparse.SUPPRESS)
    return parser.parse_args(given)


def main() -> int:
    """The exit code: 1 where a place is missing or taken twice, or nothing could be measured."""
    chosen = arguments()
    try:
        if chosen.as_writer:
            space, writer, count = chosen.as_writer
            asyncio.run(be_writer(space, int(writer), int(count)))
            return 0
        measured = asyncio.run(measure(chosen.uri, chosen.ways, chosen.writers, chosen.messages))
    except (TraceGraphError, ChildProcessError) as error:
        print(f"{error} {getattr(error, 'fix', '')}", file=sys.stderr)
        return 1
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0 if all(one["whole"] for one in measured["trials"]) else 1


if __name__ == "__main__":
    sys.exit(main())
