#!/usr/bin/env bash
# gate_accuracy.sh [RUNS] -- measures on this machine how often the gate is wrong, and writes docs/gate_accuracy.md.
#
# RUNS process runs (default 64) of benches/gate/gate_workload, 5 repetitions each, take about 8 seconds a run; the raw files are kept in results/gate.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-64}
tools/setup.sh
tools/build.sh release
directory=results/gate
rm -rf "$directory"
mkdir -p "$directory"
for ((i = 0; i < runs; ++i)); do
  PAWL_RUN_INDEX=$i PAWL_PLACEMENT=$i build/release/bin/gate_workload --benchmark_repetitions=5 --benchmark_min_time=0.01 \
    --benchmark_enable_random_interleaving=true --pawl_percentiles=off --pawl_yardsticks=off \
    --benchmark_out="$directory/$(printf 'run-%03d.json' "$i")" --benchmark_out_format=json > /dev/null 2>&1
  [ -t 1 ] && printf '\r==> gate_workload: process run %d of %d' $((i + 1)) "$runs"
done
[ -t 1 ] && echo
page=docs/gate_accuracy.md
{
  echo "# How often the gate is wrong"
  echo
  echo "Written by \`tools/gate_accuracy.sh $runs\`; run it to see what holds on your machine. Machine: $(build/release/bin/pawl doctor | sed -n 1p)."
  echo
  build/release/bin/gate_accuracy "$directory" --gates 400
} > "$page.tmp"
mv "$page.tmp" "$page"
echo "==> $page"
