#!/usr/bin/env bash
# test-distro.sh [SUITE] - what users of another Debian meet: a new root of that suite (trixie, if none is named), a user who is not
# root, a clone of this tree's last commit below a path with a blank. There, make demo, which installs what it needs, and then the tests
# that depend on compilers, runtime and C library, for each LLVM that the suite has.
#
# MIRROR: the archive; without it, the one that this machine's apt has for its own suite. RUST=host: this machine's Rust in
# any case; else the suite's rustup gets one, and this machine's is taken where that does not work. TESTS: files of tests instead of the usual ones. LLVMS="18 17":
# other LLVMs than the usual ones, for the tests. KEEP=1: the root stays, below target/distro/.
set -e # what follows removes a directory that this line finds
. "$(dirname "$0")/common.sh"
cd "$root"

suite=${1:-trixie}
[[ $suite =~ ^[a-z][a-z0-9-]*$ ]] || die "'$suite' is no name of a Debian suite." "next: make test-distro DISTRO=trixie"
tests=${TESTS:-ir coverage run}
if [ -n "${LLVMS:-}" ]; then majors=$LLVMS tests=${TESTS:-run schedules promises tasks}; fi
system=$root/target/distro/$suite
log=$root/target/distro/$suite.log

# How a root is made, and entered, with the rights that there are.
if [ "$(id -u)" = 0 ]; then
  mode=root enter=(unshare --mount --pid --fork --kill-child)
elif unshare --user --map-auto --map-root-user true 2>/dev/null; then
  mode=unshare enter=(unshare --user --map-auto --map-root-user --mount --pid --fork --kill-child)
else
  die "a root of another system needs root's rights, or user namespaces with ranges in /etc/subuid and /etc/subgid." \
    "next: sudo make test-distro, or apt-get install uidmap and usermod --add-subuids"
fi
command -v mmdebstrap >/dev/null ||
  die "no mmdebstrap, which makes the root of another system." "next: apt-get install mmdebstrap"

# The archive of this machine's own suite, as apt has it.
archive() {
  local codename
  codename=$(. /etc/os-release && say "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016 # apt's to expand
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' "Created-By: Packages" |
    awk -v suite="$codename" '$2 == suite && !found { print $1; found = 1 }'
}
mirror=${MIRROR:-$(archive)}
[ -n "$mirror" ] || die "apt's sources have no archive of this machine's own suite." "next: MIRROR=URL make test-distro"

# inside COMMAND... - as root of the new system, in it.
# shellcheck disable=SC2016 # it is that shell's to expand
inside() {
  "${enter[@]}" bash -c 'set -e; system=$1; shift
    mount -t proc proc "$system/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm" # libomp writes there
    if [ -n "$HOST_RUST" ]; then mount --bind "$HOST_RUST" "$system/opt/rust"; fi
    exec chroot "$system" "$@"' inside "$system" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# as_user COMMAND - a shell's, as the user, in the clone.
as_user() {
  inside setpriv --reuid=user --regid=user --init-groups env HOME=/srv/user CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 \
    ${offline:+CARGO_NET_OFFLINE=true} PATH=/opt/rust/bin:/srv/user/.cargo/bin:/usr/local/bin:/usr/bin:/bin bash -c "cd '/srv/user/work tree/ompchunk' && $1"
}

# With nothing mounted: mounts end with the namespace that they are in.
gone() { "${enter[@]}" rm -rf --one-file-system "$system"; }

HOST_RUST=""
export HOST_RUST

install_rust() {
  if [ "${RUST:-}" != host ] && inside apt-get install -y --no-install-recommends rustup >>"$log" 2>&1 &&
    as_user "rustup toolchain install stable --profile minimal" >>"$log" 2>&1; then
    rust="the suite's rustup"
  else
    HOST_RUST=$(rustc --print sysroot)
    mkdir -p "$system/opt/rust"
    rust="this machine's, in the suite there is no rustup, or it reaches nothing"
  fi
}

# Crates, from where they come for everybody; else those that this machine has.
fetch_crates() {
  if as_user "cargo fetch --quiet --locked" >>"$log" 2>&1; then return 0; fi
  say "crates cannot be fetched in there: this machine's are copied"
  cargo fetch --quiet --locked
  tar -C "${CARGO_HOME:-$HOME/.cargo}" -cf - registry/index registry/cache |
    inside setpriv --reuid=user --regid=user --init-groups sh -c 'mkdir -p /srv/user/.cargo && tar -C /srv/user/.cargo --no-same-owner -xf -'
  offline=yes
}

make_root() {
  local clone="$system/srv/user/work tree"
  mkdir -p "${system%/*}"
  gone
  say "making a root of $suite"
  mmdebstrap --mode="$mode" --variant=apt --include=ca-certificates,git,make,passwd,sudo "$suite" "$system" "$mirror" >"$log" 2>&1 ||
    die "mmdebstrap failed   (all that it said: $log): $(grep -m 1 '^E:' "$log")" "next: is there $suite in $mirror?"
  inside useradd --create-home --home-dir /srv/user --shell /bin/bash user
  # As a user who may install packages has it: make setup asks for sudo.
  inside sh -c 'mkdir -p "/srv/user/work tree" /opt/rust && echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user'
  git bundle create --quiet "$root/target/distro/head.bundle" HEAD
  "${enter[@]}" cp "$root/target/distro/head.bundle" "$clone/head.bundle"
  inside sh -c 'chown -R user:user "/srv/user/work tree" && apt-get update' >>"$log" 2>&1
  inside setpriv --reuid=user --regid=user --init-groups env HOME=/srv/user git clone --quiet "/srv/user/work tree/head.bundle" \
    "/srv/user/work tree/ompchunk" >>"$log" 2>&1
  inside rm "/srv/user/work tree/head.bundle"
  rm -f "$root/target/distro/head.bundle"
}

# All LLVMs of `majors` that the suite has, for the tests.
install_compilers() {
  local major packages=()
  for major in $majors; do
    if inside apt-cache show "llvm-$major-dev" "clang-$major" >/dev/null 2>&1; then
      packages+=("llvm-$major-dev" "clang-$major" "libclang-rt-$major-dev" "lld-$major")
      found+=("$major")
    fi
  done
  say "LLVMs of $suite: ${found[*]:-none of $majors}"
  inside apt-get install -y --no-install-recommends --no-remove "${packages[@]}" >>"$log" 2>&1 ||
    die "could not install ${packages[*]}   (all that was said: $log)"
}

# What it was that passed or failed.
versions() {
  local major
  say "$suite: $(inside cat /etc/debian_version), $(inside sh -c 'ldd --version | head -n 1')"
  say "Rust: $(as_user 'rustc --version'), from $rust"
  for major in "${found[@]}"; do say "$(inside "clang-$major" --version | head -n 1)"; done
  # shellcheck disable=SC2016 # dpkg's to expand
  say "$(inside sh -c 'dpkg-query --show --showformat "${Package} ${Version}\n" "libomp*" 2>/dev/null | grep " ." | head -n 3')"
}

[ -n "${KEEP:-}" ] || trap gone EXIT
offline="" found=() failed=()
make_root
install_rust
fetch_crates
say "make demo, as a user, in a clone"
as_user "make demo" || failed+=("make demo")
install_compilers
versions
as_user "OMPCHUNK_LLVMS='${LLVMS:-}' make" || failed+=("make")
for file in $tests; do
  say "== $file"
  as_user "OMPCHUNK_LLVMS='${LLVMS:-}' OMPCHUNK_DIST=\$PWD/dist cargo test --quiet -p ompchunk-testsuite --test $file" || failed+=("$file")
done
versions
say "the root had $(du -sh "$system" | cut -f 1)"
[ ${#failed[@]} -eq 0 ] || die "on $suite, ${failed[*]} failed."
say "on $suite, make demo and the tests $tests passed"
