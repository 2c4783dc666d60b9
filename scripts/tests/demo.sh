#!/usr/bin/env bash
# The demo: what it builds, what it prints, and what it says of an LLVM_CONFIG that is wrong. Prints nothing but what
# went wrong.
. "$(dirname "$0")/../common.sh"
cd "$root"
work=$root/target/demo-test
rm -rf "$work"
mkdir -p "$work/bin"

# What the user chose is blamed, and nothing is installed or built instead.
for wrong in /nonexistent "$work/no such/llvm-config" /bin/true; do
  if make demo LLVM_CONFIG="$wrong" >"$work/said" 2>&1; then die "make demo accepts LLVM_CONFIG=$wrong"; fi
  grep -qF "ompchunk: LLVM_CONFIG=$wrong is no llvm-config" "$work/said" || die "LLVM_CONFIG=$wrong: $(cat "$work/said")"
  if grep -qE 'missing|installing|building|libomp' "$work/said"; then die "LLVM_CONFIG=$wrong: $(cat "$work/said")"; fi
done
# An LLVM that the plugin cannot be built for is named, with those that it can be built for.
for number in 14.0.6 99.1.0; do
  mkdir -p "$work/include/llvm-c"
  touch "$work/include/llvm-c/Core.h"
  # shellcheck disable=SC2016 # the new script's
  printf '#!/bin/sh\ncase $1 in --version) echo %s ;; --includedir) echo "%s" ;; esac\n' "$number" "$work/include" \
    >"$work/bin/llvm-config"
  chmod +x "$work/bin/llvm-config"
  if make demo LLVM_CONFIG="$work/bin/llvm-config" >"$work/said" 2>&1; then die "make demo accepts LLVM $number"; fi
  grep -q "is LLVM ${number%%.*}; the plugin can be built for $oldest to $newest" "$work/said" ||
    die "LLVM $number: $(cat "$work/said")"
done

# One plugin is built, for the LLVM that the demo uses. A cargo that only says what it is asked stands in for cargo:
# everything is built already.
printf '#!/bin/sh\necho "$*" >>"%s"\n' "$work/asked" >"$work/bin/cargo"
chmod +x "$work/bin/cargo"
PATH=$work/bin:$PATH scripts/build.sh demo
asked=$(grep -o 'llvm[0-9][0-9]*' "$work/asked" | sort -u)
[ "$asked" = "llvm$(major_of "$(first_llvm_config)")" ] || die "the demo builds: $asked"

scripts/demo.sh >"$work/printed" 2>"$work/said" || die "the demo failed: $(cat "$work/said")"
grep -q '^result    the same without and with ompchunk$' "$work/printed" || die "the demo printed: $(cat "$work/printed")"
