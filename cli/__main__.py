"""`python -m trace_graph.cli`: the command line where no script is installed."""

from __future__ import annotations

from trace_graph.cli.main import run

if __name__ == "__main__":
    run()
