"""What the session of docs/models.md prints, against the scripted server: python -m tests.readme.transcript

Run it and put its output into the page, where a command prints something else than before.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.scripted_openai import scripted_openai
from tests.sensible_chat import sensible

ROOT = Path(__file__).parent.parent.parent
COMMANDS = (
    "import examples/demo.jsonl --space demo",
    "organize --space demo",
    "tree --space demo",
    'recall "Which boat is Petrel?" --space demo --mode guided --limit 2',
    'ask "Where does Mira live now?" --space demo',
    "calls stats --space demo",
    "health",
    "rebuild --space demo --into plain --no-model",
    "diff --space demo --with plain",
)


def printed(folder: Path, commands: Sequence[str] = COMMANDS) -> str:
    """The commands with what each prints on standard output."""
    program = str(Path(sys.executable).with_name("trace-graph"))
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("TRACE_GRAPH_", "NEO4J_", "OPENAI_"))}
    with scripted_openai() as server:
        server.answer = sensible
        variables = kept | {
            "TRACE_GRAPH_URI": f"local:{folder}", "COLUMNS": "100", "TRACE_GRAPH_MODEL": "gpt-oss:20b",
            "OPENAI_BASE_URL": server.url}
        try:
            return "\n".join(
                f"$ trace-graph {command}\n" + subprocess.run(
                    [program, "--quiet", *shlex.split(command)], env=variables, cwd=ROOT, text=True, check=True,
                    stdout=subprocess.PIPE, timeout=120).stdout
                for command in commands)
        finally:
            subprocess.run([program, "db", "stop"], env=variables, check=True, capture_output=True, timeout=60)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        print(printed(Path(home) / "memory"))
