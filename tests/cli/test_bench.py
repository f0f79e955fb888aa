"""`trace-graph bench` as its users run it, on an embedded engine of the run's own."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command

HAS_EXTRA = all(find_spec(name) is not None for name in ("bm25s", "matplotlib"))
needs_extra = pytest.mark.skipif(not HAS_EXTRA, reason="trace-graph[bench] is not installed here")

SAMPLE = {
    "messages": [
        {"session": "garden", "role": "user", "author": "Mira", "text": "I planted roses behind the shed.",
         "at": "2024-06-01T09:00:00Z", "external_id": "m1"},
        {"session": "garden", "role": "assistant", "author": None, "text": "Roses need sun and some water.",
         "at": "2024-06-01T09:01:00Z", "external_id": "m2"},
        {"session": "boat", "role": "user", "author": "Ola", "text": "The boat got a new coat of blue paint.",
         "at": "2024-06-02T09:00:00Z", "external_id": "m3"}],
    "questions": [
        {"id": "q1", "question": "What did Mira plant?", "category": "single", "evidence": ["m1"]},
        {"id": "q2", "question": "Which colour is the boat?", "category": "single", "evidence": ["m3"]},
        {"id": "q3", "question": "Who sails?", "category": "none", "evidence": []}]}


@pytest.fixture
def bench(nowhere: Command) -> Command:
    """The command in a folder with a sample; TRACE_GRAPH_URI names a memory that must not be touched."""
    (nowhere.folder / "talk.json").write_text(json.dumps(SAMPLE), encoding="utf-8")
    return Command(nowhere.folder, nowhere.uri, {"TRACE_GRAPH_HEAP_MB": "512"})


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith("."))


@needs_extra
def test_bench_prints_tables_and_writes_results_a_table_and_a_plot(bench: Command) -> None:
    done = bench("bench", "sample", "talk.json")
    out = bench.folder / "bench-results" / "sample"

    assert (done.code, done.err) == (0, (
        "using an embedded engine of its own in bench-results/sample\n"
        "written to bench-results/sample: results.json, table.md, plot.png\n"))
    lines = [line.split() for line in done.out.splitlines() if line]
    assert lines[0][:4] == ["Share", "of", "the", "evidence:"]
    assert lines[1] == ["system", "R@5", "R@10", "R@20", "R@50", "MRR", "T500", "T1000", "T2000", "T4000"]
    assert lines[3] == ["trace-graph", *["1.000"] * 9]
    assert "Full context: 28 tokens a question." in done.out
    assert "Answers judged by a model: not measured." in done.out
    assert files(out) == ["plot.png", "results.json", "table.md"]
    assert (out / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert not (bench.folder.parent / "data").exists()


@needs_extra
def test_bench_prints_its_results_as_json(bench: Command) -> None:
    done = bench("bench", "sample", "talk.json", "--systems", "bm25,last", "--systems", "full", "--out", "o", "--json")
    results: dict[str, Any] = json.loads((bench.folder / "o" / "results.json").read_text(encoding="utf-8"))

    assert (done.code, done.err) == (0, "")
    assert done.json == results
    assert (results["systems"], results["circumstances"]["engine"]) == (["bm25", "last", "full"], None)
    assert results["figures"]["all"]["all"]["last"]["MRR"] == 0.66667
    assert results["data"]["unscored"] == 1


@needs_extra
def test_bench_into_a_database_leaves_the_space_there(garden: Command) -> None:
    file = garden.folder / "talk.json"
    file.write_text(json.dumps(SAMPLE), encoding="utf-8")
    done = garden(
        "bench", "sample", "talk.json", "--uri", garden.uri, "--run", "mine", "--systems", "trace-graph", "--out", "o")
    listed = garden("spaces", "--json").json

    assert done.code == 0, done.err
    assert done.err.startswith(f"using {garden.uri}\n")
    assert [one["messages"] for one in listed if one["name"].startswith("mine-sample-")] == [3]


@needs_extra
@pytest.mark.parametrize(("arguments", "code", "error"), [
    (["locomo", "nowhere.json"], 3, "Error: There is no file nowhere.json."),
    (["locomo", "talk.json"], 2,
     "Error: talk.json is not LoCoMo: sample 1 has no sample_id of its own, or no conversation."),
    (["sample", "talk.json", "--systems", "bm25,best"], 2, "Error: There is no system 'best' to measure."),
    (["sample", "talk.json", "--samples", "x"], 2, "Error: The set sample is one pool without halves."),
])
def test_bench_refuses_what_it_cannot_measure(bench: Command, arguments: list[str], code: int, error: str) -> None:
    done = bench("bench", *arguments, "--quiet")

    assert (done.code, done.err.splitlines()[0]) == (code, error)


@pytest.mark.skipif(HAS_EXTRA, reason="trace-graph[bench] is installed here")
def test_bench_says_what_to_install(bench: Command) -> None:
    done = bench("bench", "sample", "talk.json")

    assert (done.code, done.err) == (2, (
        "Error: The benchmark needs bm25s and matplotlib, which are not installed.\n"
        "  Install it: pip install 'trace-graph[bench]'\n"))
