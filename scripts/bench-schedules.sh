#!/usr/bin/env bash
# bench-schedules.sh [options of ompchunk bench] - schedules at run time against clauses in the source, on a release build of the
# runtime and on the system's own: JSON into target/bench/, data into docs/data/, and the pages that sum them up.
# bench-schedules.sh report - data and pages alone, from the JSON of the last run.
. "$(dirname "$0")/common.sh"
cd "$root"

work=target/bench ompchunk=$dist/bin/ompchunk
files=("$work/schedules-libiomp5.json" "$work/schedules-libomp.json")
measure() {
  local runtime option options=()
  runtime=$(scripts/fetch-iomp5.sh)/libiomp5.so
  mkdir -p "$work"
  # Nothing else shall attach.
  unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_SCHEDULE
  "$ompchunk" bench --suite schedules --runtime "$runtime" --output "${files[0]}" "$@" >"$work/schedules-libiomp5.txt"
  sed -n '/^Bars/,$p' "$work/schedules-libiomp5.txt"
  # Debian's libomp has its debugging paths, which is said in the results.
  for option; do
    [ "$option" = --allow-noisy ] || options+=("$option")
  done
  "$ompchunk" bench --suite schedules --allow-noisy --output "${files[1]}" "${options[@]}" >"$work/schedules-libomp.txt"
  sed -n '/^Bars/,$p' "$work/schedules-libomp.txt"
  cut -d' ' -f1-3 /proc/loadavg >"$work/schedules.load"
}
[ "${1:-}" = report ] || measure "$@"
measured keep "${files[@]}" "load of the machine when it was over, 1, 5 and 15 minutes=$(cat "$work/schedules.load")"
measured pages
