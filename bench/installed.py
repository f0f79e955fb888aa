"""What an installation weighs, and how long its doors take to open: processes of their own, nothing cached in ours."""

from __future__ import annotations

import importlib.metadata
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "trace-graph"
TIMES = 5
"""Processes of which the median is taken."""


class DoorFailed(Exception):
    """A command of the installation does not run."""


def installed_megabytes() -> dict[str, float]:
    """Megabytes (10^6 bytes) of trace-graph and of everything it needs without extras, by distribution, largest first.

    An editable installation holds no files of its own: then those of its folders are counted.
    """
    sizes = {name: _size(name) / 1e6 for name in _needed(PROJECT)}
    return {name: round(size, 2) for name, size in sorted(sizes.items(), key=lambda one: -one[1])}


def import_seconds(statement: str) -> float:
    """The median of what a statement takes in a fresh interpreter, its start not counted.

    Raises: DoorFailed.
    """
    program = f"import time; began = time.perf_counter(); {statement}; print(time.perf_counter() - began)"
    return statistics.median(float(_output([sys.executable, "-c", program])) for _ in range(TIMES))


def help_seconds() -> float:
    """The median of what `trace-graph --help` takes, from start to exit. Raises: DoorFailed."""
    command = [str(Path(sys.executable).with_name("trace-graph")), "--help"]
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        _output(command)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _output(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise DoorFailed(f"{Path(command[0]).name} {command[1]} failed (exit {done.returncode}): {reason}")
    return done.stdout


def _needed(name: str) -> Iterator[str]:
    """The distribution and all that it requires here, each once."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = canonicalize_name(waiting.pop())
        if current in seen:
            continue
        seen.add(current)
        yield current
        requirements = map(Requirement, importlib.metadata.requires(current) or [])
        waiting += [one.name for one in requirements if one.marker is None or one.marker.evaluate({"extra": ""})]


def _size(name: str) -> int:
    distribution = importlib.metadata.distribution(name)
    files = [Path(str(distribution.locate_file(file))) for file in distribution.files or []]
    if name == PROJECT and not any(file.parts[-2:] == ("trace_graph", "__init__.py") for file in files):
        root = Path(__file__).resolve().parents[1]
        files += [file for folder in ("trace_graph", "cli", "cypher", "web") for file in (root / folder).rglob("*")]
    return sum(file.stat().st_size for file in set(files) if file.is_file())
