#!/usr/bin/env bash
# Every example program, with each clang, without and with the plugin, on both runtimes (where there is a second) and with
# several numbers of threads: prints the same under every tool, and the tools agree with each other and
# with what the program counted. Prints nothing but what went wrong.
. "$(dirname "$0")/../common.sh"
cd "$root"

work=$root/target/examples-test
rm -rf "$work"
mkdir -p "$work/iomp5"
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE LD_PRELOAD LD_LIBRARY_PATH
# Programs ask for libomp.so.5; the second runtime answers to the name.
runtimes=(libomp)
iomp5=$(scripts/fetch-iomp5.sh --if-any)
if [ -n "$iomp5" ]; then
  runtimes+=(libiomp5)
  ln -s "$iomp5/libiomp5.so" "$work/iomp5/libomp.so.5"
fi

shim=$dist/lib/libompchunk_rt.so tools=$dist/lib/tools

# Small enough to be quick, large enough for several chunks per thread.
declare -A arguments=(
  [wordpairs]="examples/data/us-constitution.txt 100 1" [mandelbrot]="120 100"
  [spmv]="5000 3" [stencil]="150 5"
)

# Where the time is: numbers with a fraction, and the bookkeeping times of chunk-print.
mask_times() { sed -E 's/ +[0-9]+\.[0-9]+/ T/g; s/bookkeeping [0-9]+/bookkeeping T/' "$1"; }

# run OUTPUT PROGRAM LIBRARIES - the program's output and the tool's, OUTPUT.tool
run() {
  # shellcheck disable=SC2086 # arguments are several words
  CHUNK_PRINT_FILE=$1.tool CHUNK_BALANCE_FILE=$1.tool OMP_TOOL_LIBRARIES=$3 \
    "$2" ${arguments[$program]} >"$1" || die "$2 failed ($setting)"
}
same() { cmp -s "$1" "$2" || die "$3: compare $1 and $2 ($setting)"; }

check() {
  local at=$work/$program way tool
  for way in without with; do
    run "$at.$way" "$at-$way" ""
    same "$at.without" "$at.$way" "the plugin changed the result"
    for tool in print balance print-rs balance-rs; do
      run "$at.$way.$tool" "$at-$way" "$([ $way = without ] || printf '%s:' "$shim")$tools/libchunk-$tool.so"
      same "$at.without" "$at.$way.$tool" "a tool changed the result"
      mask_times "$at.$way.$tool.tool" >"$at.$way.$tool.masked"
    done
    same "$at.$way.balance.masked" "$at.$way.balance-rs.masked" "chunk-balance in C and in Rust differ"
    sort "$at.$way.print.masked" >"$at.$way.print.sorted"
    sort "$at.$way.print-rs.masked" >"$at.$way.print-rs.sorted"
    same "$at.$way.print.sorted" "$at.$way.print-rs.sorted" "chunk-print in C and in Rust differ"
  done
  # Each chunk once as the standard event, once as the extension.
  local dispatches chunks
  dispatches=$(grep -c ' dispatch ' "$at.with.print.tool")
  chunks=$(grep -c ' chunk ' "$at.with.print.tool")
  [ "$dispatches" = "$chunks" ] || die "$dispatches dispatch events, $chunks chunk events ($setting)"
  grep -q '  last' "$at.with.print.tool" || die "no chunk is a thread's last ($setting)"
  # What the program counted; see its head for teams of one.
  if [ "$program" = wordpairs ] && [ "$OMP_NUM_THREADS" -gt 1 ]; then
    awk -f scripts/demo.awk "$at.with" "$at.without.balance.tool" "$at.with.balance.tool" \
      >"$at.table" || die "events are missing or too many, see $at.table ($setting)"
  fi
}

# overhead KIND - the counts in that kind's rows, in ascending order
overhead() {
  awk -v kind="$1" '$2 == kind { print kind == "tasks" ? $3 : $4 }' "$work/schedules.tool" | sort -n | tr '\n' ' '
}

# chunk-overhead counts what schedules says it does: 500 chunks of 4, one task for each.
check_overhead() {
  local libraries=$shim:$tools/libchunk-overhead.so
  for way in without with; do
    "$work/schedules-$way" 2000 200 >"$work/schedules.$way" || die "schedules failed ($setting)"
  done
  CHUNK_OVERHEAD_FILE=$work/schedules.tool OMP_TOOL_LIBRARIES=$libraries "$work/schedules-with" 2000 200 \
    >"$work/schedules.tooled" || die "schedules failed under chunk-overhead ($setting)"
  same "$work/schedules.without" "$work/schedules.with" "the plugin changed the result"
  same "$work/schedules.without" "$work/schedules.tooled" "a tool changed the result"
  [ "$(overhead tasks)" = "500 " ] || die "not 500 tasks in $work/schedules.tool ($setting)"
  # A team of one may get a loop whole.
  if [ "$OMP_NUM_THREADS" -gt 1 ]; then
    [ "$(overhead static)" = "$OMP_NUM_THREADS 500 " ] || die "static chunks in $work/schedules.tool ($setting)"
    [ "$(overhead dynamic)" = "500 " ] || die "dynamic chunks in $work/schedules.tool ($setting)"
    [ -n "$(overhead guided)" ] || die "no guided chunks in $work/schedules.tool ($setting)"
  fi
  grep -qE ' (tasks|dynamic) .* [1-9][0-9]*\.[0-9] +[0-9.]+ %$' "$work/schedules.tool" ||
    die "no time was taken in $work/schedules.tool ($setting)"
}

configs=$(some_llvm_configs)
while IFS= read -r config <&3; do
  major=$(major_of "$config") clang=$(clang_of "$config")
  [ -n "$clang" ] || continue
  for program in wordpairs mandelbrot spmv stencil schedules; do
    for way in without with; do
      plugin=()
      if [ $way = with ]; then plugin=("-fpass-plugin=$dist/lib/llvm-$major/libompchunk.so"); fi
      "$clang" -O2 -g -Wall -Wextra -Werror -fopenmp ${plugin[@]+"${plugin[@]}"} \
        "examples/programs/$program.c" -o "$work/$program-$way" -lm
    done
    check=check
    if [ $program = schedules ]; then check=check_overhead; fi
    for runtime in "${runtimes[@]}"; do
      if [ "$runtime" = libiomp5 ]; then export LD_LIBRARY_PATH=$work/iomp5; else unset LD_LIBRARY_PATH; fi
      for threads in 1 2 3; do
        export OMP_NUM_THREADS=$threads
        setting="clang $major, $runtime, $threads threads"
        $check
      done
    done
    unset LD_LIBRARY_PATH
  done
done 3<<<"$configs"
