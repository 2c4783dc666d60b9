#!/usr/bin/env bash
# bench-programs.sh [options of ompchunk bench] - whole programs without and with the plugin, each build in four places in
# memory, on a release build of the runtime: JSON and text into target/bench/programs/. On standard output, how the
# layouts of each differ, and the figures.
. "$(dirname "$0")/common.sh"
cd "$root"

work=target/bench/programs runtime=$(scripts/fetch-iomp5.sh)/libiomp5.so
clang=$(clang_of "$(llvm_configs | head -n 1)")
mkdir -p "$work"
# Nothing else shall attach.
unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES

# measure SOURCE ARGUMENT... - of the program
measure() {
  local source=$1 name
  shift
  name=$(basename "$source" .c)
  "$dist/bin/ompchunk" bench --layouts 4 --time 60 --runtime "$runtime" --output "$work/$name.json" "${options[@]}" -- \
    "$clang" -O2 -fopenmp "$source" -lm -- "./$name" "$@" >"$work/$name.txt" 2>"$work/$name.layouts" ||
    { cat "$work/$name.layouts" >&2; return 1; }
  say "== $name"
  cat "$work/$name.layouts"
  sed -n '/^Runs/,$p' "$work/$name.txt"
}

options=("$@")
measure scripts/bench/search.c 16 40
measure examples/programs/spmv.c 100000 40
measure examples/programs/stencil.c 600 200
measure examples/programs/mandelbrot.c 400 500
