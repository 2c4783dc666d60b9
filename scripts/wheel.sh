#!/usr/bin/env bash
# wheel.sh - a Python wheel of what is in dist/, into target/wheel/: the command with all that belongs to it, and the module in
# packaging/wheel/ompchunk. Never builds: run make first. The same dist/ at the same commit gives the same bytes, with the same zlib.
set -e # what follows removes directories of the tree that this line finds
. "$(dirname "$0")/common.sh"
cd "$root"

into=$root/target/wheel
# The size in MB that a package index takes without asking, with much room.
largest=25
for program in python3 readelf cargo; do
  command -v "$program" >/dev/null || die "no $program, to make a wheel with." "next: apt-get install python3 binutils; cargo: https://rustup.rs"
done
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PREFIX=/wheel DESTDIR=$work scripts/install.sh install >"$work/log"
# A wheel has no links.
rm "$work"/wheel/bin/ompchunk-*
# A module would put all of the environment's commands into PATH, not ours alone.
rm -r "$work/wheel/share/modulefiles"

built=()
for plugin in dist/lib/llvm-*/libompchunk.so; do
  plugin=${plugin#dist/lib/llvm-}
  built+=("${plugin%%/*}")
done
mkdir "$work/licences"
cp LICENSE "$work/licences"
python3 scripts/crates-copyright.py "${built[@]}" |
  sed 's|On Debian systems, the text of the Apache License, version 2.0, stands in /usr/share/common-licenses/Apache-2.0|The text of the Apache License, version 2.0, stands in LICENSE beside this file|' \
    >"$work/licences/COPYRIGHT"
if grep -q "Debian systems" "$work/licences/COPYRIGHT"; then
  die "packaging/debian/copyright.in refers to a Debian system in words that are not known here." "next: replace them in scripts/wheel.sh"
fi

# An unpacked archive is no clone; there is no commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c log.showSignature=false log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
mkdir "$work/new"
python3 -B packaging/wheel/pack.py "$(version)" "$work/wheel" "$work/licences" "$work/new"
file=$(cd "$work/new" && ls ./*.whl)
size=$(stat -c %s "$work/new/$file")
[ "$size" -le $((largest * 1000000)) ] || die "the wheel has $size bytes, more than $largest MB." "next: see what is large: unzip -v"

# As a whole: a wheel of an earlier version would be taken for this one's.
rm -rf "$into" "$into.new"
mkdir -p "$into.new"
cp "$work/new/$file" "$into.new"
mv "$into.new" "$into"
say "  target/wheel/${file#./}  $((size / 100000 / 10)).$((size / 100000 % 10)) MB, plugins for LLVM ${built[*]}"
