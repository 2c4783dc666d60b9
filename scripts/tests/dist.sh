#!/usr/bin/env bash
# Makes the source archive from two clones that differ in all that is no content, compares the bytes, and builds what is in it
# without a network and without crates of the user's. dist.sh whole - builds all of it so, plugins among it, and counts the chunks of
# a program; minutes. Prints nothing but what went wrong, or that it cannot be tried.
. "$(dirname "$0")/../common.sh"
cd "$root"

work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_AUTHOR_DATE GIT_COMMITTER_DATE RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET
export CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} PYTHONDONTWRITEBYTECODE=1

# What git knows or would know, as it is now, committed in a repository of its own.
mkdir "$work/tree"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
done | tar --null --no-recursion -T - -cf - | tar -xf - -C "$work/tree"
git -C "$work/tree" init --quiet --initial-branch=main
git -C "$work/tree" add --all
git -C "$work/tree" -c user.name=nobody -c user.email=nobody@example.org -c commit.gpgsign=false \
  commit --quiet --no-verify --date=2026-01-02T03:04:05Z --message="what the test makes an archive of"

git clone --quiet "$work/tree" "$work/one"
"$work/one/scripts/dist.sh" >"$work/said" 2>&1 || die "make dist: $(cat "$work/said")"
name=ompchunk-$(version) archive=$work/one/target/archive/ompchunk-$(version).tar.xz
grep -qF "target/archive/$name.tar.xz" "$work/said" || die "make dist says: $(cat "$work/said")"
grep -qF "no tag v$(version)" "$work/said" || die "make dist tells of no missing tag: $(cat "$work/said")"
(cd "${archive%/*}" && sha256sum --quiet -c "$name.tar.xz.sha256") || die "a wrong checksum"

# The other clone: another name, another user's settings, another place and time, a tag, and what nobody committed.
other="$work/an öther clone"
(
  umask 077
  git clone --quiet "$work/tree" "$other"
  git -C "$other" tag "v$(version)"
  git -C "$other" config core.autocrlf true
  git -C "$other" config tar.umask 0777
  mkdir -p "$work/user/git" "$work/te mp" "$other/vendor" "$other/.cargo" "$other/.git/info"
  printf '* export-ignore\n' >"$work/user/git/attributes"
  printf '*.md export-ignore\n*.rs text eol=crlf\n' >"$other/.git/info/attributes"
  printf '[log]\nshowSignature = true\n[core]\neol = crlf\n' >"$work/user/gitconfig"
  echo "not committed" >>"$other/README.md"
  echo "not committed" >"$other/vendor/file"
  printf '[build]\ntarget-dir = "elsewhere"\n' >"$other/.cargo/config.toml"
  export TAR_OPTIONS=--mtime=@0 XZ_OPT=-9 TZ=Asia/Kolkata LC_ALL=C.UTF-8 TMPDIR="$work/te mp" SOURCE_DATE_EPOCH=1
  export XDG_CONFIG_HOME=$work/user GIT_CONFIG_GLOBAL=$work/user/gitconfig GIT_DIR=$work/tree/.git
  cd /
  "$other/scripts/dist.sh" >"$work/said" 2>&1 || die "make dist in another clone: $(cat "$work/said")"
)
cmp "$archive" "$other/target/archive/$name.tar.xz" || die "the archives of two clones differ"
if grep -q "no tag" "$work/said"; then die "make dist misses a tag that is there"; fi
grep -q "^ompchunk: what is not committed is not in the archive" "$work/said" || die "make dist is silent about changes: $(cat "$work/said")"
[ -z "$(ls -A "$work/te mp")" ] || die "make dist leaves its temporary directory behind"

# What is in it: every committed file as it is, the crates and where they are; nobody's name, and one time.
at=$work/unp\ acked
mkdir "$at"
tar -xf "$archive" -C "$at"
tree=$at/$name
tar --utc --full-time -tvf "$archive" >"$work/listed"
when=$(TZ=UTC git -C "$work/tree" show --no-patch --date=format-local:'%Y-%m-%d %H:%M:%S' --format=%cd)
if grep -vE "^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx|lrwxr-xr-x) 0/0 +[0-9]+ $when $name/" "$work/listed"; then
  die "other rights, owners, times or places than the archive shall have"
fi
diff -r --exclude=.git --exclude=target "$work/one" "$tree" >"$work/said" || true
[ "$(cat "$work/said")" = "$(printf 'Only in %s: .cargo\nOnly in %s: vendor' "$tree" "$tree")" ] ||
  die "the archive is another tree than the commit: $(cat "$work/said")"
if grep -rlF "$work" "$tree"; then die "the archive tells where it was made"; fi

# The easyconfig beside it is about it, and what it checks holds in an installed tree.
cmp "${archive%/*}"/*.eb "$other/target/archive"/*.eb || die "the easyconfigs of two clones differ"
PREFIX=$work/installed scripts/install.sh install >/dev/null
python3 scripts/tests/easyconfig.py "${archive%/*}"/*.eb "$work/installed" "$archive" >"$work/sanity" || die "the easyconfig: see above"
[ "$(wc -l <"$work/sanity")" -ge 5 ] || die "the easyconfig checks nothing"
llvm=$(sed -n "s/.*('LLVM', '\([0-9]*\)\..*/\1/p" "${archive%/*}"/*.eb)
if [ -x "/usr/lib/llvm-$llvm/bin/clang" ]; then
  env TMPDIR="$work" PATH="$work/installed/bin:/usr/lib/llvm-$llvm/bin:$PATH" bash "$work/sanity" >"$work/said" 2>&1 ||
    die "the easyconfig's sanity check: $(cat "$work/said")"
else
  say "skipped: the easyconfig's sanity check: no clang $llvm (make setup)"
  [ -z "${CI:-}" ]
fi

# Errors: one clear one, and the archive that was there stays.
refused() {
  local what=$1 says=$2
  shift 2
  if "$@" >"$work/said" 2>&1; then die "$what is no error"; fi
  grep -qF "ompchunk: next: $says" "$work/said" || die "$what says: $(cat "$work/said")"
  cmp "$archive" "$other/target/archive/$name.tar.xz" || die "$what changes the archive"
}
refused "an unpacked archive" "git clone, and make dist there" "$tree/scripts/dist.sh"
mkdir -p "$other/below"
cp -R "$tree/scripts" "$tree/Cargo.toml" "$other/below"
refused "an unpacked archive in a clone of something else" "git clone, and make dist there" "$other/below/scripts/dist.sh"
git init --quiet "$work/empty"
cp -R scripts Cargo.toml "$work/empty"
refused "a repository without a commit" "git commit" "$work/empty/scripts/dist.sh"
refused "crates that cannot be had" "cargo fetch --locked, with a network" \
  env CARGO_HOME="$work/no crates" CARGO_NET_OFFLINE=true "$work/one/scripts/dist.sh"
ls -d "$other/target/archive"/*.new "$work/one/target/archive"/*.new 2>/dev/null && die "half an archive is left behind"

# Without a network, if that can be had, and with no crates but those of the archive.
alone=(unshare --net)
[ "$(id -u)" = 0 ] || alone=(unshare --user --map-current-user --net)
if ! why=$("${alone[@]}" true 2>&1); then
  [ -z "${CI:-}" ] || die "no network namespace: $why" "next: allow user namespaces, or run as root"
  say "skipped: taking the network away ($why); cargo is told to use none"
  alone=()
fi
alone+=(env CARGO_HOME="$work/no crates" CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0)
# Where rustup finds the toolchain does not change with cargo's home.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
built=$root/target/dist-test
rm -rf "$built"
cd "$tree"

if [ "${1:-}" = whole ]; then
  "${alone[@]}" make || die "make fails in the archive"
  PREFIX=$work/installed scripts/install.sh install >/dev/null
  cat >"$work/app.c" <<'END'
int main(void) {
#pragma omp parallel for schedule(static, 3) num_threads(2)
  for (int i = 0; i < 10; i++)
    __asm__ volatile("");
}
END
  cd "$work"
  [ "$("$work/installed/bin/ompchunk" --version)" = "ompchunk $(version)" ] || die "the command of the archive is another version"
  "$work/installed/bin/ompchunk" cc -O2 -fopenmp app.c -o app
  "$work/installed/bin/ompchunk" run --tool chunk-print ./app >events 2>&1
  [ "$(grep -c ' chunk ' events)" = 4 ] || die "not 4 chunks: $(cat events)"
  exit
fi

# All majors' crates are there, and one that is missing would be noticed.
for major in $(seq "$oldest" "$newest"); do
  "${alone[@]}" cargo tree --offline --frozen -p ompchunk-pass --features "llvm$major" >/dev/null 2>"$work/said" ||
    die "crates of the plugin for LLVM $major are missing: $(cat "$work/said")"
done
mv vendor/libc-0* "$work"
if "${alone[@]}" cargo tree --offline --frozen >"$work/said" 2>&1; then die "crates come from elsewhere than the archive"; fi
mv "$work"/libc-0* vendor
# All crates are there, as said above; that all of them compile takes minutes, and is known from elsewhere.
"${alone[@]}" cargo build --quiet --offline --frozen --target-dir "$built" -p ompchunk-rt -p ompchunk-recorder -p ompchunk-stock ||
  die "the archive does not build without a network"
for library in libompchunk_rt.so libompchunk_rt.a libompchunk_trace.so libompchunk_stock.so; do
  [ -e "$built/debug/$library" ] || die "the archive builds no $library"
done
rm -rf "$built"
