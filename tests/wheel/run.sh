#!/usr/bin/env bash
# Does the wheel work without the repository? Installs it in an environment of its own and runs the command line from an
# empty folder, then the tests of the command line from a copy: beside the sources they would import those.
# Usage: tests/wheel/run.sh WHEEL
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"${PYTHON:-python3}" -m venv "$place/venv"
"$place/venv/bin/python" -m pip install --quiet "$wheel" pytest pytest-xdist hypothesis pyyaml

mkdir "$place/empty"
cd "$place/empty"
"$place/venv/bin/trace-graph" --help

mkdir "$place/copy"
cp -r "$repository/tests" "$repository/pyproject.toml" "$place/copy"
cd "$place/copy"
export TRACE_GRAPH_TEST_NEO4J_CACHE=${TRACE_GRAPH_TEST_NEO4J_CACHE:-$repository/.cache/neo4j}
export TRACE_GRAPH_TEST_DATA=${TRACE_GRAPH_TEST_DATA:-$repository/../shared/data}
# One engine is enough here: what a wheel can lack is files, and the other engines were tested with the same code.
"$place/venv/bin/python" -m pytest -q -n 3 --dist loadgroup tests/cli -k "not neo4j-"

# That the extra brings all that the benchmark needs; without it the tests above saw what is said of that.
"$place/venv/bin/python" -m pip install --quiet "$wheel[bench]"
"$place/venv/bin/python" -m pytest -q tests/cli/test_bench.py
