#!/usr/bin/env bash
# bench.sh [options of ompchunk bench] - the chunk benchmark at -O2 and -O3 and the thesis' evaluation on a release
# build of the runtime: JSON and an HTML report into target/bench/, and BENCHMARKS.md. bench.sh report - the reports alone, from the JSON
# of the last run.
. "$(dirname "$0")/common.sh"
cd "$root"

work=target/bench ompchunk=$dist/bin/ompchunk
measure() {
  local level runtime
  runtime=$(scripts/fetch-iomp5.sh)/libiomp5.so
  mkdir -p "$work"
  # Nothing else shall attach.
  unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES
  for level in 2 3; do
    "$ompchunk" bench --opt "$level" --runtime "$runtime" --output "$work/O$level.json" "$@" >"$work/O$level.txt"
    sed -n '/^Bars/,$p' "$work/O$level.txt"
  done
  "$ompchunk" bench --suite thesis --runtime "$runtime" --output "$work/thesis.json" "$@" >"$work/thesis.txt"
  sed -n '/^Bars/,$p' "$work/thesis.txt"
}
[ "${1:-}" = report ] || measure "$@"
files=("$work/O2.json" "$work/O3.json" "$work/thesis.json")
"$ompchunk" bench report --format html "${files[@]}" >"$work/report.html"
{
  cat <<'END'
# What ompchunk costs

Written by `make bench`. [docs/benchmarking.md](docs/benchmarking.md) has the method, the bodies and variants, and
what these numbers do not tell. A ratio is that to plain clang, with its 95 % interval; `plain-again` is plain
clang once more and shows how far two equal things differ here (A/A).

END
  "$ompchunk" bench report --format markdown "${files[@]}"
} >"$work/BENCHMARKS.md"
put "$work/BENCHMARKS.md" BENCHMARKS.md
say "plots: $work/report.html"
