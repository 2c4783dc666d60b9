#!/usr/bin/env bash
# bench-schedules.sh [options of ompchunk bench] - schedules at run time against clauses in the source, on a release build of the
# runtime and on the system's own: JSON into target/bench/, and docs/schedules-measured.md. bench-schedules.sh report - the document
# alone, from the JSON of the last run.
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
{
  cat <<'END'
# Schedules at run time against clauses in the source

Written by `make bench-schedules`; [benchmarking.md](benchmarking.md) has the method. `changed` runs under
`OMPCHUNK_SCHEDULE`, with no clause in the source. A ratio is that to plain clang with the clause in the source, with its 95 % interval;
`clause-again` is that once more and shows how far two equal things differ here (A/A).

END
  "$ompchunk" bench report --format markdown "${files[@]}"
  printf '\nLoad of the machine when it was over, 1, 5 and 15 minutes: %s.\n' "$(cat "$work/schedules.load")"
} >"$work/schedules.md"
put "$work/schedules.md" docs/schedules-measured.md
