#!/usr/bin/env bash
# engines.sh [--write] - what engines make of ompchunk's tables: DuckDB, Polars and Dask (on two processes) read what `ompchunk export
# --to parquet` wrote of 64 ranks, and have the sums of `ompchunk report`; docs/scale.md's questions are answered alike, and as it shows.
# --write puts the answers there. The engines come from PyPI, into target/engines/ (fetch-python.sh).
. "$(dirname "$0")/common.sh"
cd "$root"

into=$(scripts/fetch-python.sh engines)
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for ranks in 64 32; do
  cargo run --quiet -p ompchunk-export --example ranks -- "$directory/app-$ranks.ompchunk" "$ranks"
done
PYTHONPATH=$into python3 export/tests/engines/engines.py "$root/dist/bin/ompchunk" "$directory" docs/scale.md "$@"
