#!/usr/bin/env bash
# Makes the Debian packages twice, with what surrounds them changed, and compares them; has lintian check them; installs them with
# dpkg as root, uses them, and removes them. The system is not touched: /usr, /etc and /var are copies on write, in a mount namespace
# that ends with this script. Prints nothing but what went wrong, or that it cannot be tried.
. "$(dirname "$0")/../common.sh"
cd "$root"

packages=$root/target/deb
if [ "${1:-}" != inside ]; then
  for program in dpkg-buildpackage dh lintian; do
    if ! command -v "$program" >/dev/null; then
      say "skipped: Debian packages: no $program (make setup)"
      [ -z "${CI:-}" ]
      exit
    fi
  done
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  unset DEB_BUILD_OPTIONS DEBFULLNAME DEBEMAIL OMP_TOOL OMP_TOOL_LIBRARIES

  # Bit for bit, whoever builds: another umask, time zone, language, options of make, and variables of its callers.
  scripts/deb.sh >"$work/said"
  cp -R "$packages" "$work/first"
  (
    umask 077
    export TZ=Asia/Kolkata LC_ALL=C LANG=C MAKEFLAGS=-k DEB_BUILD_OPTIONS=nostrip PREFIX=/elsewhere DESTDIR="$work/elsewhere"
    mkdir -p "$work/ä b"
    TMPDIR="$work/ä b" scripts/deb.sh >"$work/said"
  )
  diff -r "$work/first" "$packages" || die "the packages are others when they are made again"
  [ ! -e "$work/elsewhere" ] || die "make deb installs into DESTDIR"
  [ -z "$(ls -A "$work/ä b")" ] || die "make deb leaves its temporary directory behind"

  # Nothing of what install.sh has is missing, and nothing is in two packages.
  PREFIX=/usr DESTDIR=$work/stage scripts/install.sh install >/dev/null
  (cd "$work/stage" && find . ! -type d ! -path './usr/share/modulefiles/*') | sed 's,share/zsh/site-functions,share/zsh/vendor-completions,; s,\(/man1/.*\),\1.gz,' |
    sort >"$work/wanted"
  for package in "$packages"/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -tf - | grep -v '/$' | grep -v '^\./usr/share/\(doc\|lintian\)/'
  done | sort >"$work/got"
  diff "$work/wanted" "$work/got" || die "the packages have other files than make install"

  # What each is made of.
  for package in "$packages"/*.deb; do
    name=$(dpkg-deb -f "$package" Package)
    rm -rf "$work/unpacked"
    dpkg-deb --raw-extract "$package" "$work/unpacked"
    [ "$(dpkg-deb -f "$package" Version)" = "$(version)-0ompchunk1" ] || die "$name is of another version"
    (cd "$work/unpacked" && md5sum --quiet -c DEBIAN/md5sums) || die "$name: a wrong sum in md5sums"
    while read -r mode owner path; do
      case "$mode $owner $path" in
      "-rw-r--r-- root/root ./"* | "-rwxr-xr-x root/root ./usr/bin/"* | "drwxr-xr-x root/root ./"*) ;;
      # Compilers in one word, and their pages.
      "lrwxrwxrwx root/root ./usr/bin/ompchunk-"* | "lrwxrwxrwx root/root ./usr/share/man/man1/ompchunk-"*) ;;
      *) die "$name: $path is $mode, $owner" ;;
      esac
    done < <(dpkg-deb -c "$package" | awk '{ print $1, $2, $6 }')
    while IFS= read -r -d '' file; do
      sections=$(readelf -SWldn "$file")
      for has in 'Build ID:' GNU_RELRO; do
        grep -q "$has" <<<"$sections" || die "$name: ${file#"$work/unpacked"} has no $has"
      done
      # The example tools in C are built as their readers would build them.
      case $file in
      */tools/*) ;;
      *) grep -q 'BIND_NOW\|Flags:.*NOW' <<<"$sections" || die "$name: ${file#"$work/unpacked"} binds lazily" ;;
      esac
      if grep -q '\.symtab\|\.debug_' <<<"$sections"; then die "$name: ${file#"$work/unpacked"} is not stripped"; fi
    done < <(find "$work/unpacked/usr" \( -name '*.so' -o -path '*/bin/*' \) -type f -print0)
    # A plugin names no libLLVM; its package does.
    case $name in
    ompchunk-plugin-*)
      grep -qE "(^|, )libllvm${name##*-}(t64)?(,| |\$)" <<<"$(dpkg-deb -f "$package" Depends)" || die "$name does not depend on its libLLVM"
      ;;
    esac
  done

  # lintian, after one package that it must not like.
  mkdir -p "$work/bad/DEBIAN" "$work/bad/usr/lib"
  chmod 755 "$work/bad/DEBIAN"
  printf 'Package: bad\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: bad\n' >"$work/bad/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$work/bad" "$work/bad.deb" >/dev/null
  # lintian leaves files behind.
  export TMPDIR=$work
  lint=(lintian --no-cfg --fail-on "error,warning" --allow-root --suppress-tags "")
  if "${lint[@]}" "$work/bad.deb" >"$work/said" 2>&1; then die "lintian likes everything: $(cat "$work/said")"; fi
  "${lint[@]}" "$packages"/*.deb >"$work/said" 2>&1 || die "lintian: $(cat "$work/said")"

  # Errors: one clear one, and what was there stays.
  checked() {
    local what=$1 says=$2
    shift 2
    if "$@" >"$work/said" 2>&1; then die "$what is no error"; fi
    grep -qF "$says" "$work/said" || die "$what says: $(cat "$work/said")"
    diff -r "$work/first" "$packages" || die "$what changes the packages"
  }
  tree=$work/tree
  mkdir -p "$tree"
  cp -R scripts packaging CHANGELOG.md Cargo.toml "$tree"
  sed -i 's/^version = .*/version = "9.9.9"/' "$tree/Cargo.toml"
  checked "a changelog of another version" "next: an entry for 9.9.9" "$tree/scripts/deb.sh"
  cp Cargo.toml "$tree"
  checked "a tree without products" "next: make" "$tree/scripts/deb.sh"
  mkdir -p "$work/path"
  for program in bash dirname sed; do ln -s "$(command -v "$program")" "$work/path"; done
  checked "a machine without debhelper" "next: apt-get install dpkg-dev debhelper" env PATH="$work/path" "$BASH" scripts/deb.sh

  namespace=(unshare --mount --propagation private)
  option=""
  if [ "$(id -u)" != 0 ]; then
    namespace=(unshare --user --map-root-user --mount)
    option=userxattr,
  fi
  # shellcheck disable=SC2016 # another shell's
  if ! why=$("${namespace[@]}" bash -c 'mkdir "$1/up" "$1/on" && mount -t overlay overlay -o "$2lowerdir=/usr,upperdir=$1/up,workdir=$1/on" /usr' \
    - "$work" "$option" 2>&1); then
    say "skipped: installing the packages: no mount namespace with copies on write ($why)"
    [ -z "${CI:-}" ]
    exit
  fi
  for place in /usr /etc /var; do
    case $root/ in
    "$place"/*)
      say "skipped: installing the packages: this tree is in $place, which the test hides"
      [ -z "${CI:-}" ]
      exit
      ;;
    esac
  done
  # Its file system must not be an overlay itself, nor one of those that are hidden.
  copies=$root/target/deb-test
  # Overlays have directories that only their owner may enter, also those of a run that was ended before.
  remove_copies() {
    [ ! -e "$copies" ] || chmod -R u+rwX "$copies"
    rm -rf "$copies"
  }
  remove_copies
  mkdir -p "$copies"
  "${namespace[@]}" "$0" inside "$copies" "$option" || die "installing the packages: see above"
  remove_copies
  exit
fi

work=$2 option=$3
mkdir -p "$work/use"
for place in usr etc var; do
  mkdir -p "$work/$place"/{up,on}
  mount -t overlay overlay -o "${option}lowerdir=/$place,upperdir=$work/$place/up,workdir=$work/$place/on" "/$place"
  : >"/$place/.ompchunk-copy"
  [ -e "$work/$place/up/.ompchunk-copy" ] || die "/$place is no copy: nothing was installed"
done
# What surrounds us, products of this tree among it, shall not decide the result; nor what killed programs of root's left, by whose
# numbers and user's libomp takes them for its own.
mount -t tmpfs tmpfs /dev/shm
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE OMPCHUNK_DIST OMPCHUNK_LIBDIR OMPCHUNK_CC LD_PRELOAD LD_LIBRARY_PATH PKG_CONFIG_PATH
export OMP_NUM_THREADS=2 PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd "$work/use"
cat >app.c <<'END'
int main(void) {
  int sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  return sum != 45;
}
END
mapfile -t all < <(for package in "$packages"/*.deb; do dpkg-deb -f "$package" Package; done)
for name in "${all[@]}"; do
  if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ]; then die "$name is installed already: remove it for the test"; fi
done
# did WHAT COMMAND... - it succeeds, or its output says why not.
did() {
  local what=$1
  shift
  "$@" >"$work/said" 2>&1 || die "$what: $(cat "$work/said")"
}
# Triggers of others, such as of man pages, may need users that a namespace does not have; the linker's is run.
install_packages() {
  did "dpkg -i" dpkg --no-triggers -i "$@"
  did "the linker's trigger" dpkg --triggers-only libc-bin
}
# expect EVENTS WHAT COMMAND... - how many chunk events chunk-print writes; 3 + 3 + 3 + 1 iterations are four chunks.
expect() {
  local wanted=$1 what=$2 got
  shift 2
  rm -f events
  did "$what" env CHUNK_PRINT_FILE="$PWD/events" "$@"
  got=$(grep -c ' chunk ' events 2>/dev/null || true)
  [ "${got:-0}" = "$wanted" ] || die "$what: ${got:-0} events instead of $wanted: $(cat "$work/said")"
}
majors=()
for name in "${all[@]}"; do
  case $name in
  ompchunk-plugin-*) majors+=("${name##*-}") ;;
  esac
done
tool=/usr/lib/ompchunk/tools/libchunk-print.so

# On a system without the LLVM, dpkg leaves a plugin unconfigured and says why.
mkdir -p "$work/empty/var/lib/dpkg"/{updates,info,triggers}
touch "$work/empty/var/lib/dpkg/status"
plugin=("$packages"/ompchunk-plugin-*.deb)
if LC_ALL=C dpkg --root="$work/empty" -i "${plugin[0]}" >"$work/said" 2>&1; then die "dpkg installs a plugin without its LLVM"; fi
grep -q 'ompchunk-plugin-.* depends on libllvm' "$work/said" || die "dpkg refuses a plugin for another reason: $(cat "$work/said")"

# Where programs only run: no more than the shim, found by its name, and a tool of the user's.
# Directories that are closed to us are closed to the packages, too.
listing() { find /usr /etc -xdev 2>/dev/null | sort; }
listing >"$work/before" || true
install_packages "$packages"/libompchunk-rt_*.deb
# Not through a pipe to grep -q, which ends at what it finds, so that a writer that has more to say fails.
[[ $(ldconfig -p) == *libompchunk_rt.so* ]] || die "the linker was not told of libompchunk_rt.so"
install_packages "$packages"/*.deb
dpkg --verify "${all[@]}" >"$work/said" || die "dpkg --verify: $(cat "$work/said")"
[ ! -s "$work/said" ] || die "dpkg --verify: $(cat "$work/said")"
[ "$(command -v ompchunk)" = /usr/bin/ompchunk ] || die "another ompchunk: $(command -v ompchunk)"
did "ompchunk --version" ompchunk --version
grep -qF "$(version)" "$work/said" || die "ompchunk --version: $(cat "$work/said")"
did "the man page" man -w ompchunk-report
did "the completions" bash -n /usr/share/bash-completion/completions/ompchunk

tried=0
for major in "${majors[@]}"; do
  clang=/usr/lib/llvm-$major/bin/clang
  [ -x "$clang" ] || continue
  did "clang $major" env OMPCHUNK_CC="$clang" ompchunk cc -O2 -g -fopenmp app.c -o app
  expect 4 "clang $major, ompchunk run" ompchunk run --tool chunk-print ./app
  expect 4 "clang $major, by name" OMP_TOOL_LIBRARIES="libompchunk_rt.so:$tool" ./app
  rm -rf run
  did "clang $major, ompchunk record" ompchunk record -o run ./app
  did "clang $major, ompchunk report" ompchunk report run --json
  chunks=$(grep -o '"chunks": *[0-9]*' "$work/said" | head -n 1)
  [ "${chunks##*[: ]}" = 4 ] || die "clang $major: recorded $chunks instead of 4"
  eval "flags=($(pkg-config --libs ompchunk) -fpass-plugin=$(pkg-config --variable=plugin_dir ompchunk)/llvm-$major/libompchunk.so)"
  # shellcheck disable=SC2154 # assigned by eval
  did "clang $major, pkg-config" "$clang" -O2 -fopenmp app.c "${flags[@]}" -o linked
  expect 4 "clang $major, linked with pkg-config" OMP_TOOL_LIBRARIES="$tool" ./linked
  tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || die "no clang for LLVM ${majors[*]}"

# What the container file installs and runs is there.
file=$root/packaging/Containerfile
grep -oE '/packages/[a-z0-9_*.-]+' "$file" | while IFS= read -r word; do
  compgen -G "$packages/${word#/packages/}" >/dev/null || die "the container file names $word, and there is no such package"
done
grep -oE ' (clang|libomp)-[a-z0-9-]+' "$file" | while read -r word; do
  dpkg-query -W "$word" >/dev/null 2>&1 || die "the container file names $word, which the tests do not use"
done
grep -qx 'RUN ompchunk doctor' "$file" || die "the container file does not check itself"
did "ompchunk doctor" ompchunk doctor

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(app C)
find_package(OpenMP REQUIRED)
find_package(ompchunk 0.2 REQUIRED)
add_executable(app app.c)
target_link_libraries(app OpenMP::OpenMP_C ompchunk::ompchunk ompchunk::rt_static)
END
did "CMake" env CC="$clang" cmake -S . -B build
did "CMake's build" cmake --build build
expect 4 "CMake" OMP_TOOL_LIBRARIES="$tool" build/app

# Without root, and anywhere.
for package in "$packages"/*.deb; do did "dpkg -x" dpkg -x "$package" "$work/a place"; done
did "ompchunk cc, unpacked" env OMPCHUNK_CC="$clang" "$work/a place/usr/bin/ompchunk" cc -O2 -fopenmp app.c -o app
expect 4 "unpacked" "$work/a place/usr/bin/ompchunk" run --tool chunk-print ./app

# The libraries go last: dpkg refuses to take them from under the command.
if dpkg --no-triggers -r libompchunk-rt >"$work/said" 2>&1; then die "dpkg removes libompchunk-rt although the command needs it"; fi
did "dpkg --purge" dpkg --no-triggers --purge "${all[@]}"
did "the linker's trigger" dpkg --triggers-only libc-bin
listing >"$work/after" || true
[ -s "$work/after" ] || die "nothing is in /usr"
diff "$work/before" "$work/after" || die "dpkg --purge leaves files behind, or takes others'"
did "a program, the packages removed" env OMP_TOOL_LIBRARIES="libompchunk_rt.so:$tool" ./app
