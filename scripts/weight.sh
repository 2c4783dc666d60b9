#!/usr/bin/env bash
# weight.sh - lines and files of what git knows: the product, its tests, what tests read, and the rest.
. "$(dirname "$0")/common.sh"
cd "$root"

# A file of the product ends, for this, where its unit tests begin.
# shellcheck disable=SC2016 # awk's own
git ls-files -z | xargs -0 -s 1500000 awk '
  function room(name) {
    if (name ~ /^(testsuite|testkit)\/.*\.rs$/ || name ~ /\/tests\/.*\.rs$/ || name ~ /^scripts\/tests\//) return "tests"
    if (name ~ /^testsuite\// || name ~ /^bench\/c\// || name ~ /\/(tests|testdata|snapshots)\//) return "fixtures"
    if (name ~ /\.(rs|cpp|h|js|css|py|sh|awk)$/ && name !~ /^(docs|examples)\//) return "product"
    return "documents and the rest"
  }
  FNR == 1 { where = room(FILENAME); files[where]++; above = "" }
  where == "product" && above == "#[cfg(test)]" && /^mod / { where = "tests"; lines["product"]--; lines["tests"]++ }
  { lines[where]++; rust += where == "product" && FILENAME ~ /\.rs$/; above = $0 }
  END {
    for (where in lines) printf "%-24s %8d lines %6d files\n", where, lines[where], files[where]
    printf "%-24s %8d lines\n", "product, Rust", rust
  }' | sort
