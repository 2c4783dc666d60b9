#!/usr/bin/env bash
# engines.sh [--write] - what engines make of ompchunk's tables: DuckDB, Polars and Dask (on two processes) read what `ompchunk export
# --parquet` wrote of 64 ranks, and have the sums of `ompchunk report`; docs/scale.md's questions are answered alike, and as it shows.
# --write puts the answers there. The engines come from PyPI, into target/engines/ (OMPCHUNK_ENGINES: a directory that has them).
. "$(dirname "$0")/common.sh"
cd "$root"

packages=(duckdb==2.0.0 polars==2.1.0 'dask[dataframe,distributed]==2026.8.0')
into=${OMPCHUNK_ENGINES:-$root/target/engines}
if [ ! -e "$into/duckdb" ]; then
  [ -z "${OMPCHUNK_ENGINES:-}" ] || die "OMPCHUNK_ENGINES=$OMPCHUNK_ENGINES holds no duckdb"
  python3 -m pip --version >/dev/null 2>&1 || die "no pip to fetch the engines with." "next: apt-get install python3-pip"
  # Renamed last: an interrupted copy is not taken for the whole.
  rm -rf "$into.new"
  # It also complains of what else is installed, which these never meet.
  said=$(python3 -m pip install --root-user-action ignore --only-binary=:all: --target "$into.new" "${packages[@]}" 2>&1) ||
    die "could not fetch the engines: $(tail -n 3 <<<"$said")" "next: OMPCHUNK_ENGINES=/directory/with/them"
  mv -T "$into.new" "$into"
fi

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for ranks in 64 32; do
  cargo run --quiet -p ompchunk-export --example ranks -- "$directory/app-$ranks.ompchunk" "$ranks"
done
PYTHONPATH=$into python3 export/tests/engines/engines.py "$root/dist/bin/ompchunk" "$directory" docs/scale.md "$@"
