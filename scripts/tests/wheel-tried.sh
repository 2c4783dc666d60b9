#!/usr/bin/env bash
# wheel-tried.sh DIRECTORY - the `ompchunk` of PATH, as pip installed it, counts a loop's chunks with each clang here that it has a
# plugin for, and records and reports with the last of them. Works in DIRECTORY, and takes nothing of a source tree. Prints the clangs.
set -euo pipefail
cd "$1"

fail() {
  printf 'ompchunk: %s\n' "$*" >&2
  exit 1
}

cat >app.c <<'END_OF_PROGRAM'
int main(void) {
#pragma omp parallel for schedule(static, 3)
  for (int i = 0; i < 10; i++)
    __asm__ volatile("");
}
END_OF_PROGRAM
prefix=$(dirname "$(dirname "$(command -v ompchunk)")")
tried=()
for plugin in "$prefix"/lib/ompchunk/llvm-*; do
  clang=clang-${plugin##*-}
  command -v "$clang" >/dev/null || continue
  OMPCHUNK_CC=$clang ompchunk cc -O2 -g -fopenmp app.c -o counted
  chunks=$(ompchunk run --tool chunk-print ./counted 2>&1 | grep -c ' chunk ' || true)
  [ "$chunks" = 4 ] || fail "$clang: $chunks chunks instead of 4"
  tried+=("$clang")
done
[ ${#tried[@]} -gt 0 ] || fail "no clang here that the wheel has a plugin for: $(ls "$prefix/lib/ompchunk")"
ompchunk record -o counted.ompchunk ./counted >said 2>&1 || fail "record: $(cat said)"
ompchunk report counted.ompchunk >said 2>&1 || fail "report: $(cat said)"
grep -F "app.c:2" said >/dev/null || fail "the report does not name the loop: $(cat said)"
rm -r counted.ompchunk
printf '%s\n' "${tried[*]}"
