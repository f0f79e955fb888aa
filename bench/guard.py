"""The figures that no change may let fall: the sample of this repository and, where the data is present, conv-44.

    python -m bench.guard [--write]

Prints them beside those of tests/data/guarded_figures.json, which tests/store/test_guarded_figures.py holds the ranking
to; with --write they take their place. Half a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping

from bench.engine import engine_of
from bench.locomo import REPOSITORY, default_file
from trace_graph import Memory, TraceGraphError
from trace_graph.bench.asking import shown
from trace_graph.bench.datasets import LOCOMO_ANSWERABLE, Selection, read_dataset
from trace_graph.bench.scoring import mean, ranks_of, recall_at
from trace_graph.config import Settings
from trace_graph.models import uuid7

FIGURES = REPOSITORY / "tests" / "data" / "guarded_figures.json"
MAY_FALL = 0.01
"""Source: issue 5."""

Guarded = dict[str, dict[str, float]]
"""Figures by what they were measured on."""


def selections() -> dict[str, Selection]:
    """What is guarded here, by name."""
    guarded = {"sample": Selection("sample", REPOSITORY / "bench" / "sample" / "sample.json")}
    if default_file().exists():
        guarded["conv-44"] = Selection("locomo", default_file(), ("conv-44",))
    return guarded


async def measure(selection: Selection, settings: Settings) -> dict[str, float]:
    """R@10 over all questions that count, and how many these are.

    Nothing is organised: that changes nothing in what is recalled, which other tests hold, and takes half of the time.
    """
    pool = read_dataset(selection).pools[0]
    questions = [one for one in pool.questions if selection.name != "locomo" or one.category in LOCOMO_ANSWERABLE]
    found = []
    async with Memory(settings=settings) as memory:
        space = f"guarded-{uuid7()[-12:]}"
        await memory.add_many(pool.messages, space=space)
        for question in questions:
            answer = await memory.recall(question.text, space=space, limit=10, asked_at=pool.asked_at(question))
            found.append(recall_at(ranks_of(question.evidence, shown(answer)), 10))
    return {"questions": len(questions), "R@10": round(mean(found), 5)}


async def measure_all() -> Guarded:
    """The figures of everything that is guarded here, on an embedded engine of our own."""
    async with engine_of(None) as settings:
        return {name: await measure(one, settings) for name, one in selections().items()}


def fallen(committed: Mapping[str, float], measured: Mapping[str, float]) -> str | None:
    """What is wrong with the figures, in a sentence; None where nothing is."""
    if measured["questions"] != committed["questions"]:
        return f"{measured['questions']:.0f} questions instead of {committed['questions']:.0f}"
    if measured["R@10"] < committed["R@10"] - MAY_FALL:
        return f"R@10 fell from {committed['R@10']} to {measured['R@10']}"
    return None


def committed_figures() -> Guarded:
    """What was written last."""
    read: Guarded = json.loads(FIGURES.read_text(encoding="utf-8"))
    return read


def main() -> int:
    """The exit code: 1 where one fell and is not written."""
    parser = argparse.ArgumentParser(prog="python -m bench.guard", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="commit to the new ones")
    write = parser.parse_args().write
    committed = committed_figures() if FIGURES.exists() else {}
    try:
        measured = asyncio.run(measure_all())
    except TraceGraphError as error:
        print(f"{error} {error.fix}", file=sys.stderr)
        return 1
    for name, figures in measured.items():
        print(f"{name}: {figures} (committed: {committed.get(name)})")
    if write:
        FIGURES.write_text(json.dumps({**committed, **measured}, indent=1) + "\n", encoding="utf-8")
        return 0
    return 1 if any(name not in committed or fallen(committed[name], one) for name, one in measured.items()) else 0


if __name__ == "__main__":
    sys.exit(main())
