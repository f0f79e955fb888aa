"""Under which circumstances something was measured: what a figure is worth nothing without."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from pydantic import BaseModel

import trace_graph

PACKAGES = ("arcadedb-embedded", "bm25s", "neo4j", "numpy", "tokenizers")
"""Those on which figures can depend."""


class Circumstances(BaseModel):
    """When, where and of what a measurement was made."""

    date: datetime
    command: str
    version: str
    commit: str | None
    """Where trace-graph runs from its repository; `+changes` where that has uncommitted ones."""
    engine: str | None
    """Name and version; None where no database was asked."""
    embedder: str
    packages: dict[str, str]
    python: str
    machine: str
    cores: int | None
    load: float | None
    """Of the last minute, when the measurement began; None on systems that do not say."""


def circumstances(engine: str | None, embedder: str, *, command: str) -> Circumstances:
    """The circumstances of now."""
    return Circumstances(
        date=datetime.now(UTC).replace(microsecond=0), command=command, version=trace_graph.__version__,
        commit=commit(), engine=engine, embedder=embedder, packages={name: version(name) for name in PACKAGES},
        python=platform.python_version(), machine=f"{platform.system()} {platform.machine()}", cores=os.cpu_count(),
        load=round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None)


def given_command(name: str) -> str:
    """What the process was started with, its program called `name`."""
    return shlex.join([*shlex.split(name), *sys.argv[1:]])


def commit() -> str | None:
    """The commit that runs; None where this is no checkout of trace-graph's repository, or there is no git."""
    # Tracked, not merely inside: an environment's folder often lies in the repository of something else.
    if _git("ls-files", "--error-unmatch", "circumstances.py") is None:
        return None
    changes = _git("status", "--porcelain", "--untracked-files=no", ":/")
    return f"{_git('rev-parse', '--short', 'HEAD')}{'+changes' if changes else ''}"


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
