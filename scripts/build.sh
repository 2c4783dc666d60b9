#!/usr/bin/env bash
# build.sh [plugin | shim | recorder | tools | cli | demo]... - builds into target/ and copies the products to dist/;
# demo: what the demo needs, with the plugin for one LLVM.
. "$(dirname "$0")/common.sh"
cd "$root"

need_rust

plugin() {
  local configs config major
  configs=${1:-$(some_llvm_configs)}
  while IFS= read -r config <&3; do
    major=$(major_of "$config")
    [ -e "$dist/lib/llvm-$major/libompchunk.so" ] || say "building the plugin for LLVM $major"
    env "$(llvm_sys_prefix "$major")=$("$config" --prefix)" \
      cargo build --quiet --release -p ompchunk-pass --features "llvm$major" \
      --target-dir "target/llvm-$major"
    put "target/llvm-$major/release/libompchunk.so" "$dist/lib/llvm-$major/libompchunk.so"
  done 3<<<"$configs"
}

shim() {
  [ -e "$dist/lib/libompchunk_rt.so" ] || say "building the shim"
  cargo build --quiet --release -p ompchunk-rt -p ompchunk-stock
  put target/release/libompchunk_rt.so "$dist/lib/libompchunk_rt.so"
  put target/release/libompchunk_rt.a "$dist/lib/libompchunk_rt.a"
  put target/release/libompchunk_stock.so "$dist/lib/libompchunk_stock.so"
  put runtime-shim/include/ompt-chunk.h "$dist/include/ompt-chunk.h"
}

recorder() {
  [ -e "$dist/lib/libompchunk_trace.so" ] || say "building the recorder"
  cargo build --quiet --release -p ompchunk-recorder
  put target/release/libompchunk_trace.so "$dist/lib/libompchunk_trace.so"
}

tools() {
  local found clang flag tool sources
  [ -e "$dist/lib/tools/libschedule-check.so" ] || say "building the tools"
  cargo build --quiet --release -p chunk-print-rs -p chunk-balance-rs -p schedule-check
  for tool in print balance; do
    put "target/release/libchunk_${tool}_rs.so" "$dist/lib/tools/libchunk-$tool-rs.so"
  done
  put target/release/libschedule_check.so "$dist/lib/tools/libschedule-check.so"
  found=$(tool_compiler) ||
    die "no clang that finds omp-tools.h, for the example tools in C." \
      "next: make setup, or apt-get install clang-22 libomp-22-dev"
  clang=$(sed -n 1p <<<"$found") flag=$(sed -n 2p <<<"$found")
  mkdir -p target/tools
  for tool in print balance overhead; do
    sources=("examples/tools/c/chunk-$tool.c" examples/tools/c/chunk-tool.c)
    stale "target/tools/libchunk-$tool.so" "${sources[@]}" examples/tools/c/chunk-tool.h \
      runtime-shim/include/ompt-chunk.h || continue
    # ${flag:+...}: no empty argument if the compiler needs none.
    "$clang" -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden ${flag:+"$flag"} \
      -Iruntime-shim/include "${sources[@]}" -o "target/tools/libchunk-$tool.so" -ldl
  done
  for tool in print balance overhead; do
    put "target/tools/libchunk-$tool.so" "$dist/lib/tools/libchunk-$tool.so"
  done
}

# The command with its man pages and completions.
cli() {
  local shell page name
  [ -e "$dist/bin/ompchunk" ] || say "building the ompchunk command"
  cargo build --quiet --release -p ompchunk-cli
  # A compiler in one word, whose name says which one, for build systems that look at it.
  mkdir -p "$dist/bin"
  for name in clang clang++ flang; do ln -sfn ompchunk "$dist/bin/ompchunk-$name"; done
  if cmp -s target/release/ompchunk "$dist/bin/ompchunk"; then return 0; fi
  rm -rf target/share
  mkdir -p target/share/completions
  target/release/ompchunk man target/share/man1
  for shell in bash zsh fish; do
    target/release/ompchunk completions "$shell" >"target/share/completions/$shell"
  done
  # What an earlier version had would be installed, too.
  rm -rf "$dist/share/man/man1"
  for page in target/share/man1/*; do put "$page" "$dist/share/man/man1/${page##*/}"; done
  put target/share/completions/bash "$dist/share/bash-completion/completions/ompchunk"
  put target/share/completions/zsh "$dist/share/zsh/site-functions/_ompchunk"
  put target/share/completions/fish "$dist/share/fish/vendor_completions.d/ompchunk.fish"
  # Last: where it is up to date, all of them are.
  put target/release/ompchunk "$dist/bin/ompchunk"
}

demo() {
  local config
  config=$(first_llvm_config)
  plugin "$config"
  shim
  tools
}

for product; do
  case $product in
  demo | plugin | shim | recorder | tools | cli) "$product" ;;
  *) die "usage: scripts/build.sh [plugin | shim | recorder | tools | cli | demo]..." ;;
  esac
done
