"""The README says what happens: its examples run, and the output it shows is the output there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(language: str) -> list[str]:
    return [found[2] for found in BLOCK.finditer(README.read_text(encoding="utf-8")) if found[1] == language]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The folder in which the demo has run, and what it printed; its engine is stopped at the end."""
    folder = tmp_path_factory.mktemp("readme") / "demo"
    shown = subprocess.run(
        [str(ROOT / "examples" / "demo.sh"), str(folder)], capture_output=True, text=True, check=True, timeout=300,
        env=_environment(folder))
    yield folder, shown.stdout
    subprocess.run([_command(), "db", "stop"], env=_environment(folder), check=True, capture_output=True, timeout=120)


def _command() -> str:
    return str(Path(sys.executable).with_name("trace-graph"))


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRACE_GRAPH_", "NEO4J_"))}
    return kept | {"TRACE_GRAPH_URI": f"local:{folder}", "COLUMNS": "100"}


def test_the_demo_prints_what_the_readme_shows(demo: tuple[Path, str]) -> None:
    folder, output = demo

    assert _settled(output, folder) == _settled(_blocks("console")[0], folder)


def _settled(text: str, folder: Path) -> list[str]:
    """The lines without what differs from run to run: seconds and folders."""
    text = text.replace(str(folder), ".demo").replace("/home/you/trace-graph/.demo", ".demo")
    text = re.sub(r"local:\S*\.demo", "local:.demo", text)
    text = re.sub(r'PATH="\S*\.venv/bin', 'PATH=".venv/bin', text)
    return [re.sub(r"in \d+\.\d+ s", "in N s", line).rstrip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("number", range(len(_blocks("cypher"))))
def test_every_audit_query_answers_on_the_demo(demo: tuple[Path, str], number: int) -> None:
    folder, _ = demo

    shown = subprocess.run(
        [_command(), "--json", "cypher", _blocks("cypher")[number]], capture_output=True, text=True, check=False,
        timeout=120, env=_environment(folder))

    assert (shown.returncode, shown.stderr) == (0, "")
    # Nothing has been revised in the demo yet, so only the third question has no rows.
    assert (shown.stdout.strip() == "[]") is (number == 2)


def test_the_library_examples_run(demo: tuple[Path, str]) -> None:
    folder, _ = demo
    asynchronous, synchronous = _blocks("python")

    outputs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, timeout=120,
            env=_environment(folder))
        for code in (asynchronous, synchronous)]

    assert [(one.returncode, one.stderr) for one in outputs] == [(0, ""), (0, "")]
    assert outputs[0].stdout.startswith("1 False\n1 Tomas The boat is called Petrel.")
    assert outputs[1].stdout == "['demo', 'notes']\nShe lies at berth 17.\n"
