#!/usr/bin/env bash
# Runs one step of the checks and says how long it took: tests/step.sh NAME COMMAND...
set -euo pipefail
name=$1
shift
printf '\n== %s\n' "$name"
began=$(date +%s)
code=0
"$@" || code=$?
printf '== %s: %d s%s\n' "$name" $(($(date +%s) - began)) "$([ $code = 0 ] || printf ', FAILED (exit %d)' $code)"
exit $code
