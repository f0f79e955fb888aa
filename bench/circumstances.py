"""Under which circumstances a script measured: what a figure is worth nothing without."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from trace_graph.bench import circumstances as shipped


def circumstances(engine: str, embedder: str) -> dict[str, Any]:
    """Date, commit, command, engine, embedder and machine."""
    command = shipped.given_command(f"python -m bench.{Path(sys.argv[0]).stem}")
    return shipped.circumstances(engine, embedder, command=command).model_dump(mode="json")
