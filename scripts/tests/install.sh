#!/usr/bin/env bash
# Installs into a staging directory, moves the tree elsewhere, and uses it from there as a user would:
# through pkg-config and through CMake, with each clang that there is a plugin for. Prints nothing but
# what went wrong.
. "$(dirname "$0")/../common.sh"
cd "$root"

work=$root/target/install-test
rm -rf "$work"
mkdir -p "$work/project"
# What surrounds us shall not decide the result.
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE LD_PRELOAD LD_LIBRARY_PATH
export OMP_NUM_THREADS=2

PREFIX=/opt/ompchunk DESTDIR=$work/stage scripts/install.sh uninstall # of nothing: no error
PREFIX=/opt/ompchunk DESTDIR=$work/stage scripts/install.sh install >"$work/installed"
moved=$work/moved
cp -a "$work/stage/opt/ompchunk" "$moved"

# Every page that the command writes is installed, and no other.
"$moved/bin/ompchunk" man "$work/pages"
diff <(ls "$work/pages") <(ls "$moved/share/man/man1") || die "not the man pages that were generated"
[ -e "$moved/share/man/man1/ompchunk-report.1" ] || die "no man page of ompchunk report"

# Without rights: one clear error before anything is copied. Root would be let in everywhere.
closed=$work/closed
mkdir -p "$closed/lib/pkgconfig"
as_user=()
if [ -w /proc/sys/kernel/hostname ] || [ "$(id -u)" = 0 ]; then as_user=(setpriv --bounding-set=-all --inh-caps=-all); fi
for directory in "$closed" "$closed/lib/pkgconfig"; do
  chmod 555 "$directory"
  for what in install uninstall; do
    if PREFIX=$closed "${as_user[@]}" scripts/install.sh "$what" >"$work/refused" 2>&1; then
      die "$what without rights to $directory"
    fi
    for says in "cannot write to $directory: no permission" "next: sudo make $what PREFIX=$closed"; do
      grep -qF "ompchunk: $says" "$work/refused" || die "$what without rights says: $(cat "$work/refused")"
    done
    [ "$(wc -l <"$work/refused")" = 2 ] || die "$what without rights says: $(cat "$work/refused")"
  done
  chmod 755 "$directory"
  [ -z "$(find "$closed" -type f)" ] || die "something was copied without rights"
done

cat >"$work/project/app.c" <<'END'
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)
  for (int i = 0; i < 10; i++)
    sum += i;
  printf("%ld\n", sum);
  return sum != 45;
}
END
cp "$work/project/app.c" "$work/project/app.cpp"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(app C CXX)
find_package(OpenMP REQUIRED)
find_package(ompchunk 0.2 REQUIRED)
add_executable(plain app.c)
target_link_libraries(plain OpenMP::OpenMP_C)
foreach(kind IN ITEMS attached linked archived)
  add_executable(${kind} app.c)
  target_link_libraries(${kind} OpenMP::OpenMP_C ompchunk::ompchunk)
endforeach()
add_executable(cxx app.cpp)
target_link_libraries(cxx OpenMP::OpenMP_CXX ompchunk::ompchunk)
target_link_libraries(linked ompchunk::rt)
target_link_libraries(archived ompchunk::rt_static)
add_library(tool MODULE ${TOOL_SOURCES})
target_include_directories(tool PRIVATE ${TOOL_DIRECTORY})
target_link_libraries(tool ompchunk::headers ${CMAKE_DL_LIBS})
END

# events PROGRAM LIBRARIES - how many chunk events chunk-print sees; 4 is right: 3 + 3 + 3 + 1
events() {
  rm -f "$work/events"
  CHUNK_PRINT_FILE=$work/events OMP_TOOL_LIBRARIES=$2 "$1" >/dev/null
  grep -c ' chunk ' "$work/events" || true
}
# expect WANTED WHAT COMMAND...
expect() {
  local wanted=$1 what=$2 got
  shift 2
  got=$("$@") || die "$what: \`$*\` failed"
  [ "$got" = "$wanted" ] || die "$what: $got instead of $wanted from \`$*\`"
}

shim=$moved/lib/libompchunk_rt.so tool=$moved/lib/ompchunk/tools/libchunk-print.so
export PKG_CONFIG_PATH=$moved/lib/pkgconfig
pkg-config --validate ompchunk
expect "$(version)" "pkg-config" pkg-config --modversion ompchunk

configs=$(some_llvm_configs)
while IFS= read -r config <&3; do
  major=$(major_of "$config") clang=$(clang_of "$config")
  [ -n "$clang" ] || continue
  flag=$(omp_headers_flag "$clang") || die "no omp.h for clang $major"

  # pkg-config: the three ways to attach.
  # It quotes blanks for a shell.
  shared=() static=()
  eval "plugins=$(pkg-config --variable=plugin_dir ompchunk)"
  eval "shared=($(pkg-config --libs ompchunk))"
  eval "static=($(pkg-config --variable=static_libs ompchunk))"
  # shellcheck disable=SC2154 # all three are assigned by eval
  compile=("$clang" -O2 -fopenmp "-fpass-plugin=$plugins/llvm-$major/libompchunk.so" "$work/project/app.c")
  "${compile[@]}" -o "$work/app"
  expect 4 "clang $major, attached" events "$work/app" "$shim:$tool"
  expect 0 "clang $major, shim not attached" events "$work/app" "$tool"
  "${compile[@]}" "${shared[@]}" -o "$work/app"
  expect 4 "clang $major, linked" events "$work/app" "$tool"
  "${compile[@]}" "${static[@]}" -o "$work/app"
  expect 4 "clang $major, linked statically" events "$work/app" "$tool"

  # CMake. A flag is words for a shell there.
  if [ -n "$flag" ]; then flag="\"$flag\""; fi
  build=$work/cmake-$major
  cmake -S "$work/project" -B "$build" -DCMAKE_PREFIX_PATH="$moved" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clang++" -DCMAKE_C_FLAGS="$flag" -DCMAKE_CXX_FLAGS="$flag" \
    -DTOOL_SOURCES="$root/examples/tools/c/chunk-print.c;$root/examples/tools/c/chunk-tool.c" \
    -DTOOL_DIRECTORY="$root/examples/tools/c" >"$build.log" 2>&1 || die "clang $major: cmake failed, see $build.log"
  cmake --build "$build" --parallel "$(cores)" >>"$build.log" 2>&1 || die "clang $major: the build failed, see $build.log"
  expect 0 "clang $major, CMake, plain" events "$build/plain" "$shim:$tool"
  expect 4 "clang $major, CMake, attached" events "$build/attached" "$shim:$tool"
  expect 4 "clang $major, CMake, C++" events "$build/cxx" "$shim:$tool"
  expect 4 "clang $major, CMake, linked" events "$build/linked" "$tool"
  expect 4 "clang $major, CMake, linked statically" events "$build/archived" "$tool"
  expect 4 "clang $major, CMake, own tool" events "$build/attached" "$shim:$build/libtool.so"
done 3<<<"$configs"

# A compiler that the plugin cannot be loaded into is refused, by name and with the way out.
if cmake -S "$work/project" -B "$work/cmake-gcc" -DCMAKE_PREFIX_PATH="$moved" -DCMAKE_C_COMPILER=gcc \
  -DCMAKE_CXX_COMPILER=g++ -DTOOL_SOURCES=app.c >"$work/cmake-gcc.log" 2>&1; then
  die "CMake accepted gcc"
fi
grep -q "is GNU, but ompchunk is a plugin for clang" <<<"$(tr -s ' \n' ' ' <"$work/cmake-gcc.log")" ||
  die "CMake refused gcc with another message, see $work/cmake-gcc.log"

rm -r "$moved/lib/ompchunk/llvm-$major"
if cmake -S "$work/project" -B "$work/cmake-none" -DCMAKE_PREFIX_PATH="$moved" -DCMAKE_C_COMPILER="$clang" \
  -DCMAKE_CXX_COMPILER="$clang++" -DCMAKE_C_FLAGS="$flag" -DCMAKE_CXX_FLAGS="$flag" -DTOOL_SOURCES=app.c \
  >"$work/cmake-none.log" 2>&1; then
  die "CMake accepted clang $major without a plugin for it"
fi
grep -q "is clang $major, but ompchunk was installed for" <<<"$(tr -s ' \n' ' ' <"$work/cmake-none.log")" ||
  die "CMake refused clang $major with another message, see $work/cmake-none.log"

# Uninstalling leaves no file behind.
PREFIX=/opt/ompchunk DESTDIR=$work/stage scripts/install.sh uninstall
left=$(find "$work/stage" -type f)
[ -z "$left" ] || die "left behind: $left"
