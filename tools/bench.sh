#!/usr/bin/env bash
# bench.sh -- a fresh checkout -> set up, built, measured, compared with this machine's baseline, reported.
#
#   tools/bench.sh                     the quick suite, about 3 minutes
#   tools/bench.sh --full              every row
#   tools/bench.sh --suite 'simd_*'    what is not known here goes to `pawl run`
#   tools/bench.sh --baseline NAME     another baseline than "main"
#
# Exit code: that of `pawl compare` (0 passed, 1 regression, 2 wrong usage, 3 nothing to compare); 0 when the first
# baseline was saved.
set -euo pipefail
cd "$(dirname "$0")/.."

size=--quick
baseline=main
options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --full) size= ;;
    --baseline) baseline=${2:?bench.sh: --baseline needs a name}; shift ;;
    *) options+=("$1") ;;
  esac
  shift
done

tools/setup.sh
tools/build.sh release
pawl=build/release/bin/pawl

# The results stand in a folder of their own even if the comparison fails.
commit=$(git rev-parse --short HEAD 2> /dev/null || echo nogit)
results=results/$(date -u +%Y-%m-%dT%H%M%SZ)_$commit
# A failing row ends `pawl run` with 1; the others are compared all the same, and the comparison names it.
ran=0
"$pawl" run $size --out "$results" "${options[@]}" || ran=$?
[ -f "$results/results.json" ] || exit "$ran"

echo
"$pawl" peers "$results" || true
echo
if "$pawl" baseline show "$baseline" > /dev/null 2>&1; then
  code=0
  "$pawl" compare "$baseline" "$results" --format table,markdown --output markdown="$results/comparison.md" || code=$?
else
  code=0
  "$pawl" baseline save "$baseline" --from "$results" || code=$?
  if [ $code -eq 0 ]; then
    echo "run tools/bench.sh again after a change: it compares with this one."
  fi
fi
echo "report: $results/report.md"
[ "$code" -ne 0 ] || code=$ran
exit "$code"
