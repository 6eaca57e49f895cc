#!/usr/bin/env bash
# lint.sh [FILE...] -- clang-tidy over our sources (all of them, or those named), by the compile commands of a clang build:
# those of g++ hold warning flags that clang-tidy does not know.
set -euo pipefail
files=()
for argument in "$@"; do
  case $argument in
    -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
    -*) echo "lint.sh: unknown argument '$argument' (only files)" >&2; exit 2 ;;
  esac
  [ -f "$argument" ] || { echo "lint.sh: no file '$argument'" >&2; exit 2; }
  files+=("$(realpath -- "$argument")")
done
cd "$(dirname "$0")/.."
command -v clang-tidy > /dev/null || { echo "lint.sh: clang-tidy is missing (apt-get install clang-tidy)" >&2; exit 3; }
# Without precompiled headers, which nobody builds here.
[ -f build/lint/compile_commands.json ] ||
  cmake --preset debug -B build/lint -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > /dev/null
# Each file once: the per-ISA ones stand in the compile commands once per ISA.
[ $# -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cpp' 'benches/*.cpp' 'tools/*.cpp')
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p build/lint
