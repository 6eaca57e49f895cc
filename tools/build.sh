#!/usr/bin/env bash
# build.sh PRESET -- configures and builds, with one line of output when all goes well and the errors when not.
#
#   tools/build.sh release    or debug, asan, tsan
#   PAWL_JOBS=4 tools/build.sh debug    with as many compilers at a time; without it one per CPU
#
# Exit code: 0 built, 1 the build failed, 2 wrong usage.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
  release | debug | asan | tsan) preset=$1 ;;
  "") echo "build.sh: which preset? (release, debug, asan, tsan)" >&2; exit 2 ;;
  *) echo "build.sh: unknown preset '$1' (release, debug, asan, tsan)" >&2; exit 2 ;;
esac
[ $# -eq 1 ] || { echo "build.sh: one preset at a time; '$2' is too much" >&2; exit 2; }
jobs=${PAWL_JOBS:-$(nproc)}
case $jobs in 0* | *[!0-9]*) echo "build.sh: PAWL_JOBS=$jobs is not a whole number from 1" >&2; exit 2 ;; esac

mkdir -p build
log=build/$preset.log
# bash does not invert a redirection that failed: `if !` below would take a log that cannot be opened for a build.
{ : > "$log"; } 2> /dev/null || { echo "build.sh: $log cannot be written; nothing was built" >&2; exit 1; }
started=$SECONDS
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$jobs"; } > "$log" 2>&1; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 40 >&2 || true
  echo "build.sh: the build failed; all of its output is in $log" >&2
  exit 1
fi
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "build/$preset/CMakeCache.txt")
printf '==> build: %s, %s, %s jobs  %dm%02ds\n' "$preset" "$("$compiler" --version | sed -n 1p)" "$jobs" \
  $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
