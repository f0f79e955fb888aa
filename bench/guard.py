"""The figures that no change may let fall: the sample of this repository and, where the data is present, conv-44.

    python -m bench.guard [--write]

Prints them beside those of tests/data/guarded_figures.json, which tests/store/test_guarded_figures.py holds the ranking
to; with --write they take their place. About a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.locomo import REPOSITORY, default_file
from trace_graph import TraceGraphError
from trace_graph.bench.datasets import Selection
from trace_graph.bench.running import Order, run_benchmark
from trace_graph.config import Settings

FIGURES = REPOSITORY / "tests" / "data" / "guarded_figures.json"
GUARDED = ("R@10", "T2000")
"""R@10 is held to; T2000 is shown beside it."""
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


def measure(selection: Selection, out: Path, database: Settings | None = None) -> dict[str, float]:
    """The guarded figures over all categories that count, and how many questions these are."""
    results = asyncio.run(run_benchmark(
        Order(selection, out, ("trace-graph",), database), lambda *_: None))
    part = next(iter(results.figures))
    category, by_system = next(iter(results.figures[part].items()))
    return {
        "questions": results.counts[part][category], **{name: by_system["trace-graph"][name] for name in GUARDED}}


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
        with tempfile.TemporaryDirectory() as folder:
            measured = {name: measure(one, Path(folder) / name) for name, one in selections().items()}
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
