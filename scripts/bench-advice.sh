#!/usr/bin/env bash
# bench-advice.sh [options of advice measure] - whether what ompchunk advise says is true: each candidate of each program of
# bench/corpus is predicted and measured, on the system's runtime and on a release build. Results into target/bench/; unless only
# some were measured, or --quick without a load, data into docs/data/ and the page that sums them up.
# bench-advice.sh --blocks - the same of blocks of equal cost (balanced) alone.
# bench-advice.sh report - data and page alone, from the results of the last runs.
. "$(dirname "$0")/common.sh"
cd "$root"

work=target/bench
advice() { cargo run --quiet --release -p ompchunk-bench --bin advice -- "$@"; }
quick='' loaded='' blocks='' is_whole=yes
for word; do
  case $word in
  --quick) quick=-quick ;;
  --blocks) blocks=-blocks is_whole='' ;;
  --only | --only=* | --candidates | --candidates=* | --only-runtime) is_whole='' ;;
  --loaded | --loaded=*) loaded=-loaded ;;
  esac
done
results=$work/advice$blocks$loaded$quick.json
[ -z "$quick" ] || [ -n "$loaded" ] || is_whole=''
mkdir -p "$work"
if [ "${1:-}" = report ]; then
  files=()
  # Of two beside a load, the whole one.
  for results in "$work/advice.json" "$work/advice-loaded-quick.json" "$work/advice-loaded.json"; do
    [ ! -e "$results" ] || files+=("$results")
  done
  [ ${#files[@]} -gt 0 ] || die "nothing was measured yet." "next: make bench-advice"
  advice keep "${files[@]}"
  exit
fi
# Nothing else shall attach.
unset LD_PRELOAD OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_SCHEDULE
runtime=$(scripts/fetch-iomp5.sh)/libiomp5.so
advice measure --ompchunk "$dist/bin/ompchunk" --runtime "$runtime" --output "$results" "$@"
advice figures "$results" >"${results%.json}.md"
say "figures: ${results%.json}.md"
[ -z "$is_whole" ] || advice keep "$results"
