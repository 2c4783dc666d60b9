#!/usr/bin/env bash
# fetch-iomp5.sh [--if-any] - the second OpenMP runtime of the tests, into target/iomp5/. Prints the directory.
# --if-any: prints nothing, and says so, where there is none for this processor.
#
# libiomp5 has libomp's interface and is a release build; Debian's libomp is built with its debugging
# paths. It comes as the wheel `intel-openmp` from PyPI. OMPCHUNK_IOMP5 names a directory that has it
# already.
. "$(dirname "$0")/common.sh"

wheel=intel-openmp==2026.2.0
already OMPCHUNK_IOMP5 iomp5 libiomp5.so
if [ "$(uname -m)" != x86_64 ]; then
  why="Intel builds libiomp5 for x86-64 only, and this is $(uname -m)."
  [ "${1:-}" = --if-any ] || die "$why" "next: OMPCHUNK_IOMP5=/directory/with/libiomp5.so, another release build of libomp by that name"
  say "left out: $why What runs on it runs on the other runtimes only." >&2
  exit 0
fi

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
unpack_wheel "$wheel" "$temporary/wheel" "OMPCHUNK_IOMP5=/directory/with/libiomp5.so"
mkdir -p "$into"
# Renamed last: an interrupted copy is not taken for the library.
cp "$temporary"/wheel/*.data/data/lib/libiomp5.so "$into/libiomp5.so.new"
mv "$into/libiomp5.so.new" "$into/libiomp5.so"
say "$into"
