#!/usr/bin/env bash
# bench.sh [options of ompchunk bench] - the chunk benchmark at -O2 and -O3 and the thesis' evaluation on a release
# build of the runtime: JSON and an HTML report into target/bench/, data into docs/data/, and the pages that sum them up.
# bench.sh report - reports, data and pages alone, from the JSON of the last run. bench.sh pages - the pages alone, from the data.
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
    "$ompchunk" bench --opt "$level" --runtime "$runtime" --output "$work/chunk-O$level.json" "$@" >"$work/chunk-O$level.txt"
    sed -n '/^Bars/,$p' "$work/chunk-O$level.txt"
  done
  "$ompchunk" bench --suite thesis --runtime "$runtime" --output "$work/thesis.json" "$@" >"$work/thesis.txt"
  sed -n '/^Bars/,$p' "$work/thesis.txt"
}
if [ "${1:-}" = pages ]; then
  measured pages
  exit
fi
[ "${1:-}" = report ] || measure "$@"
files=("$work/chunk-O2.json" "$work/chunk-O3.json" "$work/thesis.json")
"$ompchunk" bench report --format html "${files[@]}" >"$work/report.html"
measured keep "${files[@]}"
measured pages
say "plots: $work/report.html"
