#!/usr/bin/env bash
# test.sh - every check, after a build. test.sh check - what finds most in five minutes, before a commit. test.sh suite - the
# test suite alone. test.sh bless - accepts what the tests with recorded output now print.
#
# All steps run even if one fails; the summary names those that did, and how long each took, slowest first.
. "$(dirname "$0")/common.sh"
cd "$root"

export OMPCHUNK_DIST=$dist
passed=0 failed=() took=()

step() {
  local name=$1 start=$SECONDS
  shift
  say "== $name"
  if "$@"; then
    passed=$((passed + 1))
    say "-- $name: passed, $((SECONDS - start)) s"
  else
    failed+=("$name")
    say "-- $name: FAILED, $((SECONDS - start)) s"
  fi
  took+=("$((SECONDS - start)) s  $name")
}

summary() {
  say "slowest first:"
  printf '%s\n' "${took[@]}" | sort -rn | sed 's/^/  /'
  say "steps: $passed passed, ${#failed[@]} failed${failed:+: ${failed[*]}}"
  [ ${#failed[@]} -eq 0 ]
}

clippy_plugin() {
  local config list major
  list=$(llvm_configs)
  while IFS= read -r config <&3; do
    major=$(major_of "$config")
    env "$(llvm_sys_prefix "$major")=$("$config" --prefix)" \
      cargo clippy --quiet -p ompchunk-pass --features "llvm$major" --all-targets \
      --target-dir "target/llvm-$major" -- -D warnings || return 1
  done 3<<<"$list"
}

# Links that lead nowhere fail.
documentation() {
  local config major
  local -x RUSTDOCFLAGS="-D warnings"
  cargo doc --quiet --workspace --exclude ompchunk-pass --no-deps || return 1
  config=$(first_llvm_config) major=$(major_of "$config")
  env "$(llvm_sys_prefix "$major")=$("$config" --prefix)" \
    cargo doc --quiet -p ompchunk-pass --features "llvm$major" --no-deps --target-dir "target/llvm-$major"
}

# What crates.io would get of the crates that are for others: builds from its own files, with nothing of this tree.
packages() { cargo package --quiet --offline --allow-dirty -p ompt -p ompchunk-trace-format; }

loom() { RUSTFLAGS="--cfg loom" cargo test -p ompchunk-rt --release --test loom --target-dir target/loom; }

# All tests run even if one fails, as all steps do. Which of its files took how long is said behind the step.
suite() {
  local log status=0 file seconds
  log=$(mktemp)
  cargo test --no-fail-fast -p ompchunk-testsuite 2>&1 | tee "$log" || status=1
  while read -r seconds file; do
    took+=("$seconds s  test suite: $file")
  done < <(awk '$1 == "Running" { file = $2 == "unittests" ? $3 : $2 }
    / finished in [0-9.]+s$/ && file != "" { time = $NF; sub(/s$/, "", time); if (time >= 10) printf "%d %s\n", time, file; file = "" }' "$log")
  rm -f "$log"
  return "$status"
}

# Of each kind of test what finds most in the time that it takes: no other process, one compiler, one level, the way most users build.
unit_tests() { cargo test --quiet --no-fail-fast --workspace --exclude ompchunk-testsuite --lib --bins; }
suite_files() {
  local files=() file
  for file in repo twins abi report remarks bad_input plain_copy dispatch schedules_hostile; do
    files+=(--test "$file")
  done
  cargo test --quiet --no-fail-fast -p ompchunk-testsuite --lib "${files[@]}"
}
suite_filtered() { cargo test --quiet -p ompchunk-testsuite --test "$1" -- "${@:2}"; }

OMPCHUNK_IOMP5=$(scripts/fetch-iomp5.sh)
export OMPCHUNK_IOMP5
OMPCHUNK_LIBOMP16=$(scripts/fetch-libomp16.sh)
export OMPCHUNK_LIBOMP16
OMPCHUNK_PERFETTO=$(scripts/fetch-perfetto.sh)
export OMPCHUNK_PERFETTO

case ${1:-} in
suite)
  suite
  exit
  ;;
bless)
  INSTA_UPDATE=always cargo test -p ompchunk-testsuite --test ir --test coverage
  INSTA_UPDATE=always cargo test -p ompchunk-cli --test report
  exit
  ;;
check)
  step "shell scripts" shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/tests/*.sh .ci/run
  step "format" cargo fmt --check
  step "clippy" cargo clippy --quiet --workspace --all-targets -- -D warnings
  step "unit tests" unit_tests
  step "shim" cargo test --quiet --no-fail-fast -p ompchunk-rt
  step "files of the suite" suite_files
  step "IR" suite_filtered ir
  step "schedules" suite_filtered schedules_attacked
  step "programs" suite_filtered run "clang-$(sed -n 's/^pub const MAJORS: .* = \[\([0-9]*\),.*/\1/p' testsuite/src/toolchain.rs)/-O2"
  summary
  exit
  ;;
esac

step "shell scripts" shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/tests/*.sh .ci/run
step "format" cargo fmt --check
step "clippy" cargo clippy --quiet --workspace --all-targets -- -D warnings
step "clippy, plugin" clippy_plugin
step "documentation of the code" documentation
step "packages" packages
step "unit tests" cargo test --quiet --no-fail-fast --workspace --exclude ompchunk-testsuite
step "loom" loom
step "examples" scripts/tests/examples.sh
step "demo" scripts/tests/demo.sh
step "install" scripts/tests/install.sh
step "install, by name" scripts/tests/ldconfig.sh
step "install, Fortran" scripts/tests/fortran.sh
step "test suite" suite

# Which LLVMs all that was about. Tested with fewer tests: OLDEST in testsuite/src/toolchain.rs.
llvms() {
  local major tested built=() checked=() few=() only=() absent=()
  tested=$(sed -n 's/^pub const MAJORS: .* = \[\(.*\)\];$/\1/p' testsuite/src/toolchain.rs)
  tested=" ${tested//,/} " oldest_tested=$(sed -n 's/^pub const OLDEST: u32 = \(.*\);$/\1/p' testsuite/src/toolchain.rs)
  for major in $(seq "$newest" -1 "$oldest"); do
    if [ ! -e "$dist/lib/llvm-$major/libompchunk.so" ]; then
      absent+=("$major")
      continue
    fi
    built+=("$major")
    if ! [ -x "/usr/lib/llvm-$major/bin/clang" ]; then
      only+=("$major")
    elif [[ $tested == *" $major "* ]]; then
      checked+=("$major")
    elif [ "$major" = "$oldest_tested" ]; then
      few+=("$major")
    else
      only+=("$major")
    fi
  done
  say "plugin built for LLVM ${built[*]:-none}; tested with clang ${checked[*]:-none}, with IR and run tests only: ${few[*]:-none}, not tested: ${only[*]:-none}"
  say "not built, for want of their headers or not asked for: LLVM ${absent[*]:-none}"
}
llvms
summary
