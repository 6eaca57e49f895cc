#!/usr/bin/env bash
# setup.sh -- a fresh Debian or Ubuntu machine -> one that can build Pawl. Does nothing, fast, when all is there.
#
#   tools/setup.sh            what build, benches and tests need
#   tools/setup.sh --peers    also the libraries that the benches compare with
#   tools/setup.sh --torch    these and libtorch (half a gigabyte)
#   tools/setup.sh --check    only says what is missing (exit 1 if anything is)
set -euo pipefail

# Each line: package, and why. Build tools first.
needed=(
  g++                  # the compiler that figures are made with
  cmake                # 3.22 or later; presets need 3.25
  ninja-build          # the presets' generator
  git                  # results are filed under their commit
  libbenchmark-dev     # Google Benchmark: the harness whose files the whole field reads
  libgtest-dev         # GoogleTest
  libgmock-dev         # its matchers
  libfmt-dev           # formatting
  nlohmann-json3-dev   # our own files
  libcli11-dev         # the command line
  zlib1g-dev           # compressed results
  libxsimd-dev         # vector types of the kernels
  libeigen3-dev        # the peer that is always there
  valgrind             # massif: what `pawl profile memory` runs benches under
  qemu-user            # runs the tests on a CPU without AVX
)
peers=(
  libopenblas-dev      # BLAS
  libdnnl-dev          # oneDNN
  libblis-openmp-dev   # BLIS
  libfftw3-dev         # FFTW
  libkissfft-dev       # kissfft
  libsleef-dev         # SLEEF: vector math
  libhwy-dev           # Highway's math
  librsb-dev           # librsb, GraphBLAS, CHOLMOD: sparse matrices
  libgraphblas-dev
  libsuitesparse-dev
  libjemalloc-dev      # jemalloc, mimalloc, tcmalloc: allocators
  libmimalloc-dev
  libgoogle-perftools-dev
)
torch=(
  libtorch-dev         # libtorch: dense operations; not among the peers, since Debian's brings 158 packages, 464 MB
)

check_only=no
for argument in "$@"; do
  case $argument in
    --peers) needed+=("${peers[@]}") ;;
    --torch) needed+=("${peers[@]}" "${torch[@]}") ;;
    --check) check_only=yes ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument' (--peers, --torch, --check)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query > /dev/null; then
  # Another system: the libraries come by FetchContent, the tools have to be there.
  for tool in cmake ninja git c++; do
    command -v "$tool" > /dev/null || { echo "setup.sh: $tool is missing; install it with your package manager" >&2; exit 3; }
  done
  echo "==> dependencies: no Debian packages here; CMake fetches what it does not find"
  exit 0
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${needed[@]}" 2> /dev/null | awk '$2 == "installed" {print $1}' || true)
missing=()
for package in "${needed[@]}"; do
  grep -qx -- "$package" <<< "$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "==> dependencies: all there"
  exit 0
fi
line="apt-get install -y --no-install-recommends ${missing[*]}"
if [ $check_only = yes ]; then
  echo "setup.sh: missing: ${missing[*]}; as root: $line" >&2
  exit 1
fi

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
  as_root=(sudo)
else
  echo "setup.sh: these packages are missing and this user may not install them; type:" >&2
  echo "  sudo $line" >&2
  exit 3
fi
echo "==> dependencies: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { DEBIAN_FRONTEND=noninteractive "${as_root[@]}" $line > "$log" 2>&1; }
# A fresh machine has no package lists yet, and stale ones name packages that are gone: update once, then again try.
install || { "${as_root[@]}" apt-get update > "$log" 2>&1 && install; } || {
  tail -n 20 "$log" >&2
  echo "setup.sh: installing failed (above); the line was: $line" >&2
  exit 3
}
