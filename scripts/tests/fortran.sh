#!/usr/bin/env bash
# The CMake package in projects with Fortran: alone, beside C and C++, with a compiler that no plugin fits, and in
# build directories whose path has blanks. Prints nothing but what went wrong.
. "$(dirname "$0")/../common.sh"
cd "$root"

work="$root/target/install-test/with Fortran"
rm -rf "$work"
mkdir -p "$work/alone" "$work/mixed"
unset OMP_TOOL OMP_TOOL_LIBRARIES OMPCHUNK_VERBOSE LD_PRELOAD LD_LIBRARY_PATH CC CXX FC
export OMP_NUM_THREADS=2 KMP_WARNINGS=0

command -v flang-22 >/dev/null || {
  [ -z "${CI:-}" ] || die "no flang-22." "next: make setup"
  say "skipped: no flang-22 (apt-get install flang-22)"
  exit 0
}
installed="$work/installed"
PREFIX=$installed DESTDIR='' scripts/install.sh install >"$work/log"
majors_there=$(cd "$installed/lib/ompchunk" && ls -d llvm-*)
[[ $majors_there == *llvm-22* ]] || {
  [ -z "${CI:-}" ] || die "no plugin for LLVM 22." "next: make"
  say "skipped: no plugin for LLVM 22"
  exit 0
}

cat >"$work/alone/app.f90" <<'END'
program app
  integer :: i, s
  s = 0
  !$omp parallel do schedule(static, 3) reduction(+ : s)
  do i = 1, 10
    s = s + i
  end do
  print *, s
end program
END
cat >"$work/alone/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(app Fortran)
find_package(ompchunk 0.2 REQUIRED)
add_compile_options(-fopenmp)
add_link_options(-fopenmp)
add_executable(attached app.f90)
target_link_libraries(attached ompchunk::ompchunk)
add_executable(linked app.f90)
target_link_libraries(linked ompchunk::ompchunk ompchunk::rt)
END
cat >"$work/mixed/app.f90" <<'END'
program app
  interface
    subroutine part() bind(c)
    end subroutine
    subroutine other() bind(c)
    end subroutine
  end interface
  integer :: i, s
  s = 0
  !$omp parallel do schedule(static, 3) reduction(+ : s)
  do i = 1, 10
    s = s + i
  end do
  call part()
  call other()
  print *, s
end program
END
cat >"$work/mixed/part.c" <<'END'
void part(void) {
#pragma omp parallel for schedule(static, 5)
  for (int i = 0; i < 10; i++)
    __asm__ volatile("");
}
END
sed 's/void part(void)/extern "C" void other()/' "$work/mixed/part.c" >"$work/mixed/other.cpp"
cat >"$work/mixed/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.24)
project(app C CXX Fortran)
find_package(ompchunk 0.2 REQUIRED)
add_compile_options(-fopenmp)
add_link_options(-fopenmp)
add_executable(mixed app.f90 part.c other.cpp)
set_target_properties(mixed PROPERTIES LINKER_LANGUAGE Fortran)
target_link_libraries(mixed ompchunk::ompchunk)
END

# configure PROJECT BUILD ARGUMENT...
configure() {
  local project=$1 build=$2
  shift 2
  cmake -S "$work/$project" -B "$work/$build" -DCMAKE_PREFIX_PATH="$installed" -DCMAKE_BUILD_TYPE=Release "$@" \
    >"$work/$build.log" 2>&1
}
# build BUILD
build() {
  cmake --build "$work/$1" --parallel "$(cores)" >>"$work/$1.log" 2>&1 || die "the build failed, see $work/$1.log"
}
# chunks WANTED PROGRAM LIBRARIES
chunks() {
  local got
  rm -f "$work/events"
  CHUNK_PRINT_FILE=$work/events OMP_TOOL_LIBRARIES=$3 "$2" >/dev/null
  got=$(grep -c ' chunk ' "$work/events" || true)
  [ "$got" = "$1" ] || die "$got chunk events instead of $1 from $2 with $3"
}
# says BUILD WORDS
says() { grep -qF -- "$2" <<<"$(tr -s ' \n' ' ' <"$work/$1.log")" || die "not in $work/$1.log: $2"; }

shim=$installed/lib/libompchunk_rt.so tool=$installed/lib/ompchunk/tools/libchunk-print.so

configure alone build-alone -DCMAKE_Fortran_COMPILER=flang-22 || die "Fortran alone, see $work/build-alone.log"
build build-alone
chunks 4 "$work/build-alone/attached" "$shim:$tool"
chunks 4 "$work/build-alone/linked" "$tool"

clang=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
configure mixed build-mixed "${clang[@]}" -DCMAKE_Fortran_COMPILER=flang-22 || die "C, C++ and Fortran, see $work/build-mixed.log"
build build-mixed
chunks 8 "$work/build-mixed/mixed" "$shim:$tool"

# A Fortran compiler that no plugin fits: alone it is refused, beside clang it is said that it gets none.
# CMake is told that flang is one, and does not ask it.
gnu=(-DCMAKE_Fortran_COMPILER=flang-22 -DCMAKE_Fortran_COMPILER_ID_RUN=1 -DCMAKE_Fortran_COMPILER_ID=GNU)
if configure alone build-refused "${gnu[@]}"; then die "CMake accepted GNU Fortran alone"; fi
says build-refused "is GNU, but ompchunk is a plugin for flang. Configure with a flang of LLVM "
configure mixed build-warned "${clang[@]}" "${gnu[@]}" || die "GNU Fortran beside clang stops"
says build-warned "no loop in Fortran is instrumented"
rm -r "$installed/lib/ompchunk/llvm-22"
if configure alone build-none -DCMAKE_Fortran_COMPILER=flang-22; then die "CMake accepted flang 22 without a plugin for it"; fi
says build-none "is flang 22, but ompchunk was installed for LLVM "
