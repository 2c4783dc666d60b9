#!/bin/sh
# What --sample-stacks costs a loop: recorded with and without, in turn. Prints both CPU times of each pair, in seconds, and the median
# of their ratios. Usage: scripts/stacks-cost.sh [PAIRS]
set -eu
cd "$(dirname "$0")/.."
ompchunk=$PWD/dist/bin/ompchunk
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$ompchunk" cc -O2 -g -fopenmp recorder/examples/stacks_cost.c -o "$directory/app"
run() {
    OMP_WAIT_POLICY=passive "$ompchunk" record --force -o "$directory/trace" "$@" "$directory/app" 2>"$directory/said"
}
pair=0
while [ "$pair" -lt "${1:-12}" ]; do
    pair=$((pair + 1))
    without=$(run)
    with=$(run --sample-stacks=1000)
    echo "$without $with $(grep -o 'stacks: [0-9]* samples' "$directory/said")"
done | tee "$directory/pairs"
awk '{ print $2 / $1 }' "$directory/pairs" | sort -n |
    awk '{ all[NR] = $1 } END { print "median of the ratios: " all[int((NR + 1) / 2)] }'
