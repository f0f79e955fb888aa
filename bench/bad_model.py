"""What a bad model costs recall: LoCoMo organised without one, with one that is always wrong, and with one that fails.

    python -m bench.bad_model [--uri URI] [--samples conv-44 ...] [--out FILE.json]

The wrong one files each segment under any label that it is offered and words every topic as something else; the failing
one gives no reply. Each way has a space of its own; all are asked the same questions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bench.circumstances import circumstances
from bench.engine import engine_of
from bench.locomo import default_file
from bench.misfiled import ask_all
from tests.scripted_model import ScriptedModel
from trace_graph import Memory
from trace_graph.bench.asking import fill
from trace_graph.bench.datasets import LOCOMO_REPORT, Selection, read_dataset
from trace_graph.bench.engine import engine_title
from trace_graph.bench.figures import by_group, figures
from trace_graph.bench.results import QuestionResult
from trace_graph.bench.scoring import paired_interval, recall_at
from trace_graph.config import Settings
from trace_graph.llm.purposes.route import Pick, RouteInputs, RouteReply
from trace_graph.llm.purposes.summarise import SummariseReply, TopicSummary
from trace_graph.llm.values import Request
from trace_graph.models import uuid7

NONE, WRONG, FAILING = "no model", "wrong", "failing"


def wrong(request: Request[Any]) -> BaseModel:
    """Any label that is offered, and summaries of something else."""
    if request.purpose == "summarise":
        return SummariseReply(topics=[
            TopicSummary(label=topic["label"], title="Penguins of Patagonia", summary="Xavier counted 4711 penguins.")
            for topic in request.inputs["topics"]])
    chance = random.Random(str(request.inputs))
    return RouteReply(picks=[
        Pick(segment=one.label, choice=(choice := chance.choice(one.offered)),
             title="Penguins" if choice.startswith("NEW") else None)
        for one in RouteInputs.model_validate(request.inputs).segments])


async def measure(settings: Settings, selection: Selection) -> tuple[dict[str, list[QuestionResult]], dict[str, int]]:
    """Where the evidence of each question is found, by way; and the calls that were made."""
    models = {NONE: None, WRONG: ScriptedModel(wrong), FAILING: ScriptedModel(lambda request: None)}
    found: dict[str, list[QuestionResult]] = {way: [] for way in models}
    calls = dict.fromkeys(models, 0)
    run = uuid7()[-6:]
    for way, model in models.items():
        async with Memory(settings=settings, model=model) as memory:
            for pool in read_dataset(selection).pools:
                space = f"bench-{run}-{pool.name}-{way}"
                await fill(memory, space, pool, lambda *_: None)
                calls[way] += (await memory.call_stats(space)).calls if model else 0
                found[way] += await ask_all(memory, space, pool)
                print(f"{space}: {len(pool.questions)} questions", file=sys.stderr, flush=True)
    return found, calls


def document(found: dict[str, list[QuestionResult]]) -> dict[str, Any]:
    """The figures of each way, and its difference to no model at R@10 with the 95 % interval."""
    first = {way: next(iter(by_group("locomo", rows).values())) for way, rows in found.items()}
    recalls = {way: [recall_at(row.found["trace-graph"].ranks, 10) for row in rows] for way, rows in first.items()}
    return {
        "figures": {way: {"questions": len(rows), **figures(rows, "trace-graph")} for way, rows in first.items()},
        "difference to no model, R@10": {
            way: asdict(paired_interval(recalls[way], recalls[NONE])) for way in (WRONG, FAILING)}}


async def run(chosen: argparse.Namespace) -> None:
    """Measure and print."""
    async with engine_of(chosen.uri) as settings:
        found, calls = await measure(settings, Selection("locomo", chosen.data, tuple(chosen.samples)))
        about = circumstances(await engine_title(settings), settings.embedder)
    measured = {"circumstances": about, "calls": calls, **document(found)}
    print(json.dumps(measured, indent=1))
    if chosen.out:
        chosen.out.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.bad_model", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI, whose password is in NEO4J_PASSWORD")
    parser.add_argument("--data", type=Path, default=default_file(), help="locomo10.json")
    parser.add_argument("--samples", nargs="+", default=list(LOCOMO_REPORT), help="conversations of it")
    parser.add_argument("--out", type=Path, help="a file for everything that was measured, as JSON")
    asyncio.run(run(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
