#!/usr/bin/env bash
# peers.sh -- measured results -> docs/peers.md: our rows beside their peers and the limit of the machine.
#
#   tools/peers.sh                         measures the quick suite first, 3 to 5 minutes
#   tools/peers.sh RESULTS                 takes results that are there: a file or a directory
#   tools/peers.sh --libtorch [RESULTS]    docs/peers_libtorch.md: all rows that libtorch has too, beside ours alone
#
# The page holds what `pawl peers --format markdown` prints, and how it came about; nothing in it is typed.
set -euo pipefail
from=$PWD
cd "$(dirname "$0")/.."

page_name=docs/peers.md
title="Beside the peers"
measure=(--quick)
tables=cat
case ${1:-} in
  -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --libtorch)
    page_name=docs/peers_libtorch.md
    title="Beside libtorch"
    # One process run with short repetitions: some 1300 rows, 8 minutes.
    measure=(--suite simd --suite tensor --suite quantization --filter '/(pawl|libtorch)/' --runs 1 --min-time 0.01)
    tables=those_with_libtorch
    shift ;;
esac
those_with_libtorch() { awk -v RS= -v ORS='\n\n' '!/^\|/ || /libtorch/'; }
pawl=build/release/bin/pawl
[ -x "$pawl" ] || { echo "peers.sh: no $pawl; tools/build.sh release makes it" >&2; exit 2; }

case ${1:-} in -*) echo "peers.sh: no option '$1'; see --help" >&2; exit 2 ;; esac
[ $# -le 1 ] || { echo "peers.sh: '$2' is too much; one RESULTS" >&2; exit 2; }
results=${1:-}
if [ -z "$results" ]; then
  results=results/peers_$(date -u +%Y-%m-%dT%H%M%SZ)
  "$pawl" run "${measure[@]}" --out "$results"
elif [ "${results#/}" = "$results" ]; then
  results=$from/$results
fi
[ -e "$results" ] || { echo "peers.sh: no results at $results" >&2; exit 2; }

# The machine and the commit as the results have them; a file that is not pawl's has neither.
file=$results
[ ! -d "$results" ] || file=$results/results.json
field() { sed -n "/^ *\"$1\": /{s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p;q}" "$file" 2> /dev/null || true; }

# A peer that was told which CPU to take, as OpenBLAS must be on one that it does not know.
told=
[ ! -f "$results/system-info.json" ] || told=$(sed -n 's/^ *"\(OPENBLAS_CORETYPE\)": "\(.*\)",\{0,1\}$/, with \1=\2/p' "$results/system-info.json")

# Written beside the page and moved over it, so that a failure leaves the old one.
page=$(mktemp "$page_name.XXXXXX")
trap 'rm -f "$page"' EXIT
{
  echo "# $title"
  cat << 'TEXT'

Made by `tools/peers.sh`; do not edit. Speed-up is the peer's time / ours: above 1 ours is faster. Rows differ from machine to
machine: run the script on yours. What the rows are is told in `docs/kernels/`.

TEXT
  key=$(field key)
  if [ -n "$key" ]; then
    echo "Measured on $key ($(field cpu_model)), commit $(field commit), $(field date)$told."
    echo
  fi
  "$pawl" peers "$results" --format markdown | $tables
} > "$page"
chmod 644 "$page"
mv "$page" "$page_name"
echo "$page_name from $results"
