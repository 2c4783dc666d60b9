#!/usr/bin/env bash
# check.sh - before each commit, from a built tree, in five minutes on two cores: the tests that find most per second. `make faults`
# measures which files of tests notice which planted fault, and in how many seconds; testsuite/src/faults.rs has the rule by which
# files are chosen from docs/data/faults.csv, and testsuite/tests/check.rs compares the list with it. As long as not every planted fault was
# measured, the list has beside the files that the rule takes those that were here before.
. "$(dirname "$0")/steps.sh"

newest_tested=$(sed -n 's/^pub const MAJORS: .* = \[\([0-9]*\),.*/\1/p' testsuite/src/toolchain.rs)

# A package's folder and a file of its tests, and perhaps a filter.
files() {
  cat <<END
abi/--lib
analysis/--lib
analysis/clock
analysis/counted
analysis/exec
analysis/hints
analysis/loops
analysis/missing
analysis/nowait
analysis/run
analysis/sums
bench/--lib
bench/pages
cli/--bins
cli/compile
cli/ends
cli/exec
cli/export
cli/links
cli/loops
cli/prose
cli/record
cli/report
cli/run
cli/schedule
cli/select
export/--lib
export/agree
export/errors
export/graphml
export/perfetto
export/snapshots
loops/--lib
loops/read
ompt/--lib
ompt/attacks
ompt/chunks
ompt/headers
ompt/runtimes
pass/--lib
recorder/--lib
recorder/chunks
recorder/lives
recorder/short_ways
runtime-shim/--lib
runtime-shim/attach
runtime-shim/bad_input
runtime-shim/events
runtime-shim/exports
runtime-shim/order
runtime-shim/proposed
runtime-shim/registration
runtime-shim/runtimes
schedules/--lib
testsuite/--lib
testsuite/abi
testsuite/bad_input
testsuite/directions
testsuite/dispatch
testsuite/ir
testsuite/plain_copy
testsuite/remarks
testsuite/repo
testsuite/report
testsuite/run clang-$newest_tested/-O2
testsuite/schedules_attacked
testsuite/schedules_hostile
testsuite/twins
toolchain/--lib
trace/--lib
trace/check
trace/damage
trace/document
trace/round_trip
trace/samples
trace/slots
END
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
  tests "$@" --quiet
}

# All files of a package at once, but those with a filter.
declare -A flags=()
folders=() parts=()
while read -r name part; do
  folder=${name%/*} file=${name##*/}
  case $file in
  --*) flag=$file ;;
  *) flag="--test $file" ;;
  esac
  if [ -n "$part" ]; then
    parts+=("$folder $flag -- $part")
    continue
  fi
  [ -n "${flags[$folder]:-}" ] || folders+=("$folder")
  flags[$folder]+=" $flag"
done < <(files)

fetch
style
for folder in "${folders[@]}"; do
  read -ra words <<<"${flags[$folder]}"
  step "$folder" tests "$folder" -p "$(package "$folder")" "${words[@]}" -- --quiet
done
for part in "${parts[@]}"; do
  folder=${part%% *}
  read -ra words <<<"${part#* }"
  step "$part" parted "$folder" -p "$(package "$folder")" "${words[@]}"
done
summary
