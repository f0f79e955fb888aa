"""Fixtures for the command line: one embedded engine for all tests, started and stopped by the command itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Command

GARDEN = [
    {"text": "Mira planted three rose bushes behind the shed.", "author": "Mira", "session": "garden"},
    {"text": "The roses got aphids; Mira sprayed soap on the rose bushes.", "author": "Mira", "session": "garden"},
    {"text": "Ola repainted the boat blue last weekend.", "author": "Ola", "session": "boat"},
    {"text": "The engine of the boat needs a new filter, Ola said.", "author": "Ola", "session": "boat"},
]


@pytest.fixture(scope="session")
def trace_graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """The command on a running embedded engine, in an otherwise empty folder."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "work").mkdir()
    command = Command(folder / "work", f"local:{folder / 'data'}", {"TRACE_GRAPH_HEAP_MB": "512"})
    started = command("db", "start", "--json")
    try:
        assert started.code == 0, started.err
        assert started.json["running"] is True
        yield command
    finally:
        stopped = command("db", "stop", "--json")
    assert stopped.json == {"stopped": True, "folder": str(folder / "data")}


@pytest.fixture(scope="session")
def garden(trace_graph: Command) -> Command:
    """The same, with four organised messages in the space `garden`."""
    file = trace_graph.folder / "garden.jsonl"
    write_lines(file, [
        {**message, "at": f"2024-06-0{day}T09:00:00Z", "external_id": f"g{day}"}
        for day, message in enumerate(GARDEN, start=1)])
    imported = trace_graph("import", file.name, "--space", "garden", "--json")
    organised = trace_graph("organize", "--space", "garden", "--no-model", "--json")
    assert (imported.code, organised.code) == (0, 0), imported.err + organised.err
    assert {**imported.json, "seconds": 0} == {
        "space": "garden", "messages": 4, "duplicates": 0, "differing": 0, "without_vector": 0, "space_created": True,
        "sessions": 2, "rejected": [], "seconds": 0}
    assert (organised.json["filed"], organised.json["waiting"], organised.json["model_calls"]) == (4, 0, 0)
    return trace_graph


@pytest.fixture
def nowhere(tmp_path: Path) -> Command:
    """The command where there is no memory."""
    (tmp_path / "work").mkdir()
    return Command(tmp_path / "work", f"local:{tmp_path / 'data'}")


def write_lines(file: Path, lines: list[object]) -> None:
    """A file of JSON lines."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
