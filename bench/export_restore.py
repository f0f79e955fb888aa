"""A space goes from the embedded engine to another database and back: are the exports equal, how long, how much memory?

    python -m bench.export_restore [--uri URI] [--messages 5882] [--damaged 100] [--out FILE.json]

LoCoMo (or copies of it up to --messages) is imported and organised in an embedded engine, exported, restored at --uri
(by default in a second embedded engine), exported, restored in a third engine, exported. Each export and restore is
a process of its own, whose peak memory is reported. Then --damaged files, cut off or with one bit turned, are checked:
all must be refused. The exit code is 1 where exports differ or a damaged file passes.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.large_store import copied, write_lines
from bench.locomo import default_file, messages
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.engine import engine_title
from trace_graph.config import Settings
from trace_graph.maintain.reading_exports import verify
from trace_graph.models import uuid7

LAUNCHER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
"""A small process between this one and the command: Linux counts the memory of whoever forks as that of the forked."""


@dataclass(frozen=True)
class Step:
    """One export or restore."""

    verb: str
    engine: str
    seconds: float
    """Of the process, its start of about a second included."""
    peak_mb: float
    """Resident memory at most, the embedder included."""


async def measure(uri: str | None, data: Path, count: int, damaged: int) -> dict[str, Any]:
    """The journey of one space, and the check of damaged files."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engines = [await stack.enter_async_context(engine_of(one)) for one in (None, uri, None)]
        titles = [await engine_title(settings) for settings in engines]
        space = f"bench-export-{uuid7()[-6:]}"
        await _fill(engines[0], space, data, count, folder)
        steps: list[Step] = []
        files: list[Path] = []
        for place, (settings, title) in enumerate(zip(engines, titles, strict=True)):
            if files:
                steps.append(await asyncio.to_thread(run_step, settings, title, "import", str(files[-1])))
            files.append(folder / f"{place}.jsonl")
            steps.append(await asyncio.to_thread(
                run_step, settings, title, "export", "--space", space, "--out", str(files[-1])))
        exports = [file.read_bytes() for file in files]
        passed = [seed for seed in range(damaged) if passes(damage(exports[0], seed))]
        return {
            "circumstances": circumstances(" -> ".join(titles), engines[0].embedder), "messages": count,
            "megabytes": round(len(exports[0]) / 1e6, 1), "equal": exports[0] == exports[1] == exports[2],
            "damaged": damaged, "damaged that passed": passed, "steps": [asdict(step) for step in steps]}


async def _fill(settings: Settings, space: str, data: Path, count: int, folder: Path) -> None:
    file = folder / "messages.jsonl"
    write_lines(copied(messages(data), count), file)
    async with Memory(settings=settings) as memory:
        await memory.import_file(file, space=space, format="jsonl")
        await memory.organize(space=space)


def run_step(settings: Settings, title: str, *arguments: str) -> Step:
    """Run the command in a process of its own. Raises: RuntimeError where it fails."""
    command = [str(Path(sys.executable).with_name("trace-graph")), *arguments, "--quiet"]
    environment = {**os.environ, "TRACE_GRAPH_URI": settings.uri}
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", LAUNCHER, *command], env=environment, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]} failed: {done.stderr.decode()}")
    peak = int(done.stdout.splitlines()[-1])
    return Step(arguments[0], title, round(time.perf_counter() - began, 1), round(peak / 1024, 0))


def damage(export: bytes, seed: int) -> bytes:
    """Cut off somewhere, or with one bit turned."""
    chance = random.Random(seed)
    if chance.random() < 0.5:
        return export[:chance.randrange(1, len(export))]
    place = chance.randrange(len(export))
    return export[:place] + bytes([export[place] ^ 1 << chance.randrange(8)]) + export[place + 1:]


def passes(export: bytes) -> bool:
    """Whether a file would be restored."""
    try:
        verify(io.BytesIO(export))
    except TraceGraphError:
        return False
    return True


def table(measured: dict[str, Any]) -> str:
    """The figures for people."""
    head = (
        f"{measured['circumstances']}\n\n{measured['messages']:,} messages, {measured['megabytes']} MB, exports "
        f"{'equal' if measured['equal'] else 'DIFFER'}; of {measured['damaged']} damaged files "
        f"{len(measured['damaged that passed'])} passed\n\n{'verb':<8}{'engine':<24}{'s':>8}{'peak MB':>9}\n")
    return head + "\n".join(
        f"{step['verb']:<8}{step['engine']:<24}{step['seconds']:>8}{step['peak_mb']:>9.0f}"
        for step in measured["steps"])


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.export_restore", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="a Bolt URI, whose password is in NEO4J_PASSWORD (default: embedded)")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--messages", type=int, default=5_882, help="LoCoMo's, then copies of them")
    parser.add_argument("--damaged", type=int, default=100, help="files that are cut off or have one bit turned")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    chosen = parser.parse_args()
    try:
        measured = asyncio.run(measure(chosen.uri, chosen.data, chosen.messages, chosen.damaged))
    except (TraceGraphError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    print(table(measured))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0 if measured["equal"] and not measured["damaged that passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
