"""A space leaves by `export` and comes back by `import`, in another database."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import Command


@pytest.fixture
def file(garden: Command, tmp_path: Path) -> Path:
    """The export of the space `garden`."""
    written = tmp_path / "garden.export"
    done = garden("export", "--space", "garden", "--out", str(written), "--json")
    assert done.code == 0, done.err
    assert (done.json["space"], done.json["messages"]) == ("garden", 4)
    return written


@pytest.fixture
def empty(nowhere: Command) -> Iterator[Command]:
    """The command where there is no memory yet; its engine is stopped at the end."""
    yield Command(nowhere.folder, nowhere.uri, {"TRACE_GRAPH_HEAP_MB": "512"})
    nowhere("db", "stop")


def test_a_space_is_restored_in_another_database(garden: Command, empty: Command, file: Path) -> None:
    imported = empty("import", str(file), "--json")
    again = empty("import", str(file), "--json")
    back = empty("export", "--space", "garden")

    assert (imported.code, again.code, back.code) == (0, 0, 0), imported.err + again.err + back.err
    assert {**imported.json, "seconds": 0} == {
        "space": "garden", "messages": 4, "duplicates": 0, "differing": 0, "without_vector": 0, "sessions": 2,
        "space_created": True, "rejected": [], "seconds": 0}
    assert [again.json[name] for name in ("messages", "duplicates", "space_created")] == [0, 4, False]
    assert back.out.encode() == file.read_bytes()
    assert empty("tree", "--space", "garden").out == garden("tree", "--space", "garden").out


def test_only_its_owner_may_read_an_export_and_it_holds_no_password(garden: Command, file: Path) -> None:
    state = json.loads((garden.folder.parent / "data" / "server.json").read_text())

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert state["password"] not in file.read_text()
    assert [one.name for one in file.parent.iterdir() if one.name.startswith(".")] == []


def test_what_cannot_be_restored_is_refused_with_its_exit_code(garden: Command, file: Path) -> None:
    damaged = file.with_name("damaged")
    damaged.write_bytes(file.read_bytes()[:-100])

    refused = {
        "damaged": garden("import", str(damaged), "--json"),
        "there already": garden("import", str(file), "--space", "garden-2", "--json"),
        "sample": garden("import", str(file), "--sample", "x", "--json"),
    }

    assert {name: (done.code, done.json["error"]["code"]) for name, done in refused.items()} == {
        "damaged": (2, "invalid_input"), "there already": (5, "refused"), "sample": (2, "usage")}


def test_an_export_needs_a_space_that_is_there_and_a_place_to_go(garden: Command, tmp_path: Path) -> None:
    messages = tmp_path / "messages.jsonl"
    messages.write_text('{"text": "Hello."}\n')

    assert garden("export", "--space", "none", "--out", str(tmp_path / "x")).code == 3
    assert garden("export", "--space", "garden", "--out", str(tmp_path / "no folder" / "x")).code == 3
    assert garden("export", "--space", "garden", "--json").code == 2
    assert garden("import", str(messages)).code == 2
    assert not (tmp_path / "x").exists()
