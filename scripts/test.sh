#!/usr/bin/env bash
# test.sh - every check, after a build. test.sh suite - the test suite alone. test.sh bless - accepts what the tests with recorded
# output now print.
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
packages() { cargo package --quiet --offline --allow-dirty -p ompt -p ompchunk-trace-format; }

loom() { RUSTFLAGS="--cfg loom" cargo test -p ompchunk-rt -p ompchunk-recorder --release --test loom --target-dir target/loom; }

suite() { tests "test suite" -p ompchunk-testsuite; }

fetch

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
esac

# The whole compiles everything at least once.
rm -rf "${CARGO_TARGET_DIR:-target}/tmp/compiled"

style
step "clippy, plugin" clippy_plugin
step "documentation of the code" documentation
step "packages" packages
step "unit tests" tests "unit tests" --workspace --exclude ompchunk-testsuite -- --quiet
step "loom" loom
step "engines" scripts/engines.sh
step "examples" scripts/tests/examples.sh
step "demo" scripts/tests/demo.sh
step "install" scripts/tests/install.sh
step "install, by name" scripts/tests/ldconfig.sh
step "install, Fortran" scripts/tests/fortran.sh
step "Debian packages" scripts/tests/deb.sh
step "wheel" scripts/tests/wheel.sh
step "source archive" scripts/tests/dist.sh
step "recipes" scripts/tests/recipes.sh
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
