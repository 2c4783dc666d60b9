#!/usr/bin/env bash
# dist.sh - a source archive of the last commit with all crates, into target/archive/, and its checksum. It builds without a network.
# The same commit gives the same bytes, wherever and whenever, with the same versions of cargo, GNU tar and xz.
set -e # what follows removes directories of the tree that this line finds
. "$(dirname "$0")/common.sh"
cd "$root"

into=$root/target/archive
for program in git cargo tar xz sha256sum; do
  command -v "$program" >/dev/null || die "no $program, to make a source archive with." "next: apt-get install git tar xz-utils; cargo: https://rustup.rs"
done
# In an unpacked archive below another project's clone, that project would be archived.
[ "$(git rev-parse --show-toplevel 2>/dev/null | xargs -d '\n' realpath 2>/dev/null)" = "$(realpath "$root")" ] ||
  die "$root is no clone of the repository, and an archive is made of a commit." "next: git clone, and make dist there"
commit=$(git rev-parse --quiet --verify 'HEAD^{commit}') || die "nothing is committed, and an archive is made of a commit." "next: git commit"
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  say "ompchunk: what is not committed is not in the archive"
fi

# What of the environment would change bytes.
unset TAR_OPTIONS XZ_OPT XZ_DEFAULTS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export LC_ALL=C TZ=UTC
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From a clone without this one's settings, attributes and filters; and without the user's.
git clone --quiet --bare --shared --template= "$root" "$work/clone"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1 XDG_CONFIG_HOME=$work
clone() { git -C "$work/clone" "$@"; }
number=$(clone show "$commit:Cargo.toml" | sed -n 's/^version = "\(.*\)"/\1/p' | head -n 1)
name=ompchunk-$number
epoch=$(clone show --no-patch --format=%ct "$commit")
clone archive --format=tar --prefix="$name/" "$commit" >"$work/files.tar"
tar -xf "$work/files.tar" -C "$work"
tree=$work/$name
for taken in vendor .cargo; do
  [ ! -e "$tree/$taken" ] || die "the commit has a $taken, which is where the crates' goes in the archive." "next: another name"
done

# The lock file's crates, for all systems that they know. It downloads those that are not here yet.
if ! (cd "$tree" && cargo vendor --locked --versioned-dirs vendor) >/dev/null 2>"$work/said"; then
  cat "$work/said" >&2
  die "the crates could not be had, see above." "next: cargo fetch --locked, with a network, then again"
fi
mkdir "$tree/.cargo"
# Not what cargo prints: that names the place, and what replaces crates.io here.
cat >"$tree/.cargo/config.toml" <<'END'
# Builds take the crates from vendor/, and no network.
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"

[net]
offline = true
END

mkdir -p "$into"
archive=$into/$name.tar.xz
# Level 2: the rest takes six times as long for a sixth less. One thread, since blocks depend on how many there are.
tar --create --format=posix --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
  --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -C "$work" "$name" |
  xz --threads=1 -2 --check=crc64 >"$archive.new"
# Renamed last: what is cut short is not taken for an archive.
mv "$archive.new" "$archive"
(cd "$into" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
# The easyconfig cannot be in the archive with the archive's checksum.
sum=$(cut -d' ' -f1 "$archive.sha256")
recipe=$tree/packaging/easybuild/ompchunk.eb.in
toolchain=$(sed -n "s/^toolchain = {'name': '\(.*\)', 'version': '\(.*\)'}$/\1-\2/p" "$recipe")
sed "s/@VERSION@/$number/; s/@SHA256@/$sum/; /^# .make dist. fills in/d" "$recipe" >"$into/$name-$toolchain.eb"
say "  ${archive#"$root"/}"
say "  ${archive#"$root"/}.sha256"
say "  target/archive/$name-$toolchain.eb"
cat "$archive.sha256"
tagged=$(clone tag --points-at "$commit" --list "v$number")
[ -n "$tagged" ] || say "ompchunk: this commit has no tag v$number"
