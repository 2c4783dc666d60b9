#!/usr/bin/env bash
# test.sh [PART...] - every check, after a build, or some parts of them. test.sh parts - their names. test.sh bless - accepts what the
# tests with recorded output now print.
. "$(dirname "$0")/steps.sh"

# With the newest LLVM alone: a few lines differ from one to the next.
clippy_plugin() {
  local config major
  config=$(first_llvm_config) major=$(major_of "$config")
  env "$(llvm_sys_prefix "$major")=$("$config" --prefix)" \
    cargo clippy --quiet -p ompchunk-pass --features "llvm$major" --all-targets --target-dir "target/llvm-$major" -- -D warnings
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
# What an earlier one built of the same version is taken for the same.
packages() {
  rm -rf target/crates
  cargo package --quiet --offline --allow-dirty -p ompt -p ompchunk-trace-format --target-dir target/crates
}

loom() { RUSTFLAGS="--cfg loom" cargo test -p ompchunk-rt -p ompchunk-recorder --release --test loom --target-dir target/loom; }

# Tests that judge time, one after the other. What else the machine does can fail them, so what failed has three tries; what each printed is said.
machine() {
  local try again=()
  for try in 1 2 3; do
    if tests "try $try" --workspace --exclude ompchunk-testsuite --tests -- --ignored --exact --test-threads=1 --show-output "${again[@]}"; then
      return 0
    fi
    [ ${#failures[@]} -gt 0 ] || return 1
    again=("${failures[@]}")
    say "-- try $try failed: ${again[*]}"
  done
  return 1
}

# A part of the suite: modules of tests, or all but those of other parts.
suite() { tests "test suite" -p ompchunk-testsuite "$@"; }
apart=(programs coverage)
remaining_suite() {
  local skip=("${apart[@]/#/--skip=}") status=0
  suite --lib --bins || status=1
  suite --test all -- "${skip[@]/%/::}" || status=1
  return "$status"
}

# What continuous integration does in turns, so each takes at most a quarter of an hour on two cores.
parts=(code units loom install packages machine "${apart[@]}" suite)

code() {
  style
  step "clippy, plugin" clippy_plugin
  step "documentation of the code" documentation
  step "packages of crates" packages
}

part() {
  case $1 in
  code) code ;;
  units) step "unit tests" tests "unit tests" --workspace --exclude ompchunk-testsuite ;;
  machine) step "tests that judge time" machine ;;
  loom) step "loom" loom ;;
  install)
    step "engines" scripts/engines.sh
    step "examples" scripts/tests/examples.sh
    step "demo" scripts/tests/demo.sh
    step "install" scripts/tests/install.sh
    step "install, by name" scripts/tests/ldconfig.sh
    step "install, Fortran" scripts/tests/fortran.sh
    step "recipes" scripts/tests/recipes.sh
    ;;
  packages)
    step "Debian packages" scripts/tests/deb.sh
    step "wheel" scripts/tests/wheel.sh
    step "source archive" scripts/tests/dist.sh
    ;;
  suite) step "test suite: the rest" remaining_suite ;;
  *) step "test suite: $1" suite --test all -- "$1::" ;;
  esac
}

case ${1:-} in
parts)
  say "${parts[*]}"
  exit
  ;;
bless)
  fetch
  INSTA_UPDATE=always cargo test -p ompchunk-testsuite --test all -- 'ir::|coverage::'
  INSTA_UPDATE=always cargo test -p ompchunk-cli --test all -- report::
  exit
  ;;
esac

wanted=("$@")
if [ $# -eq 0 ]; then
  wanted=("${parts[@]}")
fi
for name in "${wanted[@]}"; do
  [[ " ${parts[*]} " == *" $name "* ]] ||
    die "'$name' is no part of the tests." "next: make test-full PART=\"...\", of ${parts[*]}"
done
fetch
for name in "${wanted[@]}"; do part "$name"; done

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
