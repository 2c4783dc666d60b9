#!/usr/bin/env bash
# Installs as root into the system's own directories, where the dynamic linker finds the shim by its name alone once
# ldconfig told it so. The system is not touched: /usr/local, /etc and ldconfig's own cache are copies or empty, in a
# mount namespace that ends with this script. Prints nothing but what went wrong, or that it cannot be tried.
. "$(dirname "$0")/../common.sh"
cd "$root"

work=$root/target/ldconfig-test
hidden="/usr/local /etc /var/cache/ldconfig /opt"

if [ "${1:-}" != inside ]; then
  namespace=(unshare --mount --propagation private)
  [ "$(id -u)" = 0 ] || namespace=(unshare --user --map-root-user --mount)
  if ! why=$("${namespace[@]}" true 2>&1); then
    [ -z "${CI:-}" ] || die "no mount namespace: $why" "next: allow user namespaces, or run as root"
    say "skipped: installing as root: no mount namespace ($why)"
    exit
  fi
  for place in $hidden; do
    case $root/ in
    "$place"/*)
      say "skipped: installing as root: this tree is in $place, which the test hides"
      [ -z "${CI:-}" ]
      exit
      ;;
    esac
  done
  rm -rf "$work"
  exec "${namespace[@]}" "$0" inside
fi

mkdir -p "$work"/{etc,local,cache,opt}
# What other users may not read of it matters to nothing here.
cp -R --preserve=mode,links /etc/. "$work/etc" 2>/dev/null || true
rm -f "$work/etc/ld.so.cache"
mount --bind "$work/etc" /etc
mount --bind "$work/local" /usr/local
mount --bind "$work/opt" /opt
if [ -d /var/cache/ldconfig ]; then mount --bind "$work/cache" /var/cache/ldconfig; fi
for pair in "$work/etc /etc" "$work/local /usr/local"; do
  [ "$(stat -c %d:%i "${pair% *}")" = "$(stat -c %d:%i "${pair##* }")" ] || die "${pair##* } is not the copy: nothing was installed"
done
[ ! -e /etc/ld.so.cache ] || die "/etc/ld.so.cache is not the copy's: nothing was installed"
ldconfig

# What surrounds us shall not decide the result.
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE LD_PRELOAD LD_LIBRARY_PATH PKG_CONFIG_PATH DESTDIR
export OMP_NUM_THREADS=2
cat >"$work/app.c" <<'END_OF_PROGRAM'
int main(void) {
  int sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  return sum != 45;
}
END_OF_PROGRAM
config=$(some_llvm_configs | head -n 1)
major=$(major_of "$config") clang=$(clang_of "$config")
[ -n "$clang" ] || die "no clang $major"
compile=("$clang" -O2 -fopenmp "-fpass-plugin=$dist/lib/llvm-$major/libompchunk.so" "$work/app.c")
"${compile[@]}" -o "$work/app"
tool=$work/libtool.so
cp dist/lib/tools/libchunk-print.so "$tool"

# expect EVENTS WHAT VARIABLE=VALUE... PROGRAM - how many chunk events chunk-print writes; 4 are right.
expect() {
  local wanted=$1 what=$2 got
  shift 2
  rm -f "$work/events"
  (cd "$work" && env CHUNK_PRINT_FILE="$work/events" "$@") >"$work/said" 2>&1 || die "$what: $(cat "$work/said")"
  got=$(grep -c ' chunk ' "$work/events" 2>/dev/null || true)
  [ "${got:-0}" = "$wanted" ] || die "$what: ${got:-0} events instead of $wanted: $(cat "$work/said")"
}
by_name() { expect "$1" "$2, a name in OMP_TOOL_LIBRARIES" OMP_TOOL_LIBRARIES="libompchunk_rt.so:$tool" "$work/app"; }
install_to() { make --no-print-directory install "$@" >"$work/installed" 2>&1 || die "make install $*: $(cat "$work/installed")"; }

# Not there yet.
by_name 0 "not installed"

# Staged for a package, nothing is told to this system's linker.
install_to PREFIX=/usr/local DESTDIR="$work/stage"
by_name 0 "staged"

# As README has it.
install_to PREFIX=/usr/local
by_name 4 "installed in /usr/local"
expect 4 "installed in /usr/local, a name in LD_PRELOAD" LD_PRELOAD=libompchunk_rt.so:./libtool.so "$work/app"
expect 0 "installed in /usr/local, only recorded" OMP_TOOL_LIBRARIES=libompchunk_rt.so:libompchunk_trace.so \
  OMPCHUNK_TRACE="$work/trace" "$work/app"
chunks=$(/usr/local/bin/ompchunk report "$work/trace" --json | grep -o '"chunks": *[0-9]*' | head -n 1)
[ "${chunks##*[: ]}" = 4 ] || die "the recorder by its name: $chunks"
# Also without the directory that pkg-config adds for when the program runs.
"${compile[@]}" -Wl,--no-as-needed -L/usr/local/lib -lompchunk_rt -o "$work/linked"
expect 4 "linked by name" OMP_TOOL_LIBRARIES="$tool" "$work/linked"
eval "flags=($(pkg-config --libs ompchunk))"
# shellcheck disable=SC2154 # assigned by eval
"${compile[@]}" "${flags[@]}" -o "$work/linked"
expect 4 "linked with pkg-config" OMP_TOOL_LIBRARIES="$tool" "$work/linked"

# Gone, a name leads nowhere, and the program runs.
make --no-print-directory uninstall PREFIX=/usr/local >/dev/null
by_name 0 "uninstalled"

# Elsewhere the linker is told nothing, and pkg-config's program runs all the same.
install_to PREFIX=/opt/ompchunk
by_name 0 "installed in /opt/ompchunk"
eval "flags=($(PKG_CONFIG_PATH=/opt/ompchunk/lib/pkgconfig pkg-config --libs ompchunk))"
"${compile[@]}" "${flags[@]}" -o "$work/linked"
expect 4 "linked with pkg-config from /opt/ompchunk" OMP_TOOL_LIBRARIES="$tool" "$work/linked"
expect 4 "in LD_LIBRARY_PATH" LD_LIBRARY_PATH=/opt/ompchunk/lib OMP_TOOL_LIBRARIES="libompchunk_rt.so:$tool" "$work/app"
# Unless the administrator counts that directory among the system's own.
echo /opt/ompchunk/lib >/etc/ld.so.conf.d/ompchunk.conf
install_to PREFIX=/opt/ompchunk
by_name 4 "installed in a directory of ld.so.conf"

# Where ldconfig cannot write, it is said, and everything is installed.

mount -o remount,bind,ro /etc
install_to PREFIX=/usr/local
grep -q "^ompchunk: next: ldconfig" "$work/installed" || die "a failed ldconfig is not told: $(cat "$work/installed")"
[ -e /usr/local/lib/libompchunk_rt.so ] || die "not installed where ldconfig fails"
