#!/usr/bin/env bash
# check.sh - the tests that find most per second, from a built tree: what is cheap, and what notices mutants that no others do, as
# `make measure WHAT=mutants` found out (docs/data/mutants.csv). testsuite/tests/check.rs compares the list with that table.
# check.sh first - the first of them, which take two minutes on two cores.
. "$(dirname "$0")/steps.sh"

# A package's folder and a file of its tests, or module of its one program of tests, and perhaps a filter.
first() {
  cat <<END
analysis/clock
toolchain/--lib
recorder/lives
runtime-shim/--lib
cli/record
recorder/chunks
cli/schedule
recorder/ends
recorder/unload
testsuite/tasks
abi/--lib
analysis/counted
analysis/curves
analysis/exec
analysis/hints
analysis/missing
analysis/nowait
analysis/run
analysis/sub_blocks
analysis/sums
cli/--bins
cli/links
cli/profile
cli/signals
examples/tools/rust/chunk-balance/--lib
examples/tools/rust/chunk-print/--lib
examples/tools/rust/chunk-tool/--lib
export/--lib
export/graphml
export/perfetto
export/sub_blocks
ompt/chunks
pass/--lib
testsuite/promises
testsuite/twins
trace/--lib
trace/document
trace/samples
trace/slots
export/snapshots
ompt/--lib
ompt/attacks
trace/check
advice/--lib
recorder/raw_fork
analysis/timelines
testsuite/repo
analysis/--lib
analysis/loops
cli/report
recorder/executions
cli/first
cli/select
cli/exec
cli/run
runtime-shim/bad_input
runtime-shim/runtimes
toolchain/read
runtime-shim/events
figures/--lib
recorder/--lib
testsuite/abi
advice/rules
runtime-shim/order
ompt/runtimes
export/agree
END
}

rest() {
  cat <<END
bench/--lib
recorder/sub_blocks
cli/truth
ompt/headers
recorder/constructor
testsuite/sub_blocks_left_out
testsuite/--lib
cli/prose
testsuite/schedules_hostile
export/errors
runtime-shim/attach
recorder/short_ways
runtime-shim/registration
trace/damage
testsuite/programs schedules
cli/ends
testsuite/dispatch
cli/loops
testsuite/report
testsuite/plain_copy
testsuite/directions
cli/advise
cli/doctor
recorder/profiles
cli/export
testsuite/bad_input
trace/round_trip
cli/compile
testsuite/ir
recorder/tasks
analysis/account
analysis/regions
recorder/guest
recorder/tasks_each
analysis/serial
trace/stacks
analysis/sampled
END
}

chosen() {
  first
  if [ "${1:-}" != first ]; then rest; fi
}

# package FOLDER
package() { sed -n 's/^name = "\(.*\)"/\1/p' "$1/Cargo.toml" | head -1; }

# A filter that fits no test must not pass.
parted() {
  local listed
  listed=$(cargo test --quiet "${@:2}" --list) || return 1
  if [[ $listed != *": test"* ]]; then
    say "no such test: ${*:2}"
    return 1
  fi
  tests "$@"
}

# All files of a package at once, but those with a filter; then all modules of its one program.
declare -A flags=() modules=()
folders=() parts=() of_suite=()
while read -r name part; do
  folder=${name%/*} file=${name##*/}
  # The test suite's program takes them all in one filter.
  if [[ $name == testsuite/[!-]* ]]; then
    of_suite+=("$file::$part")
    continue
  fi
  if [ -z "${flags[$folder]+there}${modules[$folder]+there}" ] && [ -z "$part" ]; then folders+=("$folder"); fi
  case $file in
  --*) flag=$file ;;
  *)
    flag="--test $file"
    if [ -e "$folder/tests/all/$file.rs" ] || [ -d "$folder/tests/all/$file" ]; then
      modules[$folder]+=" $file"
      continue
    fi
    ;;
  esac
  if [ -n "$part" ]; then
    parts+=("$folder $flag -- $part")
    continue
  fi
  flags[$folder]+=" $flag"
done < <(chosen "$@")

# in_modules FOLDER PACKAGE MODULE...
in_modules() {
  local listed names
  listed=$(tests_of "${@:2}") || return 1
  mapfile -t names <<<"$listed"
  tests "$1" -p "$2" --test all -- --exact "${names[@]}"
}

fetch
style
for folder in "${folders[@]}"; do
  package=$(package "$folder")
  # Where files of tests are named, cargo does not build the examples that they load.
  if [ -d "$folder/examples" ]; then cargo build --quiet -p "$package" --examples; fi
  read -ra words <<<"${flags[$folder]:-}"
  if [ ${#words[@]} -gt 0 ]; then step "$folder" tests "$folder" -p "$package" "${words[@]}"; fi
  read -ra words <<<"${modules[$folder]:-}"
  if [ ${#words[@]} -gt 0 ]; then step "$folder, modules" in_modules "$folder" "$package" "${words[@]}"; fi
done
if [ ${#of_suite[@]} -gt 0 ]; then
  filter=$(printf '|%s' "${of_suite[@]}")
  step "testsuite, modules" tests testsuite -p ompchunk-testsuite --test all -- "${filter#|}"
fi
for part in "${parts[@]}"; do
  folder=${part%% *}
  read -ra words <<<"${part#* }"
  step "$part" parted "$folder" -p "$(package "$folder")" "${words[@]}"
done
summary
