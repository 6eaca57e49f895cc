#!/usr/bin/env bash
# check_format.sh -- fails if clang-format would change a file; `--fix` lets it. Skipped, with a word, without clang-format 14.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1:-} in
  -h | --help) sed -n '2s/^# //p' "$0"; exit 0 ;;
  --fix | "") ;;
  *) echo "check_format.sh: unknown argument '$1' (--fix)" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "check_format.sh: '$2' is too much (only --fix)" >&2; exit 2; }
# Other versions break lines elsewhere.
if ! clang-format --version 2> /dev/null | grep -q ' version 14\.'; then
  echo "check_format.sh: skipped, it needs clang-format 14 (apt-get install clang-format-14)"
  exit 0
fi
files=$(git ls-files '*.cpp' '*.hpp')
if [ "${1:-}" = --fix ]; then
  xargs clang-format -i <<< "$files"
else
  xargs clang-format --dry-run -Werror <<< "$files" || { echo "check_format.sh: run tools/check_format.sh --fix" >&2; exit 1; }
fi
