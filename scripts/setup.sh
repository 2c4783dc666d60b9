#!/usr/bin/env bash
# setup.sh [test] - installs the Debian packages that are missing: for building and the demo, which
# need one LLVM, or for the tests too, which need all. Silent and quick when nothing is missing.
. "$(dirname "$0")/common.sh"

need_rust

has() { command -v "$1" >/dev/null; }

# An LLVM with its headers and its clang.
complete() { (first_llvm_config) >/dev/null 2>&1; }

has_libomp() {
  local library
  tool_compiler >/dev/null || return 1
  for library in /usr/lib/*/libomp.so /usr/lib/llvm-*/lib/libomp.so /usr/lib64/libomp.so; do
    [ ! -e "$library" ] || return 0
  done
  return 1
}

# What the user chose is right or wrong by itself, whatever else is missing.
if [ -n "${LLVM_CONFIG:-}" ]; then first_llvm_config >/dev/null; fi

missing=()
# need PACKAGE COMMAND... - the package, unless the command succeeds
need() {
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}

# need_llvm MAJOR LIBOMP
need_llvm() {
  need "llvm-$1-dev" usable "llvm-config-$1"
  need "clang-$1" has "clang-$1"
  need "$2" has_libomp
}

# Debian 12 has one OpenMP runtime, LLVM 19's; libomp-22-dev goes with it and excludes libomp-19-dev.
need_for_demo() {
  missing=()
  need g++ has c++
  if [ -n "${LLVM_CONFIG:-}" ]; then
    need libomp-22-dev has_libomp
  elif ! complete || ! has_libomp; then
    need_llvm "$@"
  fi
}

# The sanitizers' and the profile's runtimes.
compiler_rt() { compgen -G "/usr/lib/llvm-$1/lib/clang/*/lib/*/libclang_rt.asan*.a"; }

need_for_tests() {
  need_for_demo 22 libomp-22-dev
  [ -n "${LLVM_CONFIG:-}" ] || {
    missing=()
    need g++ has c++
    # OpenACC, on the host.
    need gcc has gcc
    need_llvm 22 libomp-22-dev
    need llvm-19-dev usable llvm-config-19
    need clang-19 has clang-19
    need llvm-16-dev usable llvm-config-16
    need clang-16 has clang-16
    need llvm-15-dev usable llvm-config-15
    need clang-15 has clang-15
  }
  need flang-22 has flang-22
  need libclang-rt-22-dev compiler_rt 22
  need libclang-rt-19-dev compiler_rt 19
  need libclang-rt-16-dev compiler_rt 16
  need lld-22 has ld.lld-22
  need lld-19 has ld.lld-19
  need lld-16 has ld.lld-16
  need valgrind has valgrind
  need gdb has gdb
  need pkg-config has pkg-config
  need cmake has cmake
  need chromium has chromium
  need shellcheck has shellcheck
  # The smallest MPI there is; the tests take MPICH too where it is installed.
  need libopenmpi-dev has mpicc.openmpi
  need openmpi-bin has mpirun.openmpi
  need python3-pip python3 -m pip --version
  need python3-venv python3 -c 'import ensurepip, venv'
  # The packages, and a modulefile.
  need debhelper has dh
  need dpkg-dev has dpkg-buildpackage
  need lintian has lintian
  need man-db has man
  need xz-utils has xz
  # The root of another Debian, for .ci/run and make test-elsewhere.
  need mmdebstrap has mmdebstrap
  need environment-modules test -e /usr/share/modules/init/bash
  # What reads and writes OTF2 besides us; Debian's python has the bindings, another one may come first.
  need libotf2-trace-dev ls /usr/include/otf2/otf2.h
  need otf2-tools has otf2-print
  need binutils has gprofng
  # What reads grain graphs besides us.
  need python3-networkx python3 -c 'import networkx'
  need python3-otf2 /usr/bin/python3 -c 'import otf2'
}

apt_install() {
  local options=(-y --no-install-recommends --no-remove) as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  say "installing ${missing[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  "${as_root[@]}" apt-get install "${options[@]}" "${missing[@]}" >"$log" 2>&1 || {
    "${as_root[@]}" apt-get update >>"$log" 2>&1
    "${as_root[@]}" apt-get install "${options[@]}" "${missing[@]}" >>"$log" 2>&1
  }
}

if [ "${1:-}" = test ]; then need_for_tests; else need_for_demo 22 libomp-22-dev; fi
[ ${#missing[@]} -gt 0 ] || exit 0

has apt-get || die "missing, by their Debian names: ${missing[*]}" "next: install them, then again"
[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null ||
  die "missing: ${missing[*]}" "next: sudo apt-get install ${missing[*]}" "then again"

log=$(mktemp)
if ! apt_install; then
  # A machine without Debian's security updates has LLVM 19 only: enough for the demo.
  wanted=${missing[*]}
  if [ "${1:-}" != test ] && [ -z "${LLVM_CONFIG:-}" ]; then need_for_demo 19 libomp-19-dev; fi
  if [ "$wanted" = "${missing[*]}" ] || ! apt_install; then
    tail -n 20 "$log" >&2
    die "could not install: $wanted   (all that apt-get said: $log)" "next: apt-get install $wanted"
  fi
fi
rm -f "$log"
