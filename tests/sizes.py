"""Is any function over 60 lines or any file over 600? Prints each one and exits 1."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ("trace_graph", "cli", "cypher", "web", "tests", "bench")
SUFFIXES = {".py", ".cypher", ".sql"}
FILE_LINES = 600  # source, also of the next: the house style, rule 3
FUNCTION_LINES = 60


def too_long(name: str, text: str) -> Iterator[str]:
    """One line for the file and one for each function of it that is over the limit."""
    lines = len(text.splitlines())
    if lines > FILE_LINES:
        yield f"{name}: {lines} lines, at most {FILE_LINES}"
    if not name.endswith(".py"):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{name}:{node.lineno} {node.name}: {lines} lines, at most {FUNCTION_LINES}"


def sources(repository: Path) -> Iterator[Path]:
    """Every file that somebody wrote."""
    for folder in FOLDERS:
        for path in sorted((repository / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def main() -> int:
    """The exit code: 1 when something is too long."""
    found = [
        line
        for path in sources(REPOSITORY)
        for line in too_long(str(path.relative_to(REPOSITORY)), path.read_text(encoding="utf-8"))
    ]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
