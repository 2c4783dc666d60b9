#!/usr/bin/env bash
# fetch-python.sh engines | auditwheel - Python packages for the tests, from PyPI, into target/engines/ or target/auditwheel/. Prints
# the directory. OMPCHUNK_ENGINES and OMPCHUNK_AUDITWHEEL name directories that have them already.
. "$(dirname "$0")/common.sh"

case ${1:-} in
# Dask brings pyarrow and pandas.
engines) packages=(duckdb==2.0.0 polars==2.1.0 'dask[dataframe,distributed]==2026.8.0') module=duckdb ;;
auditwheel) packages=(auditwheel==6.8.2) module=auditwheel ;;
*) die "usage: scripts/fetch-python.sh engines | auditwheel" ;;
esac
variable=OMPCHUNK_${1^^}
already "$variable" "$1" "$module"
python3 -m pip --version >/dev/null 2>&1 || die "no pip to fetch ${packages[*]} with." "next: apt-get install python3-pip"
# Renamed last: an interrupted copy is not taken for the whole.
rm -rf "$into.new"
# It also complains of what else is installed, which these never meet.
said=$(python3 -m pip install --root-user-action ignore --only-binary=:all: --target "$into.new" "${packages[@]}" 2>&1) ||
  die "could not fetch ${packages[*]}: $(tail -n 3 <<<"$said")" "next: $variable=/directory/with/them"
mv -T "$into.new" "$into"
say "$into"
