"""What people and files are told of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.bench_rows import row
from trace_graph.bench import circumstances as told
from trace_graph.bench.circumstances import Circumstances
from trace_graph.bench.datasets import Dataset, Pool, Selection
from trace_graph.bench.plot import draw
from trace_graph.bench.questions import Question
from trace_graph.bench.results import PoolResult, QuestionResult, Results, StoredTokens
from trace_graph.bench.run_folder import PROGRESS, RESULTS, RUN, Asked, Filled, RunFolder, run_folder
from trace_graph.bench.summing_up import sum_up
from trace_graph.bench.tables import as_markdown, below_bm25, sentences, tables
from trace_graph.cli import bench
from trace_graph.cli.global_options import GlobalOptions
from trace_graph.cli.progress import followed_stages
from trace_graph.config import Settings
from trace_graph.errors import ConfigError, InvalidInput, Refused

ABOUT = Circumstances(
    date=datetime(2026, 1, 1, tzinfo=UTC), command="trace-graph bench locomo x.json", version="1", commit="abc",
    engine="ArcadeDB", embedder="static", packages={}, python="3", machine="Linux x86_64", cores=2, load=0.5)
STORED = StoredTokens(messages=1000, summaries=90, current_summaries=60, facts=0, calls="not measured")
ROWS = [row("q1", "1", "tune", product=1, bm25=2), row("q2", "4", "report", product=11, bm25=1)]


def results(folder: Path, rows: list[QuestionResult] = ROWS) -> Results:
    """Of a run whose lines are these."""
    folder.mkdir(exist_ok=True)
    run = RunFolder(folder)
    run.begin({}, restart=False)
    questions = tuple(Question(one.id, "?", one.category, ("e",), "p") for one in rows)
    run.add(Filled(
        pool=PoolResult(
            name="p", messages=9, questions=len(rows), context_tokens=900.0, stored=STORED, model_calls=0),
        import_seconds=1.5, organize_seconds=2.0))
    for number, one in enumerate(rows, start=1):
        run.add(Asked(result=one, seconds={"trace-graph": number / 100, "bm25": number / 1000}))
    return sum_up(
        Selection("locomo", Path("x.json")), ("trace-graph", "bm25", "full"),
        Dataset("locomo", (Pool("p", (), questions),), "5ha", 0, 3), run, settings=Settings(), about=ABOUT)


def test_a_run_is_summed_up_by_half_category_and_system(tmp_path: Path) -> None:
    summed = results(tmp_path)

    assert {part: {name: sorted(by) for name, by in there.items()} for part, there in summed.figures.items()} == {
        "report": {"1-4": ["bm25", "trace-graph"], "4": ["bm25", "trace-graph"]},
        "all": {name: ["bm25", "trace-graph"] for name in ("1-4", "1", "4")}}
    assert summed.counts == {"report": {"1-4": 1, "4": 1}, "all": {"1-4": 2, "1": 1, "4": 1}}
    assert summed.figures["all"]["1-4"]["trace-graph"]["R@10"] == 0.5
    assert summed.timings.model_dump() == {
        "latency_ms": {"trace-graph": {"p50": 10.0, "p95": 20.0}, "bm25": {"p50": 1.0, "p95": 2.0}},
        "import_seconds": 1.5, "organize_seconds": 2.0}
    assert (summed.full_context_tokens, summed.stored_tokens, summed.against_bm25) == (900.0, STORED, [])
    assert (summed.answers, summed.data.unscored) == ("not measured", 3)


def test_the_tables_show_the_halves_and_every_category(tmp_path: Path) -> None:
    shown = tables(results(tmp_path))

    assert [table.title for table in shown] == [
        "Share of the evidence: the report half (nothing was tuned on it), 1 of category 1-4",
        "Questions whose evidence is in the context whole: the report half (nothing was tuned on it), 1 of category "
        "1-4",
        "R@10 by category: the report half (nothing was tuned on it)",
        "T2000 by category: the report half (nothing was tuned on it)",
        "Share of the evidence: all questions, 2 of category 1-4",
        "Questions whose evidence is in the context whole: all questions, 2 of category 1-4",
        "R@10 by category: all questions", "T2000 by category: all questions",
        "Milliseconds a question (trace-graph: through the database; the others: in memory)"]
    assert shown[6].header == ["category", "questions", "trace-graph", "bm25"]
    assert shown[6].rows == [["1-4", "2", ".500", "1.000"], ["1", "1", "1.000", "1.000"], ["4", "1", ".000", "1.000"]]


def test_the_sentences_say_what_the_tables_do_not(tmp_path: Path) -> None:
    assert sentences(results(tmp_path)) == [
        "Full context: 900 tokens a question.",
        "Stored tokens a conversation: messages 1,000, summaries 90 (current 60), facts 0, calls not measured.",
        "Model calls: 0. Answers judged by a model: not measured."]


def test_a_category_below_bm25_is_named(tmp_path: Path) -> None:
    worse = results(tmp_path / "1", [row(f"q{n}", "1", product=None, bm25=1) for n in range(30)])
    better = results(tmp_path / "2", [row(f"q{n}", "1", product=1, bm25=None) for n in range(30)])

    assert below_bm25(worse) == [
        f"Against BM25 (R@10): BELOW it in category {name} of the report half (nothing was tuned on it): -1.000 "
        "[-1.000, -1.000] over 30 questions (95 %, paired bootstrap)." for name in ("1-4", "1")]
    assert below_bm25(better) == [
        "Against BM25 (R@10, groups of at least 30 questions: 2): trace-graph lies below it in none by more than the "
        "95 % interval of a paired bootstrap."]


def test_the_page_says_how_it_was_measured(tmp_path: Path) -> None:
    page = as_markdown(results(tmp_path)).splitlines()

    assert page[:4] == [
        "# locomo", "",
        "`trace-graph bench locomo x.json`, 2026-01-01 00:00 UTC, trace-graph 1 at abc, ArcadeDB, embedder static, "
        "Linux x86_64, 2 cores, load 0.5.",
        "`x.json`, SHA-256 5ha: 0 messages in 1 spaces, 2 questions with evidence."]
    assert "| category | questions | trace-graph | bm25 |" in page
    assert page[-1] == "- Model calls: 0. Answers judged by a model: not measured."


def test_a_plot_is_drawn_the_same_each_time(tmp_path: Path) -> None:
    measured = results(tmp_path)
    for name in ("1.png", "2.png"):
        draw(measured, tmp_path / name)

    assert (tmp_path / "1.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "1.png").read_bytes() == (tmp_path / "2.png").read_bytes()


def line(id: str) -> Asked:
    return Asked(result=row(id, "1", product=1), seconds={"trace-graph": 0.1})


def test_a_run_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    first = RunFolder(tmp_path)
    first.begin({"data": "x"}, restart=False)
    first.add(line("q1"))
    with (tmp_path / PROGRESS).open("a") as file:
        file.write(line("q2").model_dump_json()[:40])

    second = RunFolder(tmp_path)
    second.begin({"data": "x"}, restart=False)
    second.add(line("q3"))
    third = RunFolder(tmp_path)
    third.begin({"data": "x"}, restart=False)

    assert (list(second.asked), list(third.asked)) == (["q1", "q3"], ["q1", "q3"])
    assert third.asked["q1"] == line("q1")


def test_a_run_of_something_else_is_refused_and_begun_anew_when_that_is_said(tmp_path: Path) -> None:
    first = RunFolder(tmp_path)
    first.begin({"data": "x", "half": None}, restart=False)
    first.add(line("q1"))
    (first.memory / "files").mkdir(parents=True)

    with pytest.raises(Refused) as refused:
        RunFolder(tmp_path).begin({"data": "y", "half": "tune"}, restart=False)
    RunFolder(tmp_path).begin({"data": "y"}, restart=True)

    assert refused.value.message == f"{tmp_path} holds a run that was broken off, with another data and half."
    assert sorted(file.name for file in tmp_path.iterdir()) == [RUN]
    assert json.loads((tmp_path / RUN).read_text()) == {"data": "y"}


def test_what_only_a_further_attempt_needs_is_gone_in_the_end(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.begin({}, restart=False)
    folder.add(line("q1"))
    (folder.memory / "files").mkdir(parents=True)
    folder.finish("{}")

    assert sorted(file.name for file in tmp_path.iterdir()) == [RESULTS]


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    with run_folder(tmp_path / "new" / "out") as held, pytest.raises(Refused) as refused, run_folder(held.folder):
        pass

    assert refused.value.message == f"Another benchmark works in {held.folder}."


def test_the_commit_is_named_only_where_it_is_trace_graph_s_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment inside somebody's repository is not a checkout of trace-graph."""
    answers = {"rev-parse": "1234abc", "status": " M x.py", "ls-files": "circumstances.py"}
    monkeypatch.setattr(told, "_git", lambda *arguments: answers.get(arguments[0]))
    changed = told.commit()
    answers["status"] = ""
    clean = told.commit()
    del answers["ls-files"]

    assert (changed, clean, told.commit()) == ("1234abc+changes", "1234abc", None)


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)

    with pytest.raises(ConfigError) as refused:
        bench._refuse_missing_packages()

    assert (refused.value.message, refused.value.fix) == (
        "The benchmark needs bm25s, which is not installed.", "Install it: pip install 'trace-graph[bench]'")


def test_ctrl_c_in_a_benchmark_says_how_to_go_on() -> None:
    options = GlobalOptions(quiet=True)
    with followed_stages(options, bench._interrupted) as progress:
        progress("conv-44: asking", 3, 10)
        said = options.interrupted

    assert (said, options.interrupted) == (
        "Interrupted (conv-44: asking); the same command goes on from here.", None)


def test_no_other_command_loads_what_the_benchmark_needs() -> None:
    heavy = "matplotlib", "bm25s", "numpy", "trace_graph.bench"
    code = (
        "import sys; from trace_graph.cli.main import build; build(); "
        f"print([name for name in {heavy} if name in sys.modules])")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InvalidInput) as refused, run_folder(tmp_path / "file"):
        pass

    assert refused.value.message == f"The folder {tmp_path / 'file'} cannot be written to: File exists."
