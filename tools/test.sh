#!/usr/bin/env bash
# test.sh -- a fresh checkout -> set up, built and tested.
#
#   tools/test.sh             the release preset
#   tools/test.sh asan        another preset: debug, asan, tsan
#   tools/test.sh release -R simd     what follows the preset goes to ctest
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
case ${1:-} in
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
  release | debug | asan | tsan) preset=$1; shift ;;
  -* | "") ;;
  *) echo "test.sh: unknown preset '$1' (release, debug, asan, tsan)" >&2; exit 2 ;;
esac

tools/setup.sh
tools/build.sh "$preset"
exec ctest --preset "$preset" --parallel "$(nproc)" "$@"
