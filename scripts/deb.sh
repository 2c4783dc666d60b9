#!/usr/bin/env bash
# deb.sh - Debian packages of what is in dist/, into target/deb/: one per plugin, one for what running programs need, one for
# development, one for the command. Never builds: run make first. packaging/debian/README.md says why there are these.
set -e # what follows removes directories of the tree that this line finds
. "$(dirname "$0")/common.sh"
cd "$root"

into=$root/target/deb
for program in dpkg-buildpackage dh python3; do
  command -v "$program" >/dev/null ||
    die "no $program, to make Debian packages with." "next: apt-get install dpkg-dev debhelper python3, or make install"
done

number=$(version)
packaged=$(sed -n '1s/.*(\(.*\)).*/\1/p' packaging/debian/changelog)
[ "${packaged%-*}" = "$number" ] ||
  die "packaging/debian/changelog is about $packaged, Cargo.toml about $number." "next: an entry for $number at its beginning"

# llvm_package MAJOR - the package with the libLLVM that the plugin's symbols are in when a compiler has loaded it.
llvm_package() {
  local major=$1 config library
  for config in "llvm-config-$major" "/usr/lib/llvm-$major/bin/llvm-config"; do
    if config=$(command -v "$config") && library=$("$config" --link-shared --libfiles 2>/dev/null); then
      dpkg-query --search "$(realpath "${library%% *}")" 2>/dev/null | sed 's/:.*//; q'
      return
    fi
  done
}

built=()
for plugin in dist/lib/llvm-*/libompchunk.so; do
  if [ -e "$plugin" ]; then
    plugin=${plugin#dist/lib/llvm-}
    built+=("${plugin%%/*}")
  fi
done
[ ${#built[@]} -gt 0 ] || die "not everything is built yet: there is no plugin in dist/." "next: make"
mapfile -t built < <(printf '%s\n' "${built[@]}" | sort -rn)

# A tree of its own, outside of this one: debhelper leaves much behind, and other programs that it calls expect paths without blanks.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian=$work/ompchunk-$number/debian
mkdir -p "$debian/source"
# Who may read what does not depend on who builds.
umask 022
chmod 755 "$work"/*
cp -R packaging/debian/. "$debian"
rm "$debian"/*.in "$debian/README.md"
chmod -R u=rwX,go=rX "$debian"
cp CHANGELOG.md "$debian/upstream-changelog"
echo '3.0 (quilt)' >"$debian/source/format"
python3 scripts/crates-copyright.py "${built[@]}" >"$debian/copyright"

recommended=$(printf 'ompchunk-plugin-%s | ' "${built[@]}")ompchunk-plugin
sed "s/@NEWEST@/${built[0]}/; s/@PLUGINS@/$recommended/" packaging/debian/control.in >"$debian/control"
for major in "${built[@]}"; do
  llvm=$(llvm_package "$major")
  [ -n "$llvm" ] ||
    die "no Debian package has the libLLVM of LLVM $major, on which the plugin's package would depend." \
      "next: apt-get install llvm-$major-dev, or without this plugin: rm -r dist/lib/llvm-$major"
  sed "s/@MAJOR@/$major/g; s/@LLVM@/$llvm/" packaging/debian/plugin.in >>"$debian/control"
  echo "usr/lib/ompchunk/llvm-$major" >"$debian/ompchunk-plugin-$major.install"
done

# Options of make are about this tree. What debhelper says is read if it fails.
unset MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR DEB_BUILD_OPTIONS DEB_BUILD_PROFILES DEB_HOST_ARCH DH_OPTIONS
export OMPCHUNK_ROOT=$root LC_ALL=C.UTF-8 TZ=UTC
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$debian/changelog" -S Timestamp)
export SOURCE_DATE_EPOCH
if ! (cd "${debian%/debian}" && dpkg-buildpackage --build=binary --no-sign --root-command= >"$work/log" 2>&1); then
  kept=$root/target/deb.log
  cp "$work/log" "$kept"
  tail -n 20 "$work/log" >&2
  die "the Debian packages could not be made, see above (all of it: $kept)."
fi

# As a whole: packages of an earlier version would be taken for this one's.
rm -rf "$into" "$into.new"
mkdir -p "$into.new"
cp "$work"/*.deb "$into.new"
mv "$into.new" "$into"
for package in "$into"/*.deb; do say "  ${package#"$root"/}"; done
