#!/usr/bin/env bash
# The demo: a small conversation becomes a tree of topics, and questions find its messages. `make demo` runs it.
# Usage: examples/demo.sh [FOLDER [MODEL]]   the memory stays in FOLDER (default .demo), so that one can go on with it;
# with MODEL, a chat model at OPENAI_BASE_URL, that one files, writes the summaries and answers
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath --canonicalize-missing "${1:-.demo}")
export TRACE_GRAPH_URI="local:$folder"
unset NEO4J_URI NEO4J_URL TRACE_GRAPH_MODEL
if [ -n "${2:-}" ]; then export TRACE_GRAPH_MODEL=$2; fi
export PATH="$PWD/.venv/bin:$PATH"

say() {
    printf '\n$ trace-graph'
    for word in "$@"; do case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
    printf '\n'
    trace-graph --quiet "$@"
}

say import examples/demo.jsonl --space demo
say organize --space demo
say tree --space demo
say recall "Where does Mira live now?" --space demo --limit 3
say recall "When do they sail to the islands?" --space demo --limit 3
say recall "What is Tomas allergic to?" --space demo --limit 3
if [ -n "${TRACE_GRAPH_MODEL:-}" ]; then
    say ask "Where does Mira live now?" --space demo
    say calls stats --space demo
    say health
fi

cat <<END

The memory stays in $folder, and its engine goes on running. What to type next:

  export TRACE_GRAPH_URI=local:$folder PATH="$PWD/.venv/bin:\$PATH"
  trace-graph add "The islands were windy, but Petrel held." --space demo --author Tomas
  trace-graph recall "How windy was it on the islands?" --space demo --limit 3
  trace-graph tree --space demo --messages
  trace-graph cypher "MATCH (t:Topic)-[:HAS_REVISION]->(r) RETURN t.title AS topic, r.number AS revision, r.text AS text"
  trace-graph db stop
END
