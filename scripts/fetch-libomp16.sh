#!/usr/bin/env bash
# fetch-libomp16.sh - LLVM 16's OpenMP runtime for the tests, into target/libomp16/. Prints the
# directory.
#
# It is the oldest that Debian 12 has, and its package excludes that of LLVM 19's, which programs are
# linked with; so the package is unpacked, not installed. OMPCHUNK_LIBOMP16 names a directory that has
# it already.
. "$(dirname "$0")/common.sh"

package=libomp5-16
already OMPCHUNK_LIBOMP16 libomp16 libomp.so.5

command -v apt-get >/dev/null || die "no apt-get to fetch the package $package with." \
  "next: OMPCHUNK_LIBOMP16=/directory/with/libomp.so.5 of LLVM 16"

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
# apt-get download drops its rights to those of a user who must be able to write there.
chmod 755 "$temporary"
(cd "$temporary" && apt-get -o APT::Sandbox::User=root download --quiet "$package" >&2) ||
  die "could not download the package $package." \
    "next: apt-get update, or OMPCHUNK_LIBOMP16=/directory/with/libomp.so.5 of LLVM 16"
dpkg -x "$temporary"/*.deb "$temporary/package"
mkdir -p "$into"
# Renamed last: an interrupted copy is not taken for the library.
cp -L "$temporary"/package/usr/lib/llvm-16/lib/libomp.so.5 "$into/libomp.so.5.new"
mv "$into/libomp.so.5.new" "$into/libomp.so.5"
say "$into"
