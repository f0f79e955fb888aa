"""The installed command, run as its users run it: a process of its own in an empty folder."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OURS = ("TRACE_GRAPH_", "NEO4J_", "OPENAI_")


def words_of_command() -> list[str]:
    """`TRACE_GRAPH_COMMAND`, else the script beside this Python, else the module."""
    if named := os.environ.get("TRACE_GRAPH_COMMAND"):
        return shlex.split(named)
    script = Path(sys.executable).with_name("trace-graph")
    return [str(script)] if script.exists() else [sys.executable, "-m", "trace_graph.cli"]


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Command:
    """The command in a folder, on a database."""

    folder: Path
    uri: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", **settings: str) -> Done:
        done = subprocess.run(
            [*words_of_command(), *arguments], cwd=self.folder, env=self.environment(**settings), input=stdin,
            capture_output=True, timeout=120, check=False)
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def open(self, *arguments: str, **popen: Any) -> subprocess.Popen[bytes]:
        """The command while it runs."""
        return subprocess.Popen(
            [*words_of_command(), *arguments], cwd=self.folder, env=self.environment(), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **popen)

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment without settings of the machine that runs the tests, and with our own."""
        plain = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        plain.pop("PYTHONPATH", None)
        return plain | {"COLUMNS": "100", "TRACE_GRAPH_URI": self.uri} | dict(self.settings) | settings
