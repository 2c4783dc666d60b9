#!/usr/bin/env bash
# The Spack recipe, the easyconfig and the modulefile, as far as they can be tried without Spack, EasyBuild and a network: they are read
# and their own tests run on an installed tree, where programs are compiled and their chunks counted. Prints nothing but what went wrong.
. "$(dirname "$0")/../common.sh"
cd "$root"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE OMPCHUNK_DIST OMPCHUNK_CC LD_PRELOAD LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH MANPATH MODULEPATH
export OMP_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1
prefix="$work/apps/ompchunk"
PREFIX=$prefix scripts/install.sh install >/dev/null
cat >"$work/app.c" <<'END'
int main(void) {
#pragma omp parallel for schedule(static, 3) num_threads(2)
  for (int i = 0; i < 10; i++)
    __asm__ volatile("");
}
END
# counted WHAT COMMAND... - the command prints four chunks' events.
counted() {
  local what=$1 got
  shift
  "$@" >"$work/said" 2>&1 || die "$what: $(cat "$work/said")"
  got=$(grep -c ' chunk ' "$work/said" || true)
  [ "$got" = 4 ] || die "$what: $got chunks instead of 4: $(cat "$work/said")"
}

# What is released has its entry.
heading=$(grep -m 1 '^## ' CHANGELOG.md)
case $heading in
"## $(version) "* | "## Unreleased") ;;
*) die "CHANGELOG.md begins with \"$heading\", Cargo.toml is about $(version)" ;;
esac

RUST_VERSION=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
PACKAGE_VERSION=$(version)
export RUST_VERSION PACKAGE_VERSION
recipe=packaging/spack/spack_repo/ompchunk/packages/ompchunk/package.py
configs=$(some_llvm_configs)
tried=0
while IFS= read -r config <&3; do
  major=$(major_of "$config") clang=$(clang_of "$config")
  # The oldest that the recipe takes.
  if [ -z "$clang" ] || [ "$major" -lt 16 ]; then continue; fi
  mkdir "$work/spack-$major"
  OMPCHUNK_PLUGIN=$(python3 scripts/tests/spack.py "$recipe" "$prefix" "$("$config" --prefix)" "$("$config" --version)" \
    "$work/spack-$major") || die "the Spack recipe, with LLVM $major: see above"
  "$clang" -O2 -fopenmp "-fpass-plugin=$OMPCHUNK_PLUGIN" "$work/app.c" -o "$work/dependent"
  counted "what depends on the Spack recipe, LLVM $major" "$prefix/bin/ompchunk" run --tool chunk-print "$work/dependent"
  tried=$((tried + 1))
done 3<<<"$configs"
[ "$tried" -gt 0 ] || die "no clang to try the Spack recipe with"
# What is not there must be noticed.
mkdir "$work/nothing"
if python3 scripts/tests/spack.py "$recipe" "$work/nothing" /usr 19.1.7 "$work/nothing" 2>/dev/null; then
  die "the Spack recipe is content with a tree without ompchunk"
fi

# The modulefile: from another directory than it was installed to, through a link, with what modules there are.
init=/usr/share/modules/init/bash
if [ ! -e "$init" ]; then
  say "skipped: the modulefile: no environment-modules (make setup)"
  [ -z "${CI:-}" ]
  exit
fi
mkdir -p "$work/a place" "$work/site/ompchunk"
mv "$prefix" "$work/a place/moved"
ln -s "$work/a place/moved/share/modulefiles/ompchunk/$(version)" "$work/site/ompchunk/$(version)"
config=$(first_llvm_config)
cat >"$work/session.sh" <<'END'
. "$1"
module use "$2/site"
before=$PATH
module load ompchunk
[ "$(command -v ompchunk)" = "$2/a place/moved/bin/ompchunk" ] || { echo "PATH is $PATH"; exit 1; }
case $MANPATH in
"$2/a place/moved/share/man:") ;;
*) echo "MANPATH is $MANPATH" && exit 1 ;;
esac
[ "$(man -w ompchunk-report)" = "$2/a place/moved/share/man/man1/ompchunk-report.1" ] || { echo "man finds $(man -w ompchunk-report)"; exit 1; }
pkg-config --exists ompchunk || { echo "PKG_CONFIG_PATH is $PKG_CONFIG_PATH"; exit 1; }
[ "$CMAKE_PREFIX_PATH" = "$2/a place/moved" ] || { echo "CMAKE_PREFIX_PATH is $CMAKE_PREFIX_PATH"; exit 1; }
cd "$2"
OMPCHUNK_CC=$3 ompchunk cc -O2 -fopenmp app.c -o app
ompchunk run --tool chunk-print ./app
# By its name alone.
OMP_TOOL_LIBRARIES=libompchunk_rt.so:libompchunk_trace.so OMPCHUNK_TRACE=$2/trace ./app
[ -d "$2/trace" ] || { echo "LD_LIBRARY_PATH is $LD_LIBRARY_PATH"; exit 1; }
module unload ompchunk
[ "$PATH" = "$before" ] || { echo "PATH is $PATH after unloading"; exit 1; }
END
counted "the modulefile" bash -e "$work/session.sh" "$init" "$work" "$(clang_of "$config")"
