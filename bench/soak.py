"""Everything about the foundation that takes long, on each engine: `make soak`.

    python -m bench.soak [--engines arcadedb neo4j-5.26 neo4j-2026] [--parts ...] [--seed 1] [--out FOLDER]

Parts: `writers` (many into one session), `small` (a small space beside 100,000 messages), `speed` (stores of 1,000,
10,000 and 100,000), `export` (LoCoMo from the embedded engine to this one and back, 100 damaged files), `life` (500
lives of a memory), `kills` (the writer, the engine or both, 30 times). A Neo4j of its own is started where needed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.engines.own_neo4j import own_neo4j
from tests.engines.releases import RELEASES

ENGINES = ("arcadedb", *RELEASES)
HEAP, PAGE_CACHE = "3g", "1g"
"""Of a Neo4j: with 100,000 messages it wants more than the tests give it."""
LIVES = 500

MEASURED = {
    "writers": ("bench.writers",),
    "small": ("bench.small_space",),
    "speed": ("bench.speed", "--stores", "1000", "10000", "100000"),
    "export": ("bench.export_restore",),
}
"""Parts that take --uri and --out, with their arguments."""
PARTS = (*MEASURED, "life", "kills")


@contextmanager
def reachable(engine: str) -> Iterator[tuple[list[str], Mapping[str, str]]]:
    """The arguments and the environment that lead a measurement to this engine; none for the embedded one."""
    if engine == "arcadedb":
        yield [], {}
        return
    with tempfile.TemporaryDirectory(prefix=f"{engine}-") as home:
        server = own_neo4j(engine, Path(home), heap=HEAP, page_cache=PAGE_CACHE)
        try:
            address = server.start()
            yield ["--uri", address.uri], {
                "TRACE_GRAPH_USERNAME": address.user, "TRACE_GRAPH_PASSWORD": address.password}
        finally:
            server.stop()


def soak(engine: str, parts: Sequence[str], seed: int, out: Path | None) -> list[str]:
    """Run the parts on one engine; those that failed, by name."""
    failed = []
    if wanted := [part for part in parts if part in MEASURED]:
        with reachable(engine) as (arguments, environment):
            for part in wanted:
                results = ["--out", str(out / f"{part}-{engine}.json")] if out else []
                failed += _run(part, engine, ["-m", *MEASURED[part], *arguments, *results], environment)
    if "life" in parts:
        lives = ["-m", "pytest", "-q", "tests/store/test_life.py", "-k", engine]
        failed += _run("life", engine, lives, {"TRACE_GRAPH_TEST_EXAMPLES": str(LIVES)})
    if "kills" in parts:
        results = ["--out", str(out / f"kills-{engine}.json")] if out else []
        failed += _run("kills", engine, ["-m", "bench.kills", "--engine", engine, "--seed", str(seed), *results], {})
    return failed


def _run(part: str, engine: str, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    print(f"\n== {part} on {engine}: python {' '.join(arguments)}", flush=True)
    code = subprocess.run([sys.executable, *arguments], env={**os.environ, **environment}, check=False).returncode
    return [f"{part} on {engine}"] if code else []


def main(given: Sequence[str] | None = None) -> int:
    """The exit code: 1 where a part failed; the others are run all the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--out", type=Path, help="a folder for the JSON of each part")
    chosen = parser.parse_args(given)
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
    failed = [part for engine in chosen.engines for part in soak(engine, chosen.parts, chosen.seed, chosen.out)]
    print(f"\nFailed: {', '.join(failed)}." if failed else "\nEverything held.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
