#!/usr/bin/env bash
# scripts_test.sh TOOLS -- what the scripts of TOOLS do with their arguments, in a copy where nothing can be built.
set -uo pipefail
tools=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/repository/tools" "$work/repository/docs" "$work/repository/build/release/bin" "$work/bin" "$work/else where"
cp "$tools"/*.sh "$work/repository/tools"
for tool in cmake ninja clang-tidy clang-format; do
  printf '#!/bin/sh\necho "%s was called: $*" >> "%s/called"\nexit 1\n' "$tool" "$work" > "$work/bin/$tool"
done
printf '#!/bin/sh\necho "pawl $*"\n' > "$work/repository/build/release/bin/pawl"
chmod +x "$work"/bin/* "$work/repository/build/release/bin/pawl"
export PATH=$work/bin:$PATH
unset PAWL_JOBS
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# expect CODE PATTERN SCRIPT ARGUMENT... -- it ends with CODE and a line that has PATTERN, and calls no tool.
expect() {
  local wanted=$1 pattern=$2 script=$3 out code=0
  shift 3
  rm -f "$work/called"
  out=$(cd "$work/repository" && "tools/$script" "$@" 2>&1 < /dev/null) || code=$?
  [ "$code" -eq "$wanted" ] || fail "$script $*: exit code $code instead of $wanted: $out"
  grep -qe "$pattern" <<< "$out" || fail "$script $*: no '$pattern' in: $out"
  [ "$wanted" -ne 2 ] || [ "$(wc -l <<< "$out")" -eq 1 ] || fail "$script $*: more than one line: $out"
  [ ! -e "$work/called" ] || fail "$script $*: $(cat "$work/called")"
}

for script in bench build check_format gate_accuracy lint peers setup test; do
  expect 0 "^$script.sh" "$script.sh" --help
  expect 0 "^$script.sh" "$script.sh" -h
done

expect 2 'needs a name' bench.sh --baseline
expect 2 'needs a name' bench.sh --full --baseline ''
expect 2 'needs a name' bench.sh --baseline=
expect 2 'needs a number' gate_accuracy.sh --runs
expect 2 'needs a number' gate_accuracy.sh --at-most
expect 2 'whole numbers' gate_accuracy.sh --runs x
expect 2 "'--bogus'" gate_accuracy.sh --bogus
expect 2 'which preset' build.sh
expect 2 "'--bogus'" build.sh --bogus
expect 2 "'relase'" build.sh relase
expect 2 "'debug'" build.sh release debug
for jobs in abc 0 -1 1.5; do PAWL_JOBS=$jobs expect 2 "PAWL_JOBS=$jobs" build.sh release; done
[ ! -e "$work/repository/build/--help.log" ] || fail "build.sh leaves build/--help.log"
# A log that cannot be written is no build.
mkdir "$work/repository/build/release.log"
expect 1 'build/release.log' build.sh release
rmdir "$work/repository/build/release.log"
expect 2 "'--bogus'" check_format.sh --bogus
expect 2 "'more'" check_format.sh --fix more
expect 2 "'--bogus'" lint.sh --bogus
expect 2 "no file 'none.cpp'" lint.sh none.cpp
expect 2 "'--bogus'" setup.sh --bogus
expect 2 "'bogus'" test.sh bogus
expect 2 "'--bogus'" peers.sh --bogus
expect 2 "'b'" peers.sh a b
expect 2 "no results at" peers.sh none

# In a fresh tree the log of the build has no folder yet; the cmake here says that it was called, and fails.
mkdir -p "$work/fresh/tools"
cp "$tools/gate_accuracy.sh" "$work/fresh/tools"
printf '#!/bin/sh\n' > "$work/fresh/tools/setup.sh"
chmod +x "$work/fresh/tools/setup.sh"
out=$("$work/fresh/tools/gate_accuracy.sh" 2>&1) && fail "gate_accuracy.sh passes without a build: $out"
[ "$out" = 'gate_accuracy.sh: the build failed; its output is in build/gate_accuracy.log' ] || fail "gate_accuracy.sh says: $out"
[ -e "$work/fresh/build/gate_accuracy.log" ] || fail 'gate_accuracy.sh keeps no log in a fresh tree'

# A system without Debian's packages: the tools of the presets have to be there.
mkdir "$work/other"
for tool in bash dirname git cmake c++; do
  printf '#!/bin/sh\n' > "$work/other/$tool"
  chmod +x "$work/other/$tool"
done
out=$(PATH=$work/other "$BASH" "$tools/setup.sh" 2>&1) && fail "setup.sh without ninja says: $out"
grep -q 'ninja is missing' <<< "$out" || fail "setup.sh without ninja says: $out"
cp "$work/other/git" "$work/other/ninja"
out=$(PATH=$work/other "$BASH" "$tools/setup.sh" 2>&1) || fail "setup.sh with ninja says: $out"

# Which results become the first baseline. What builds is replaced, and so is pawl: one that says what it was asked for,
# has the baseline "there" and fails where it is told to.
mkdir -p "$work/bench/tools" "$work/bench/build/release/bin"
cp "$tools/bench.sh" "$work/bench/tools"
for script in setup build; do printf '#!/bin/sh\n' > "$work/bench/tools/$script.sh"; done
cat > "$work/bench/build/release/bin/pawl" << 'TEXT'
#!/bin/bash
echo "pawl $*"
case "$1 $2" in
  'baseline show')
    [ "$3" != damaged ] || exit 2
    [ "$3 $4" = 'there --here' ] || exit 3 ;;
  run*)
    while [ "$1" != --out ]; do shift; done
    mkdir -p "$2" && touch "$2/results.json"
    exit "${RUN_CODE:-0}" ;;
esac
TEXT
chmod +x "$work"/bench/tools/*.sh "$work/bench/build/release/bin/pawl"
# first CODE YES|NO ARGUMENT... -- bench.sh ends with CODE and does or does not save a baseline.
first() {
  local wanted=$1 saves=$2 out code=0 saved=no
  shift 2
  rm -rf "$work/bench/results"
  out=$(cd "$work/bench" && tools/bench.sh "$@" 2>&1 < /dev/null) || code=$?
  ! grep -q '^pawl baseline save' <<< "$out" || saved=yes
  [ "$code $saved" = "$wanted $saves" ] || fail "bench.sh $*: exit code $code, saved: $saved: $out"
}
first 0 yes
first 0 yes --full
first 0 yes --baseline=new
first 0 no --baseline there
first 0 no --baseline=there
first 2 no --baseline=damaged
[ ! -e "$work/bench/results" ] || fail 'bench.sh measures before it says that the baseline cannot be read'
RUN_CODE=1 first 1 no --baseline=there
RUN_CODE=1 first 1 no
first 0 no --suite 'simd_*'
first 0 no --suite='simd_*'
first 0 no --filter x
first 0 no --benchmark_filter=x
# What cannot be set up or built has a code that is no verdict's.
printf '#!/bin/sh\nexit 1\n' > "$work/bench/tools/build.sh"
first 5 no
printf '#!/bin/sh\n' > "$work/bench/tools/build.sh"
printf '#!/bin/sh\nexit 3\n' > "$work/bench/tools/setup.sh"
first 5 no
printf '#!/bin/sh\n' > "$work/bench/tools/setup.sh"
TMPDIR=$work/none first 5 no
out=$(cd "$work/bench" && tools/bench.sh --filter x)
grep -q "baseline save main --from results/" <<< "$out" || fail "bench.sh --filter x does not say how to save it: $out"

# The action's summary is of this comparison: a runner that is used again has a page of the last one.
mkdir -p "$work/runner/pawl/bin"
sed -n '/- name: compare/,$ { /run: |/,$ { s/^        //p } }' "$tools/../.github/actions/pawl/action.yml" > "$work/compare.sh"
# compared CODE TEXT -- with a pawl that ends with CODE and writes a page only where that is a verdict.
compared() {
  local out code=0
  echo PASS > "$work/runner/pawl.md"
  : > "$work/summary"
  printf '#!/bin/sh\n[ %s -eq 2 ] || echo "verdict %s" > "%s/runner/pawl.md"\nexit %s\n' "$1" "$1" "$work" "$1" > "$work/runner/pawl/bin/pawl"
  chmod +x "$work/runner/pawl/bin/pawl"
  out=$(RUNNER_TEMP=$work/runner GITHUB_STEP_SUMMARY=$work/summary BASE=a NEW=b FAIL_ON=critical OPTIONS='' bash -e "$work/compare.sh" 2>&1) || code=$?
  [ "$code" -eq "$1" ] && [ "$(cat "$work/summary")" = "$2" ] ||
    fail "the action ends with $code instead of $1, and its summary is '$(cat "$work/summary")': $out"
}
compared 0 'verdict 0'
compared 1 'verdict 1'
compared 2 ''

# Results are where the caller says, seen from where the caller is.
page=$work/repository/docs/peers.md
echo '{"context": {' > "$work/else where/plain.json"
echo '    "date": "2026-01-01T00:00:00+00:00",' >> "$work/else where/plain.json"
(cd "$work/else where" && ../repository/tools/peers.sh plain.json) > "$work/out" 2>&1 || fail "peers.sh: $(cat "$work/out")"
grep -q "^pawl peers $work/else where/plain.json " "$page" || fail "peers.sh: the page is not of the caller's file"
! grep -q 'Measured on' "$page" || fail "peers.sh of a plain file says: $(grep 'Measured on' "$page")"
mkdir "$work/else where/run"
cat > "$work/else where/run/results.json" << 'TEXT'
{
  "machine": {
    "key": "a-machine",
    "cpu_model": "A CPU",
  },
  "methodology": {
    "commit": "0123abc",
    "date": "2026-01-02T03:04:05+00:00",
TEXT
(cd "$work/else where" && ../repository/tools/peers.sh run) > "$work/out" 2>&1 || fail "peers.sh: $(cat "$work/out")"
grep -qx 'Measured on a-machine (A CPU), commit 0123abc, 2026-01-02T03:04:05+00:00.' "$page" ||
  fail "peers.sh says: $(grep 'Measured on' "$page")"

[ "$failures" -eq 0 ]
