#!/usr/bin/env bash
# test-distro.sh [SUITE] - what users of another Debian meet: a new root of that suite (trixie, if none is named), a user who is not
# root, a clone of this tree's last commit below a path with a blank. There, make demo, which installs what it needs, and then the tests
# that depend on compilers, runtime and C library, for each LLVM that the suite has.
#
# MIRROR: the archive's URL, or lines as in sources.list(5) with semicolons between them; without it, the archives that this machine's
# apt has for its own suite. RUST=host: this machine's Rust in any case; else the suite's rustup gets one, and this machine's is taken
# where that does not work. TESTS: names of tests instead of the usual ones: files of the test suite, recorder, shim, install, packages,
# wheel, fuzz (N programs). LLVMS="18 17": other LLVMs than the usual ones; what only they have is then tested with each of their OpenMP
# runtimes. PART=1: the demo alone. KEEP=1: the root stays, below target/distro/.
# EXPIRED=1: also from an archive that stands still, whose Release file has expired. Ends with 77 where no such root can be made.
set -e # what follows removes a directory that this line finds
. "$(dirname "$0")/common.sh"
cd "$root"

suite=${1:-trixie}
[[ $suite =~ ^[a-z][a-z0-9-]*$ ]] || die "'$suite' is no name of a Debian suite." "next: make test-elsewhere ON=trixie"
if [ -n "${LLVMS:-}" ]; then majors=$LLVMS; fi
tests=${TESTS:-ir coverage programs promises tasks recorder shim install packages wheel}
# What the last five of them are about has nothing to do with the plugin's LLVM.
[ -z "${LLVMS:-}" ] || tests=${TESTS:-ir coverage programs promises tasks fuzz}
system=$root/target/distro/$suite
log=$root/target/distro/$suite.log

# Not ompchunk's fault.
impossible() {
  printf 'ompchunk: %s\n' "$@" >&2
  exit 77
}

# How a root is made, and entered, with the rights that there are.
if [ "$(id -u)" = 0 ]; then
  mode=root enter=(unshare --mount --pid --fork --kill-child)
elif unshare --user --map-auto --map-root-user true 2>/dev/null; then
  mode=unshare enter=(unshare --user --map-auto --map-root-user --mount --pid --fork --kill-child)
else
  impossible "a root of another system needs root's rights, or user namespaces with ranges in /etc/subuid and /etc/subgid." \
    "next: sudo make test-elsewhere, or apt-get install uidmap and usermod --add-subuids"
fi
command -v mmdebstrap >/dev/null ||
  impossible "no mmdebstrap, which makes the root of another system." "next: apt-get install mmdebstrap"

# The archives of this machine's own suite, as apt has them, of the other suite: with updates and security updates, where a suite has these.
archives() {
  local codename
  codename=$(. /etc/os-release && say "${VERSION_CODENAME:-}")
  # shellcheck disable=SC2016 # apt's to expand
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' "Created-By: Packages" | sort -u |
    awk -v own="$codename" -v suite="$suite" 'index($2, own) == 1 && (suite != "sid" || $2 == own) {
      print "deb", $1, suite substr($2, length(own) + 1), "main" }'
}
case ${MIRROR:-} in
"") mapfile -t sources < <(archives) ;;
"deb "*) IFS=';' read -ra sources <<<"${MIRROR//; /;}" ;;
*) sources=("deb $MIRROR $suite main") ;;
esac
[ ${#sources[@]} -gt 0 ] || die "apt's sources have no archive of this machine's own suite." "next: MIRROR=URL make test-elsewhere"

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
  mmdebstrap --mode="$mode" --variant=apt ${EXPIRED:+--aptopt='Acquire::Check-Valid-Until "false"'} --include=ca-certificates,git,make,passwd,sudo "$suite" "$system" "${sources[@]}" >"$log" 2>&1 ||
    impossible "mmdebstrap failed   (all that it said: $log): $(grep -m 1 '^E:' "$log")" "next: is there $suite in ${sources[0]}?"
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

has_package() { inside apt-cache show "$@" 2>/dev/null | grep "^Package:" >/dev/null; }

# All LLVMs of `majors` that the suite has, for the tests.
install_compilers() {
  local major package packages=()
  for major in $majors; do
    if ! has_package "llvm-$major-dev" || ! has_package "clang-$major"; then continue; fi
    found+=("$major")
    packages+=("llvm-$major-dev" "clang-$major")
    for package in "libclang-rt-$major-dev" "lld-$major" "flang-$major"; do
      if has_package "$package"; then packages+=("$package"); fi
    done
  done
  [ ${#found[@]} -gt 0 ] || die "$suite has none of LLVM $majors."
  say "LLVMs of $suite: ${found[*]}, of $majors"
  # For the tests that need them.
  packages+=(build-essential python3-venv pkg-config cmake debhelper dpkg-dev lintian man-db xz-utils valgrind gdb binutils)
  inside apt-get install -y --no-install-recommends --no-remove "${packages[@]}" >>"$log" 2>&1 ||
    die "could not install ${packages[*]}   (all that was said: $log)"
  # On Ubuntu only the clang beside an OpenMP runtime finds it.
  # shellcheck disable=SC2016 # that shell's to expand
  inside sh -c 'link=/usr/lib/$(uname -m)-linux-gnu/libomp.so
    for library in /usr/lib/llvm-*/lib/libomp.so; do [ -e "$link" ] || ln -s "$library" "$link"; done'
}

# The OpenMP runtimes of these LLVMs: as packages they exclude one another, so they are unpacked.
unpack_runtimes() {
  local major package
  for major in "${found[@]}"; do
    for package in "libomp5-$major" "libomp5-${major}t64"; do
      has_package "$package" || continue
      inside sh -c "mkdir -p /srv/libomp/$major && cd /srv/libomp/$major && apt-get -o APT::Sandbox::User=root download -q $package &&
        dpkg -x libomp5-*.deb . && chmod -R a+rX ." >>"$log" 2>&1 || die "could not fetch $package   (all that was said: $log)"
      runtimes+=("$major")
    done
  done
}

# of_suite MODULE [VARIABLE=VALUE...] - tests of the suite, with the LLVMs that were found.
of_suite() {
  as_user "OMPCHUNK_LLVMS='$named' OMPCHUNK_DIST=\$PWD/dist ${*:2} cargo test --quiet -p ompchunk-testsuite --test all -- $1::"
}

# The wheel of this machine, or else one that is made there, in an environment of that system's Python.
wheel() {
  local made=("$root"/target/wheel/*.whl)
  if [ -e "${made[0]}" ]; then
    say "${made[0]##*/} of this machine"
    "${enter[@]}" cp "${made[@]}" "$system/srv/user/" || return 1
  else
    as_user "make wheel && cp target/wheel/*.whl /srv/user/" || return 1
  fi
  as_user "python3 -m venv /srv/user/environment && /srv/user/environment/bin/pip install --quiet --no-index /srv/user/*.whl &&
    PATH=/srv/user/environment/bin:\$PATH scripts/tests/wheel-tried.sh \$(mktemp -d)"
}

# run_test NAME
run_test() {
  local major
  case $1 in
  recorder) as_user "OMPCHUNK_DIST=\$PWD/dist cargo test --quiet -p ompchunk-recorder" ;;
  shim) as_user "OMPCHUNK_DIST=\$PWD/dist cargo test --quiet -p ompchunk-rt" ;;
  install) as_user "scripts/tests/install.sh" ;;
  packages) as_user "scripts/tests/deb.sh" ;;
  wheel) wheel ;;
  fuzz) as_user "OMPCHUNK_LLVMS='$named' OMPCHUNK_DIST=\$PWD/dist N=${N:-1000} SEED=${SEED:-} cargo run --quiet --release -p ompchunk-testsuite --bin fuzz" ;;
  programs)
    of_suite programs || return 1
    for major in "${runtimes[@]}"; do
      say "-- with clang $major on LLVM $major's libomp"
      named=$major of_suite programs "OMPCHUNK_LIBOMP=/srv/libomp/$major/usr/lib/llvm-$major/lib" || return 1
    done
    ;;
  *) of_suite "$1" ;;
  esac
}

# What it was that passed or failed.
versions() {
  local major
  say "$suite: $(inside cat /etc/debian_version), $(inside sh -c 'ldd --version | head -n 1')"
  say "Rust: $(as_user 'rustc --version'), from $rust"
  for major in "${found[@]}"; do say "$(inside "clang-$major" --version | head -n 1)"; done
  # Names without a version are of packages that are not installed.
  # shellcheck disable=SC2016 # dpkg's to expand
  inside dpkg-query --show --showformat '${Package} ${Version}\n' "libomp*" 2>/dev/null | awk 'NF == 2' || true
  [ ${#runtimes[@]} -eq 0 ] || say "runtimes beside it: $(inside sh -c "cd /srv/libomp && ls */*.deb" | sed "s,.*/,," | tr "\\n" " ")"
}

all_tests() {
  local name
  install_compilers
  versions
  as_user "OMPCHUNK_LLVMS='$named' make" || failed+=("make")
  [ -z "$named" ] || unpack_runtimes
  for name in $tests; do
    say "== $name"
    run_test "$name" || failed+=("$name")
  done
}

[ -n "${KEEP:-}" ] || trap gone EXIT
# The usual LLVMs need no naming, and naming them would be naming others.
named=${LLVMS:-} offline="" found=() runtimes=() failed=()
make_root
install_rust
fetch_crates
say "make demo, as a user, in a clone"
as_user "make demo" || failed+=("make demo")
[ -n "${PART:-}" ] || all_tests
versions
say "the root had $(du -sh "$system" | cut -f 1)"
[ ${#failed[@]} -eq 0 ] || die "on $suite, ${failed[*]} failed."
if [ -n "${PART:-}" ]; then say "on $suite, make demo passed"; else say "on $suite, make demo and the tests $tests passed"; fi
