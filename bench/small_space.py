"""Does a small space suffer from large ones in the same database?

    python -m bench.small_space [--uri URI] [--beside 100000] [--out FILE.json]

The first 100 messages of each conversation of the report half get a space of their own, and the questions whose whole
evidence lies in them are asked: first alone, then beside spaces of 10,000 messages that are copies of all of LoCoMo.
Without --uri an embedded engine is started in a temporary folder, and removed at the end; a database that is named
should be empty. The exit code is 1 where R@10 changed by more than .02.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.large_store import copied, write_lines
from bench.locomo import default_file, messages
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.datasets import LOCOMO_ANSWERABLE, LOCOMO_REPORT
from trace_graph.bench.engine import engine_title
from trace_graph.bench.questions import Question, locomo_questions
from trace_graph.bench.scoring import Shown, mean, percentile, ranks_of, recall_at
from trace_graph.config import Settings
from trace_graph.models import uuid7

SMALL = 100
"""Messages of a small space."""
LARGE = 10_000
"""Messages of a large one."""
ALLOWED = 0.02
"""By which R@10 may change."""
WARM_UP = 5
"""Questions asked of a space before its first one is timed."""


@dataclass(frozen=True)
class Answers:
    """What was found in all small spaces together."""

    questions: int
    r10: float
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True)
class Compared:
    """The same questions, alone and beside."""

    beside: int
    """Messages of the large spaces."""
    alone: Answers
    crowded: Answers

    @property
    def change(self) -> float:
        """By which R@10 fell."""
        return self.alone.r10 - self.crowded.r10


def small_questions(data: Path, sample: str) -> list[Question]:
    """The questions of a conversation that its first messages answer alone."""
    known = {message.external_id for message in messages(data, [sample])[:SMALL]}
    return [
        one for one in locomo_questions(data, [sample])
        if one.scored and one.category in LOCOMO_ANSWERABLE and set(one.evidence) <= known]


async def compare(settings: Settings, data: Path, beside: int, samples: Sequence[str] = LOCOMO_REPORT) -> Compared:
    """Ask alone, fill the database, ask again."""
    run = uuid7()[-6:]
    spaces = {sample: f"bench-small-{run}-{sample}" for sample in samples}
    async with Memory(settings=settings) as memory:
        for sample, space in spaces.items():
            await memory.add_many(messages(data, [sample])[:SMALL], space=space)
            await memory.organize(space=space)
        alone = await _ask(memory, data, spaces)
        await _fill(memory, data, beside, f"bench-large-{run}")
        return Compared(beside, alone, await _ask(memory, data, spaces))


async def _ask(memory: Memory, data: Path, spaces: Mapping[str, str]) -> Answers:
    recalls, taken = [], []
    for sample, space in spaces.items():
        questions = small_questions(data, sample)
        for question in questions[:WARM_UP]:
            await memory.recall(question.text, space=space, limit=10)
        for question in questions:
            began = time.perf_counter()
            result = await memory.recall(question.text, space=space, limit=10)
            taken.append((time.perf_counter() - began) * 1000)
            shown = [Shown(str(item.external_id), 0.0) for item in result.items]
            recalls.append(recall_at(ranks_of(question.evidence, shown), 10))
    return Answers(
        len(recalls), round(mean(recalls), 5), round(percentile(taken, 50), 1), round(percentile(taken, 95), 1))


async def _fill(memory: Memory, data: Path, beside: int, name: str) -> None:
    material = messages(data)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.jsonl"
        for number, first in enumerate(range(0, beside, LARGE)):
            write_lines(copied(material, min(LARGE, beside - first)), file)
            report = await memory.import_file(file, space=f"{name}-{number}", format="jsonl")
            print(f"{report.space}: {report.messages} messages in {report.seconds:.1f} s", file=sys.stderr, flush=True)


async def measure(uri: str | None, data: Path, beside: int) -> dict[str, Any]:
    """The comparison, on the engine of the URI, or on one of our own that is gone afterwards."""
    async with engine_of(uri) as settings:
        about = circumstances(await engine_title(settings), settings.embedder)
        compared = await compare(settings, data, beside)
    print(f"{about}\n\n{'':<24}{'questions':>10}{'R@10':>8}{'p50 ms':>9}{'p95 ms':>9}")
    for name, one in (("alone", compared.alone), (f"beside {beside:,} messages", compared.crowded)):
        print(f"{name:<24}{one.questions:>10}{one.r10:>8.3f}{one.p50_ms:>9}{one.p95_ms:>9}")
    return {"circumstances": about, **asdict(compared), "change": compared.change}


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.small_space", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in TRACE_GRAPH_PASSWORD")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--beside", type=int, default=100_000, help="messages of the large spaces together")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    chosen = parser.parse_args()
    try:
        measured = asyncio.run(measure(chosen.uri, chosen.data, chosen.beside))
    except TraceGraphError as error:
        print(f"{error} {error.fix}", file=sys.stderr)
        return 1
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0 if abs(measured["change"]) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
