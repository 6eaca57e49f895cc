#!/usr/bin/env bash
# bench.sh -- a fresh checkout -> set up, built, measured, compared with this machine's baseline, reported.
#
#   tools/bench.sh                     the quick suite, 3 to 5 minutes
#   tools/bench.sh --full              every row
#   tools/bench.sh --suite 'simd_*'    what is not known here goes to `pawl run`
#   tools/bench.sh --baseline NAME     another baseline than "main"
#
# Without a baseline of that name the results become it, unless a benchmark failed or --suite or --filter left some out.
#
# Exit code: that of `pawl compare` (0 passed, 1 regression, 2 wrong usage, 3 nothing to compare); 0 when the first
# baseline was saved; 5 when it cannot be set up or built.
set -euo pipefail
cd "$(dirname "$0")/.."

size=--quick
baseline=main
part=no
options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --full) size= ;;
    --baseline | --baseline=*)
      if [ "$1" = --baseline ]; then
        baseline=${2:-}
        [ $# -eq 1 ] || shift
      else
        baseline=${1#*=}
      fi
      [ -n "$baseline" ] || { echo "bench.sh: --baseline needs a name" >&2; exit 2; } ;;
    --suite | --suite=* | --filter | --filter=* | --benchmark_filter | --benchmark_filter=*)
      part=yes
      options+=("$1") ;;
    *) options+=("$1") ;;
  esac
  shift
done

# What cannot be set up or built has no verdict, and no verdict's code.
tools/setup.sh && tools/build.sh release && verdict=$(mktemp) || exit 5
trap 'rm -f "$verdict"' EXIT
pawl=build/release/bin/pawl

# The results stand in a folder of their own even if the comparison fails.
commit=$(git rev-parse --short HEAD 2> /dev/null || echo nogit)
results=results/$(date -u +%Y-%m-%dT%H%M%SZ)_$commit
compare=()
there=0
problem=$("$pawl" baseline show "$baseline" --here 2>&1 > /dev/null) || there=$?
case $there in
  0)
    compare=(--baseline "$baseline" --format table)
    [ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || compare+=(--color always) ;;
  3) ;; # none yet
  *)
    # One that is there and cannot be read is not none: saving over it would pass whatever became slower.
    printf '%s\nbench.sh: nothing was measured; restore the baseline, or take it away: %s baseline remove %s\n' \
      "$problem" "$pawl" "$baseline" >&2
    exit "$there" ;;
esac

# The verdict comes with the run, which measures again what looks slower; it is shown last.
code=0
"$pawl" run $size --out "$results" "${compare[@]}" "${options[@]}" > "$verdict" || code=$?
[ "$code" -lt 128 ] && [ -f "$results/results.json" ] || { cat "$verdict"; exit "$code"; }

echo
"$pawl" peers "$results" || true
echo
"$pawl" targets "$results" || true
echo
if [ ${#compare[@]} -gt 0 ]; then
  cat "$verdict"
elif [ "$code" -ne 0 ] || [ $part = yes ]; then
  why="this is a part of the suite"
  [ "$code" -eq 0 ] || why="a benchmark failed"
  echo "no baseline '$baseline' yet, and none is saved: $why. To save it anyway: $pawl baseline save $baseline --from $results"
else
  saved=0
  "$pawl" baseline save "$baseline" --from "$results" || saved=$?
  if [ $saved -eq 0 ]; then
    echo "run tools/bench.sh again after a change: it compares with this one."
  else
    code=$saved
  fi
fi
echo "report: $results/report.md"
exit "$code"
