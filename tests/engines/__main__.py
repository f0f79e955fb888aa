"""Start one release of Neo4j by hand: `python -m tests.engines start neo4j-2026 --home DIR`.

Prints one line of JSON with uri, user and password, and stays until SIGTERM or Ctrl-C. The data stay in the folder.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from tests.engines.own_neo4j import own_neo4j
from tests.engines.releases import RELEASES
from trace_graph.errors import TraceGraphError

STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}


def main() -> int:
    """Serve one command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description=__doc__)
    commands = parser.add_subparsers(required=True)
    start = commands.add_parser("start", help="start a Neo4j and stay until stopped")
    start.add_argument("name", choices=sorted(RELEASES))
    start.add_argument("--home", type=Path, required=True, help="folder for data, configuration and logs")
    start.add_argument("--heap", default="1g", help="Java heap (default 1g)")
    start.add_argument("--page-cache", default="128m", help="page cache (default 128m)")
    asked = parser.parse_args()
    try:
        run_until_stopped(asked.name, asked.home, heap=asked.heap, page_cache=asked.page_cache)
    except TraceGraphError as error:
        print(f"{error.message}\n{error.fix}", file=sys.stderr)
        return error.exit_code
    return 0


def run_until_stopped(name: str, home: Path, *, heap: str, page_cache: str) -> None:
    """Start the release, print where it answers, and stop it on the first SIGTERM or SIGINT."""
    server = own_neo4j(name, home, heap=heap, page_cache=page_cache)
    for number in STOP_SIGNALS:
        signal.signal(number, _stop)
    try:
        address = server.start()
        print(json.dumps({"uri": address.uri, "user": address.user, "password": address.password}), flush=True)
        server.wait()
    except _Stopped:
        pass
    finally:
        server.stop()


class _Stopped(BaseException):
    """A signal asked for the end."""


def _stop(*_: object) -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt the orderly stop
    raise _Stopped


if __name__ == "__main__":
    sys.exit(main())
