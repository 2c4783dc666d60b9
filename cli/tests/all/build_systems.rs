//! `CC="ompchunk cc"` in configure scripts and in CMake.

use std::path::Path;
use std::process::Command;

use crate::common::{HUNDRED, by_name, clean, directory, majors, ompchunk, succeed};

fn environment(command: &mut Command, major: u32) -> &mut Command {
    by_name(command)
        .env("CC", "ompchunk cc")
        .env("CXX", "ompchunk c++")
        .env("OMPCHUNK_CC", format!("clang-{major}"))
        .env("OMPCHUNK_CXX", format!("clang++-{major}"))
}

fn loops(directory: &Path, file: &str) -> usize {
    let table = succeed(ompchunk(&["loops", file]).current_dir(directory));
    table.lines().count() - 1
}

/// What autoconf's scripts ask of a compiler, in their words.
const CONFIGURE: &str = r#"#!/bin/sh
set -e
for option in --version -v; do $CC $option >>log 2>&1; done
! $CC -qversion >>log 2>&1
echo 'int main(void) { return 0; }' >conftest.c
$CC conftest.c >>log 2>&1 # a.out
./a.out
$CC -o conftest -Werror -O2 conftest.c -lm
./conftest
$CC -c -Werror conftest.c
test "$($CC -E conftest.c | grep -c 'int main')" = 1
echo 'choke me' >conftest.c
! $CC -c conftest.c >>log 2>&1
echo '#include <no-such-header.h>' >conftest.c
! $CC -E conftest.c >>log 2>&1
case $($CC -dumpmachine) in *-*-*) ;; *) exit 1 ;; esac
$CC -print-prog-name=ld >>log
printf 'all:\n\t$(CC) $(CFLAGS) -c app.c\n\t$(CC) $(CFLAGS) app.o -o app\n' >Makefile
CFLAGS='-O2 -fopenmp -Werror' make -s
"#;

#[test]
fn a_configure_script() {
    for major in majors() {
        let directory = directory("app.c", HUNDRED);
        std::fs::write(directory.path().join("configure"), CONFIGURE).unwrap();
        succeed(environment(clean("sh").args(["-e", "./configure"]), major).current_dir(&directory));
        assert_eq!(loops(directory.path(), "app"), 1);
    }
}

const CMAKE: &str = r#"
cmake_minimum_required(VERSION 3.16)
project(app C CXX)
include(CheckCSourceCompiles)
include(CheckCSourceRuns)
include(CheckCXXCompilerFlag)
check_c_source_compiles("int main(void) { return 0; }" COMPILES)
check_c_source_compiles("int main(void) { return x; }" MUST_NOT)
check_c_source_runs("int main(void) { return 0; }" RUNS)
check_cxx_compiler_flag(-Wall HAS_WALL)
check_cxx_compiler_flag(-Wno-such-warning=x HAS_NONSENSE)
if(NOT COMPILES OR MUST_NOT OR NOT RUNS OR NOT HAS_WALL OR HAS_NONSENSE)
  message(FATAL_ERROR "${COMPILES} ${MUST_NOT} ${RUNS} ${HAS_WALL} ${HAS_NONSENSE}")
endif()
if(NOT CMAKE_C_COMPILER_ID STREQUAL Clang OR NOT CMAKE_C_COMPILER_VERSION MATCHES "^${MAJOR}[.]")
  message(FATAL_ERROR "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
endif()
add_compile_options(-fopenmp)
add_link_options(-fopenmp)
add_library(part SHARED part.cpp)
add_executable(app app.c)
target_link_libraries(app part)
"#;

#[test]
fn cmake() {
    let part = "void part() {\n#pragma omp parallel for schedule(static)\n\
                for (int i = 0; i < 9; i++) __asm__ volatile(\"\"); }\n";
    for major in majors() {
        let directory = directory("app.c", HUNDRED);
        let at = directory.path();
        std::fs::write(at.join("part.cpp"), part).unwrap();
        std::fs::write(at.join("CMakeLists.txt"), CMAKE).unwrap();
        let major_is = format!("-DMAJOR={major}");
        succeed(environment(clean("cmake").args(["-S", ".", "-B", "build", &major_is]), major).current_dir(at));
        // The compiler is chosen again when building: the environment of then decides.
        succeed(environment(clean("cmake").args(["--build", "build"]), major).current_dir(at));
        assert_eq!(loops(at, "build/app"), 1);
        assert_eq!(loops(at, "build/libpart.so"), 1);
    }
}
