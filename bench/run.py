"""All measurements of this repository, one after the other: `make bench`.

    python -m bench.run [--uri URI] [--quick] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.locomo import default_file

QUICK_RECALL = ("--samples", "conv-44", "--questions", "30")


def commands(uri: str | None, quick: bool, out: Path | None) -> list[list[str]]:
    """The arguments of each measurement, its module first."""
    engine = ["--uri", uri] if uri else []
    quickly = QUICK_RECALL if quick else ()
    recall = ["trace_graph.cli", "bench", "locomo", str(default_file()), "--half", "report", *engine, *quickly]
    misfiled = ["bench.misfiled", *engine, *quickly]
    speed = ["bench.speed", *engine, *(["--quick"] if quick else ())]
    named = (("locomo", recall), ("misfiled.json", misfiled), ("speed.json", speed))
    return [[*command, *(["--out", str(out / name)] if out else [])] for name, command in named]


def main(given: Sequence[str] | None = None) -> int:
    """The exit code: 1 where one of them failed; the others are run all the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--uri", help="local:/path or a Bolt URI (default: fresh embedded engines)")
    parser.add_argument("--quick", action="store_true", help="small runs, to see that everything works")
    parser.add_argument("--out", type=Path, help="a folder for the JSON of each")
    chosen = parser.parse_args(given)
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    codes = []
    for command in commands(chosen.uri, chosen.quick, chosen.out):
        print(f"\n== python -m {' '.join(command)}", flush=True)
        codes.append(subprocess.run([sys.executable, "-m", *command], check=False).returncode)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
