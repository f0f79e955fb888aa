"""`trace-graph doctor`: in words and as JSON, on what is well, on what is not, and on what came back from an export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.command import Command
from trace_graph.store import arcadedb_http


def sql(command: Command, statement: str) -> Any:
    """A statement that the command knows nothing of."""
    state = json.loads((command.folder.parent / "data" / "server.json").read_text())
    endpoint = arcadedb_http.Endpoint(state["http_port"], "root", state["password"])
    return arcadedb_http.sql(endpoint, "trace_graph", statement)


def test_a_healthy_memory_is_well(garden: Command) -> None:
    words = garden("doctor", "--space", "garden")
    report = garden("doctor", "--space", "garden", "--deep", "--json")

    assert (words.code, words.out) == (0, "garden: 4 messages\n38 invariants of 1 space tried: all is well\n")
    assert (report.code, report.json["ok"], report.json["problems"], report.json["checks"]) == (0, True, [], 42)


def test_a_problem_is_named_with_what_mends_it_and_mended(garden: Command) -> None:
    sql(garden, "UPDATE Space SET message_count = 7 WHERE name = 'garden'")
    sql(garden, "DROP INDEX message_waiting")

    sick = garden("doctor", "--space", "garden")
    told = garden("doctor", "--space", "garden", "--json")
    fixed = garden("doctor", "--space", "garden", "--fix")
    well = garden("doctor", "--space", "garden", "--fix", "--json")

    assert (sick.code, told.code, fixed.code, well.code) == (1, 1, 0, 0), sick.err + fixed.err
    assert [(one["invariant"], one["space"], one["count"]) for one in told.json["problems"]] == [
        ("space_counts", "garden", 1), ("indexes", None, 1)]
    assert told.json["problems"][1]["ids"] == ["Message(waiting_in)"]
    assert "garden: space_counts (1 case)\n  The space miscounts its messages" in sick.out
    assert "What mends it: trace-graph doctor --fix" in sick.out
    assert fixed.out.startswith("mended: garden: The space miscounts")
    assert (well.json["problems"], well.json["fixed"]) == ([], [])


def test_a_space_that_came_back_from_an_export_is_well(garden: Command, nowhere: Command, tmp_path: Path) -> None:
    empty = Command(nowhere.folder, nowhere.uri, {"TRACE_GRAPH_HEAP_MB": "512"})
    try:
        exported = garden("export", "--space", "garden", "--out", str(tmp_path / "garden.export"))
        imported = empty("import", str(tmp_path / "garden.export"))
        report = empty("doctor", "--deep", "--json")
    finally:
        empty("db", "stop")

    assert (exported.code, imported.code) == (0, 0), exported.err + imported.err
    assert report.json["problems"] == []
    assert report.code == 0


def test_without_a_memory_or_a_space_there_is_nothing_to_look_at(garden: Command, nowhere: Command) -> None:
    assert (nowhere("doctor").code, garden("doctor", "--space", "none").code) == (3, 3)
