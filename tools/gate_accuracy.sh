#!/usr/bin/env bash
# gate_accuracy.sh -- measures on this machine how often the gate is wrong, and writes docs/gate_accuracy.md.
#
#   tools/gate_accuracy.sh                  64 process runs of gate_workload (about 5 s each), then the report
#   tools/gate_accuracy.sh --runs 100       as many; those that are there already are kept
#   tools/gate_accuracy.sh --at-most 6      measure at most 6 more now, so that a shared machine can be used in slices
#   tools/gate_accuracy.sh --report         only the report, from the runs that are there
#   tools/gate_accuracy.sh --fresh          throw away the runs that are there first
#   tools/gate_accuracy.sh --no-build       take the executables as they are
#
# The raw files stay in results/gate. Runs 2k and 2k+1 are neighbours with the same placement of buffers, as the two
# sides of a pair of `pawl ab` are.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=64
at_most=1000000
measure=1
build=1
fresh=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --runs | --at-most)
      [ -n "${2:-}" ] || { echo "gate_accuracy.sh: $1 needs a number" >&2; exit 2; }
      if [ "$1" = --runs ]; then runs=$2; else at_most=$2; fi
      shift ;;
    --report) measure= ;;
    --fresh) fresh=1 ;;
    --no-build) build= ;;
    *) echo "gate_accuracy.sh: no option '$1'; see --help" >&2; exit 2 ;;
  esac
  shift
done
case $runs$at_most in *[!0-9]*) echo "gate_accuracy.sh: --runs and --at-most take whole numbers" >&2; exit 2 ;; esac

bin=build/release/bin
if [ -n "$build" ]; then
  tools/setup.sh
  mkdir -p build
  cmake --preset release > build/gate_accuracy.log 2>&1 &&
    cmake --build build/release --target pawl gate_workload gate_accuracy >> build/gate_accuracy.log 2>&1 ||
    { echo "gate_accuracy.sh: the build failed; its output is in build/gate_accuracy.log" >&2; exit 1; }
fi

directory=results/gate
[ -z "$fresh" ] || rm -rf "$directory"
mkdir -p "$directory"
if [ -n "$measure" ]; then
  # Runs of two different binaries are no A/A comparison.
  sum=$(sha256sum < "$bin/gate_workload")
  if [ -f "$directory/binary" ] && [ "$(cat "$directory/binary")" != "$sum" ]; then
    echo "gate_accuracy.sh: the runs in $directory are of another gate_workload; --fresh starts again" >&2
    exit 2
  fi
  echo "$sum" > "$directory/binary"
  for ((i = 0; i < runs && at_most > 0; ++i)); do
    file=$directory/$(printf 'run-%03d.json' "$i")
    [ ! -f "$file" ] || continue
    PAWL_RUN_INDEX=$i PAWL_PLACEMENT=$((i / 2)) "$bin/gate_workload" --benchmark_repetitions=5 \
      --benchmark_min_time=0.01 --benchmark_enable_random_interleaving=true --pawl_percentiles=off \
      --pawl_yardsticks=off --benchmark_out="$file.tmp" --benchmark_out_format=json > /dev/null 2> "$directory/stderr" ||
      { echo "gate_accuracy.sh: gate_workload failed:" >&2; cat "$directory/stderr" >&2; exit 1; }
    mv "$file.tmp" "$file"
    at_most=$((at_most - 1))
    [ ! -t 1 ] || printf '\r==> gate_workload: process run %d of %d' $((i + 1)) "$runs"
  done
  [ ! -t 1 ] || echo
  there=$(find "$directory" -name 'run-*.json' | wc -l)
  if [ "$there" -lt "$runs" ]; then
    echo "==> $there of $runs process runs are there; the report comes when all are"
    exit 0
  fi
fi

page=docs/gate_accuracy.md
"$bin/gate_accuracy" "$directory" --command "tools/gate_accuracy.sh --runs $runs" \
  --machine "$("$bin/pawl" doctor | sed -n 1p)" > "$page.tmp" || { rm -f "$page.tmp"; exit 1; }
mv "$page.tmp" "$page"
echo "==> $page"
