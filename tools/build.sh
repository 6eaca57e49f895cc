#!/usr/bin/env bash
# build.sh PRESET -- configures and builds, with one line of output when all goes well and the errors when not.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?build.sh: which preset? (release, debug, asan, tsan)}
jobs=${PAWL_JOBS:-$(nproc)}

mkdir -p build
log=build/$preset.log
started=$SECONDS
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$jobs"; } > "$log" 2>&1; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 40 >&2 || true
  echo "build.sh: the build failed; all of its output is in $log" >&2
  exit 1
fi
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "build/$preset/CMakeCache.txt")
printf '==> build: %s, %s, %s jobs  %dm%02ds\n' "$preset" "$("$compiler" --version | sed -n 1p)" "$jobs" \
  $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
