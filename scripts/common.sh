# Shared by the scripts beside it, which source it. Finds the tree and the toolchains.
# shellcheck shell=bash

set -euo pipefail
shopt -s inherit_errexit # or set -e stops at every $(...)

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # the scripts that source this file use it
dist=$root/dist
# Which LLVMs the plugin is built for unless LLVM_CONFIG names one; the demo uses the first. OMPCHUNK_LLVMS="18 17" means others, here and in the
# test suite: those are tested as far as nothing is recorded of them.
majors=${OMPCHUNK_LLVMS:-22 19 16 15}
# What LLVM_CONFIG may name. Before 15, pointers have types, which the plugin does not know.
oldest=15 newest=23

say() { printf '%s\n' "$*"; }

die() {
  printf 'ompchunk: %s\n' "$@" >&2
  exit 1
}

# Rust as new as Cargo.toml asks for: cargo itself would name all crates that are not satisfied, and no way out.
need_rust() {
  local wanted found next="rustup toolchain install stable (Debian 13 has rustup: apt-get install rustup; elsewhere https://rustup.rs), then again"
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
  command -v cargo >/dev/null ||
    die "cargo is not installed; this needs Rust $wanted (Debian's own is older: 12 has 1.63, 13 has 1.85)." "next: $next"
  found=$(cargo --version | sed -n 's/^cargo \([0-9.]*\).*/\1/p')
  # A cargo that does not say its version may do; what fails then says why.
  [ -z "$found" ] || [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ] ||
    die "cargo is of Rust $found; this needs $wanted (Debian's own is older: 12 has 1.63, 13 has 1.85)." "next: $next"
}

# $1 is an llvm-config that works and whose headers are there.
usable() {
  "$1" --version >/dev/null 2>&1 && [ -e "$("$1" --includedir)/llvm-c/Core.h" ]
}

# The usable llvm-configs, one per line.
llvm_configs() {
  local major config
  if [ -n "${LLVM_CONFIG:-}" ]; then
    usable "$LLVM_CONFIG" ||
      die "LLVM_CONFIG=$LLVM_CONFIG is no llvm-config, or its headers are not installed." \
        "next: install the LLVM's -dev package, or leave LLVM_CONFIG unset to search for LLVM $majors."
    major=$(major_of "$LLVM_CONFIG")
    if [ "$major" -lt "$oldest" ] || [ "$major" -gt "$newest" ]; then
      die "LLVM_CONFIG=$LLVM_CONFIG is LLVM $major; the plugin can be built for $oldest to $newest." \
        "next: LLVM_CONFIG=/path/to/llvm-config of one of these, or leave it unset to search for LLVM $majors."
    fi
    say "$LLVM_CONFIG"
    return
  fi
  for major in $majors; do
    for config in "llvm-config-$major" "/usr/lib/llvm-$major/bin/llvm-config"; do
      if config=$(command -v "$config") && usable "$config"; then
        say "$config"
        break
      fi
    done
  done
}

# The same, and an end with the next step if there is none.
some_llvm_configs() {
  local configs
  configs=$(llvm_configs)
  [ -n "$configs" ] ||
    die "found none of LLVM $majors with its headers; one of them is enough." \
      "next: make setup, or" \
      "apt-get install clang-22 llvm-22-dev libomp-22-dev, or" \
      "apt-get install clang-19 llvm-19-dev libomp-19-dev, or" \
      "make LLVM_CONFIG=/path/to/llvm-config"
  say "$configs"
}

# The one that the demo uses: the first that has its clang.
first_llvm_config() {
  local config list
  list=$(some_llvm_configs)
  while IFS= read -r config <&3; do
    if [ -n "$(clang_of "$config")" ]; then
      say "$config"
      return
    fi
  done 3<<<"$list"
  die "found LLVM with its headers, but no clang beside ${list//$'\n'/ }." "next: make setup, or the LLVM's clang package"
}

major_of() { "$1" --version | cut -d. -f1; }

# llvm-sys names its environment after the LLVM that it binds: 191 is LLVM 19.1, 160 LLVM 16.0.
llvm_sys_prefix() {
  local major=$1
  if [ "$major" -ge 18 ]; then say "LLVM_SYS_${major}1_PREFIX"; else say "LLVM_SYS_${major}0_PREFIX"; fi
}

# The clang that belongs to an llvm-config, if it is installed.
clang_of() {
  local clang
  clang=$("$1" --bindir)/clang
  if [ -x "$clang" ]; then say "$clang"; fi
}

# Where omp.h and omp-tools.h are, as a compiler flag; empty if $1, a compiler, finds them by itself.
# Debian has them with one of its clangs only. The other one gets a directory with links to these two:
# all headers of one clang behind those of another do not go together.
omp_headers_flag() {
  local header links=$root/target/omp-headers
  if printf '#include <omp.h>\n#include <omp-tools.h>\n' | "$1" -fsyntax-only -xc - 2>/dev/null; then
    return 0
  fi
  for header in /usr/lib/llvm-*/lib/clang/*/include/omp-tools.h; do
    if [ -e "$header" ]; then
      mkdir -p "$links"
      ln -sf "${header%/*}/omp.h" "${header%/*}/omp-tools.h" "$links"
      say "-I$links"
      return 0
    fi
  done
  return 1
}

# A clang to compile the C tools with, and its flag from omp_headers_flag, on two lines.
tool_compiler() {
  local config list clang flag
  list=$(llvm_configs)
  while IFS= read -r config <&3; do
    [ -n "$config" ] || continue
    clang=$(clang_of "$config")
    if [ -n "$clang" ] && flag=$(omp_headers_flag "$clang"); then
      say "$clang"
      say "$flag"
      return 0
    fi
  done 3<<<"$list"
  return 1
}

# How many processes may run at once; without OpenMP's variables, which nproc follows, too.
cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

version() { sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1; }

# Tests kill OpenMP programs. What their runtimes leave in /dev/shm ends a later program that gets the same process number.
sweep() {
  local file pid user
  user=$(id -u)
  for file in /dev/shm/__KMP_REGISTERED_LIB_*_"$user" /tmp/__KMP_REGISTERED_LIB_*_"$user"; do
    pid=${file%_*} pid=${pid##*_}
    [ ! -e "$file" ] || [ -e "/proc/$pid" ] || rm -f "$file"
  done
}

# What tests need beside what apt has.
fetch() {
  OMPCHUNK_IOMP5=$(scripts/fetch-iomp5.sh --if-any)
  export OMPCHUNK_IOMP5
  [ -n "$OMPCHUNK_IOMP5" ] || unset OMPCHUNK_IOMP5
  OMPCHUNK_LIBOMP16=$(scripts/fetch-libomp16.sh)
  export OMPCHUNK_LIBOMP16
  OMPCHUNK_PERFETTO=$(scripts/fetch-perfetto.sh)
  export OMPCHUNK_PERFETTO
}

# $1 is missing, or older than one of the other files.
stale() {
  local product=$1 source
  shift
  for source in "$@"; do
    if [ ! -e "$product" ] || [ "$source" -nt "$product" ]; then return 0; fi
  done
  return 1
}

# Copies a product if it differs. The old file is replaced, not overwritten: a running program may
# have it mapped.
put() {
  local from=$1 to=$2
  if cmp -s "$from" "$to"; then return 0; fi
  mkdir -p "$(dirname "$to")"
  cp "$from" "$to.new"
  mv -f "$to.new" "$to"
  say "  ${to#"$root"/}"
}

# The files of wheel $1, NAME==VERSION, into the new directory $2. $3 is what to do if it can't be fetched.
unpack_wheel() {
  local pip
  for pip in "python3 -m pip" pip3 pip ""; do
    if [ -n "$pip" ] && $pip --version >/dev/null 2>&1; then break; fi
  done
  [ -n "$pip" ] || die "no pip to fetch the wheel $1 with." "next: apt-get install python3-pip, or $3"
  $pip download --quiet --no-deps --only-binary=:all: --dest "$2.download" "$1" >&2 ||
    die "could not download the wheel $1." "next: see pip's message above, or $3"
  python3 -m zipfile -e "$2.download"/*.whl "$2"
}

# The directory that $1 names, else $2 in target/, is $into. Where it has $3 the script prints it and ends.
already() {
  into=${!1:-$root/target/$2}
  if [ -e "$into/$3" ]; then
    say "$into"
    exit 0
  fi
  [ -z "${!1:-}" ] || die "$1=$into holds no $3"
}
