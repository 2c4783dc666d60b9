#!/usr/bin/env bash
# check.sh - before each commit, from a built tree: the tests that find most in five minutes on two cores. Each file of tests whose
# time is short is here; of long ones the compiler and level that most users have; what counts instructions, is random, drives a
# browser or packages is left to test.sh.
. "$(dirname "$0")/steps.sh"

newest_tested=$(sed -n 's/^pub const MAJORS: .* = \[\([0-9]*\),.*/\1/p' testsuite/src/toolchain.rs)

files() { printf -- '--test\n%s\n' "$@"; }

suite() {
  local files
  mapfile -t files < <(files repo directions twins abi report remarks bad_input plain_copy dispatch schedules_hostile schedules_attacked)
  tests "suite" -p ompchunk-testsuite --lib "${files[@]}" -- --quiet
}
some() { tests "suite" -p ompchunk-testsuite --test "$1" -- --quiet "${@:2}"; }

recorder() {
  local files
  mapfile -t files < <(files chunks lives short_ways)
  tests "recorder" -p ompchunk-recorder --lib "${files[@]}" -- --quiet
}
the_command() {
  local files
  mapfile -t files < <(files compile ends exec links loops prose record report run schedule select)
  tests "command" -p ompchunk-cli --bins "${files[@]}" -- --quiet
}
libraries() {
  tests "libraries" -p ompchunk-rt -p ompt -p ompchunk-loops -p ompchunk-schedules -p ompchunk-trace-format \
    -p ompchunk-analysis -p ompchunk-export -p ompchunk-pass -p ompchunk-abi -p ompchunk-toolchain -p ompchunk-bench --lib --tests --examples -- --quiet
}

fetch
style
step "libraries" libraries
step "recorder" recorder
step "command" the_command
step "suite" suite
step "IR" some ir
step "programs" some run "clang-$newest_tested/-O2"
summary
