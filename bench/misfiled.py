"""What it costs recall that segments are filed wrongly: LoCoMo as filed, and with a share of its segments moved.

    python -m bench.misfiled [--uri URI] [--samples conv-44 ...] [--share 0.5] [--out FILE.json]

Each conversation is imported into two spaces and organised; in the second that share of the segments is moved under
random topics, through the organiser's own write path. Both are asked the same questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.locomo import default_file
from bench.misfile import misfile
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.asking import asked, fill, recalled
from trace_graph.bench.datasets import LOCOMO_REPORT, Pool, Selection, read_dataset
from trace_graph.bench.engine import engine_title
from trace_graph.bench.figures import by_group, figures
from trace_graph.bench.results import QuestionResult
from trace_graph.bench.scoring import paired_interval, recall_at
from trace_graph.config import Settings
from trace_graph.models import uuid7

AS_FILED, MISFILED = "as filed", "misfiled"


@dataclass(frozen=True)
class Options:
    """What is measured."""

    selection: Selection
    share: float
    seed: int


async def measure(settings: Settings, options: Options) -> dict[str, list[QuestionResult]]:
    """Where the evidence of each question is found, as filed and misfiled."""
    found: dict[str, list[QuestionResult]] = {AS_FILED: [], MISFILED: []}
    run = uuid7()[-6:]
    async with Memory(settings=settings) as memory:
        for pool in read_dataset(options.selection).pools:
            for state in found:
                space = f"bench-{run}-{pool.name}-{state}"
                await fill(memory, space, pool, lambda *_: None)
                if state == MISFILED:
                    moved = await misfile(settings, space, share=options.share, seed=options.seed)
                    done = await memory.organize(space=space)
                    _tell(f"{space}: {moved} messages lie elsewhere, {done.summaries_revised} summaries revised")
                found[state] += await ask_all(memory, space, pool)
                _tell(f"{space}: {len(pool.questions)} questions")
    return found


async def ask_all(memory: Memory, space: str, pool: Pool) -> list[QuestionResult]:
    """Every question of a pool, put to its space."""
    return [
        asked("locomo", pool, question, {
            "trace-graph": await recalled(memory, space, question, pool.asked_at(question))}).result
        for question in pool.questions]


def document(found: dict[str, list[QuestionResult]]) -> dict[str, Any]:
    """The figures of both by category, and the difference at R@10 with its 95 % interval."""
    by_state = {
        state: {category: {"questions": len(part), **figures(part, "trace-graph")}
                for category, part in by_group("locomo", rows).items()}
        for state, rows in found.items()}
    recalls = {
        state: [recall_at(row.found["trace-graph"].ranks, 10) for row in next(iter(by_group("locomo", rows).values()))]
        for state, rows in found.items()}
    return {"figures": by_state, "misfiled - as filed, R@10": asdict(paired_interval(*reversed(recalls.values())))}


def table(measured: dict[str, Any]) -> str:
    """The figures by state and category, for people."""
    columns = list(next(iter(measured["figures"][AS_FILED].values())))
    lines = [f"{'state':<10}{'cat':>4}" + "".join(f"{column:>10}" for column in columns)]
    for state, by_category in measured["figures"].items():
        lines += [
            f"{state:<10}{category:>4}" + "".join(f"{values[column]:>10.4g}" for column in columns)
            for category, values in by_category.items()]
    return "\n".join([*lines, f"misfiled - as filed, R@10: {measured['misfiled - as filed, R@10']}"])


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.misfiled", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in NEO4J_PASSWORD")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--samples", nargs="+", default=list(LOCOMO_REPORT), help="conversations of it")
    parser.add_argument("--questions", type=int, help="only the first so many of each conversation")
    parser.add_argument("--share", type=float, default=0.5, help="of the segments, 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="of the misfiling")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    return parser.parse_args(given)


async def run(chosen: argparse.Namespace) -> None:
    """Measure, print the table, and write the document where that was asked for."""
    selection = Selection("locomo", chosen.data, tuple(chosen.samples), questions=chosen.questions)
    async with engine_of(chosen.uri) as settings:
        found = await measure(settings, Options(selection, chosen.share, chosen.seed))
        about = circumstances(await engine_title(settings), settings.embedder)
    measured = {"circumstances": about, **document(found)}
    print(f"{about}\n\n{table(measured)}")
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """The exit code."""
    try:
        asyncio.run(run(arguments()))
    except TraceGraphError as error:
        print(f"{error} {error.fix}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
