"""Under which circumstances something was measured: what a figure is worth nothing without."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.locomo import REPOSITORY


def circumstances(engine: str, embedder: str) -> dict[str, Any]:
    """Date, commit, command, engine, embedder and machine."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "--short", "HEAD") + ("+changes" if _git("status", "--porcelain") else ""),
        "command": " ".join([f"python -m bench.{Path(sys.argv[0]).stem}", *sys.argv[1:]]),
        "engine": engine,
        "embedder": embedder,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
    }


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else "no git"
