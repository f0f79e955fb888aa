"""No secret in what the command says: not with --debug, not in a traceback, not in what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Command, Done
from tests.engines.neo4j_server import free_port

SECRET, KEY = "correct-horse-7", "sk-battery-staple-9"


@pytest.fixture
def held_port() -> int:
    """A port on loopback at which nothing answers."""
    return free_port()


@pytest.fixture
def secrets(garden: Command) -> list[str]:
    """Every password of the running engine."""
    data = garden.folder.parent / "data"
    state = json.loads((data / "server.json").read_text(encoding="utf-8"))
    passwords = [str(value) for name, value in state.items() if "password" in name]
    return [*passwords, (data / "root.password").read_text(encoding="ascii").strip()]


def _said(done: Done) -> str:
    return done.out + done.err


@pytest.mark.parametrize("arguments", [
    ("recall", "roses", "--space", "garden"), ("doctor",), ("config", "show"), ("cypher", "this is no Cypher"),
])
def test_debug_shows_no_password_of_the_embedded_engine(
    garden: Command, secrets: list[str], arguments: tuple[str, ...]
) -> None:
    done = garden("--debug", *arguments)

    assert secrets
    assert [secret for secret in secrets if secret in _said(done)] == []


@pytest.mark.parametrize("debug", [(), ("--debug",)])
def test_an_engine_that_cannot_be_reached_is_reported_without_password_or_key(
    nowhere: Command, held_port: int, debug: tuple[str, ...]
) -> None:
    done = nowhere(
        *debug, "stats", TRACE_GRAPH_URI=f"bolt://127.0.0.1:{held_port}", TRACE_GRAPH_PASSWORD=SECRET,
        OPENAI_API_KEY=KEY, TRACE_GRAPH_DEADLINE_SECONDS="1")

    assert done.code == 4
    assert SECRET not in _said(done)
    assert KEY not in _said(done)


def test_a_wrong_password_is_not_repeated(garden: Command) -> None:
    state = json.loads((garden.folder.parent / "data" / "server.json").read_text(encoding="utf-8"))
    uri = f"bolt://127.0.0.1:{state['bolt_port']}"

    done = garden("--debug", "stats", TRACE_GRAPH_URI=uri, TRACE_GRAPH_USERNAME="root", TRACE_GRAPH_PASSWORD=SECRET)

    assert done.code != 0
    assert SECRET not in _said(done)


def test_an_embedder_that_fails_is_reported_without_its_key(nowhere: Command, held_port: int) -> None:
    done = nowhere(
        "--debug", "add", "A rose.", "--space", "s", TRACE_GRAPH_EMBEDDER="openai:none", OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=f"http://127.0.0.1:{held_port}/v1", TRACE_GRAPH_DEADLINE_SECONDS="1")
    nowhere("db", "stop")

    assert done.code != 0
    assert KEY not in _said(done)


def test_an_export_holds_no_secret(garden: Command, secrets: list[str], tmp_path: Path) -> None:
    file = tmp_path / "garden.jsonl"
    done = garden("export", "--space", "garden", "--out", str(file), OPENAI_API_KEY=KEY)

    assert done.code == 0
    assert [secret for secret in [*secrets, KEY] if secret in file.read_text(encoding="utf-8")] == []
