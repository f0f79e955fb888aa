"""How much of LoCoMo's evidence is recalled, through the database, with BM25 beside it.

    python -m bench.recall_locomo [--uri URI] [--samples conv-44 ...] [--misfiled 0.5] [--out FILE.json]

Each conversation is imported into a space of its own and organised. With --uri a space of an earlier run of the same
--run is used again; without one a fresh embedded engine is started in a temporary folder, and removed at the end.
With --misfiled a second space of each conversation has that share of its segments under random topics.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.bm25 import Bm25
from bench.circumstances import circumstances
from bench.engine import engine_of, engine_title
from bench.locomo import REPORT, default_file, messages
from bench.misfile import misfile
from bench.questions import Question, locomo_questions
from bench.recall_report import BASELINE, PRODUCT, Answered, document, table
from bench.scoring import BUDGETS, CUTS, Shown, tokens_of
from trace_graph import Memory, TraceGraphError
from trace_graph.config import Settings
from trace_graph.models import RecallResult

WARM_UP = 10
"""Questions asked of a space before its first one is timed."""


@dataclass(frozen=True)
class Options:
    """What is measured."""

    data: Path
    samples: tuple[str, ...]
    limit: int
    questions: int | None
    run: str
    misfiled: float
    seed: int


async def measure(settings: Settings, options: Options) -> dict[str, list[Answered]]:
    """The answers of the product, as filed and misfiled, and of the baseline, for every scored question."""
    answers: dict[str, list[Answered]] = {}
    async with Memory(settings=settings) as memory:
        for sample in options.samples:
            asked = [one for one in locomo_questions(options.data, [sample]) if one.scored][: options.questions]
            _tell(f"{sample}: {len(asked)} questions")
            space = f"bench-{options.run}-{sample}"
            await _fill(memory, space, sample, options)
            answers.setdefault(PRODUCT, []).extend(await ask(memory, space, asked, options.limit))
            if options.misfiled:
                space = f"{space}-misfiled-{options.misfiled:g}-{options.seed}"
                await _fill(memory, space, sample, options)
                moved = await misfile(settings, space, share=options.misfiled, seed=options.seed)
                _tell(f"{space}: {moved} messages lie elsewhere; {await memory.organize(space=space)}")
                answers.setdefault(f"misfiled {options.misfiled:g}", []).extend(
                    await ask(memory, space, asked, options.limit))
            answers.setdefault(BASELINE, []).extend(baseline(options.data, sample, asked))
    return answers


async def ask(memory: Memory, space: str, questions: Sequence[Question], limit: int) -> list[Answered]:
    """Two answers to each question: one of `limit` items, which is timed, and one that fills the largest budget."""
    for question in questions[:WARM_UP]:
        await memory.recall(question.text, space=space, limit=limit)
    answers = []
    for question in questions:
        started = time.perf_counter()
        timed = await memory.recall(question.text, space=space, limit=limit)
        seconds = time.perf_counter() - started
        packed = await memory.recall(question.text, space=space, budget=max(BUDGETS))
        answers.append(Answered(question, _shown(timed), _shown(packed), seconds))
    return answers


def baseline(file: Path, sample: str, questions: Sequence[Question]) -> list[Answered]:
    """The same questions, ranked by BM25 over the conversation's messages."""
    index = Bm25(messages(file, [sample]))
    answers = []
    for question in questions:
        started = time.perf_counter()
        ranking = index.ranking(question.text)
        answers.append(Answered(question, ranking, ranking, time.perf_counter() - started))
    return answers


async def _fill(memory: Memory, space: str, sample: str, options: Options) -> None:
    imported = await memory.import_file(options.data, space=space, format="locomo", samples=[sample], strict=True)
    organized = await memory.organize(space=space)
    _tell(f"{space}: {imported.messages} imported in {imported.seconds:.2f} s, {imported.duplicates} were there; "
          f"{organized.filed} filed under {organized.topics_created} new topics in {organized.seconds:.2f} s")


def _shown(result: RecallResult) -> tuple[Shown, ...]:
    return tuple(Shown(str(item.external_id), tokens_of(item.text)) for item in result.items)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.recall_locomo", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in NEO4J_PASSWORD")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--samples", nargs="+", default=list(REPORT), help="conversations (default: the report half)")
    parser.add_argument("--limit", type=int, default=max(CUTS), help="items of an answer that is timed")
    parser.add_argument("--questions", type=int, help="only the first so many of each conversation")
    parser.add_argument("--run", default="locomo", help="goes into the names of the spaces")
    parser.add_argument("--misfiled", type=float, default=0.0, metavar="SHARE", help="of the segments, 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="of the misfiling")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    return parser.parse_args(given)


async def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Measure, print the table, and write the document where that was asked for."""
    async with engine_of(chosen.uri) as settings:
        answers = await measure(settings, Options(
            chosen.data, tuple(chosen.samples), chosen.limit, chosen.questions, chosen.run, chosen.misfiled,
            chosen.seed))
        about = circumstances(await engine_title(settings), settings.embedder)
    measured = {"circumstances": about, **document(answers)}
    print(f"{about}\n\n{table(answers)}")
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return measured


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
