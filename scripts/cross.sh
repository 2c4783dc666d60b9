#!/usr/bin/env bash
# cross.sh fetch | build | part | test | fuzz [ARCHITECTURE] - ompchunk for a processor that this machine has not, under an emulator.
#
# aarch64, if none is named; ppc64le is the other that Debian 12 has all of. fetch: Debian's packages for that processor (libc,
# OpenMP runtimes, Fortran's library, Rust's, and a rustc that fits it), and qemu, unpacked into target/ARCHITECTURE/. They
# are not installed, and apt's own lists are left alone. build: shim, recorder, example tools and command for it, into
# target/ARCHITECTURE/dist/. The plugin is this machine's: compilers run here. test: all that is tested there; part: ten
# minutes of that; fuzz: N random programs from SEED on.
#
# testsuite/src/target.rs says what tests find in that directory, which OMPCHUNK_TARGET names.
. "$(dirname "$0")/steps.sh"

# This machine's libiomp5 is for none of these programs.
unset OMPCHUNK_IOMP5

what=${1:-} architecture=${2:-aarch64}
case $architecture in
aarch64) debian=arm64 rust=aarch64-unknown-linux-gnu triple=aarch64-linux-gnu ;;
ppc64le) debian=ppc64el rust=powerpc64le-unknown-linux-gnu triple=powerpc64le-linux-gnu ;;
*) die "$architecture: aarch64 or ppc64le. Debian 12 has no packages for 64-bit RISC-V." ;;
esac
into=$root/target/$architecture
# Replaced as a whole when this list changes.
here=(rustc-web libstd-rust-web-dev qemu-user-static qemu-user libcapstone4 libglib2.0-0 libnuma1 liburing2)
there=(libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev zlib1g
  libomp5-19 libomp-22-dev libomp5-16 libflang-22-dev libstd-rust-web-dev)

# apt with lists of its own, which has both architectures.
apt() {
  local own=$into.new/apt program=$1
  mkdir -p "$own/lists/partial" "$own/cache/archives/partial"
  "$program" -o "APT::Architectures::=$(dpkg --print-architecture)" -o "APT::Architectures::=$debian" -o "Dir::State::Lists=$own/lists" \
    -o "Dir::Cache=$own/cache" -o APT::Sandbox::User=root -o Debug::NoLocking=true -o Acquire::Languages=none "${@:2}"
}

# unpack DIRECTORY PACKAGE... [PATTERN]
fetch_packages() {
  local log=$into.new/log package library
  command -v apt-get >/dev/null || die "no apt-get to fetch packages for $architecture with." "next: a Debian 12"
  rm -rf "$into.new"
  mkdir -p "$into.new"/{debs,rust,sysroot,libomp16,bin,lib}
  say "fetching packages for $architecture, about 200 MB"
  {
    apt apt-get update &&
      library=$(apt apt-cache show libstd-rust-web-dev | sed -n 's/^Depends: .*\(libstd-rust-web-[0-9.]*\) .*/\1/p' | head -1) &&
      cd "$into.new/debs" && apt apt-get download "${here[@]}" "$library" "${there[@]/%/:$debian}"
  } >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    die "could not fetch Debian's packages for $architecture   (all that apt-get said: $log)" \
      "next: Debian's archive must be reachable, and Debian 12's security updates among apt's sources"
  }
  cd "$root"
  for package in "$into.new"/debs/*.deb; do
    case ${package##*/} in
    qemu-user-static_*) dpkg --fsys-tarfile "$package" |
      tar -x -C "$into.new/bin" --strip-components=3 "./usr/bin/qemu-$architecture-static" ;;
    qemu-user_*) dpkg --fsys-tarfile "$package" | tar -x -C "$into.new/bin" --strip-components=3 "./usr/bin/qemu-$architecture" ;;
    libcapstone4_* | libglib2.0-0_* | libnuma1_* | liburing2_*) dpkg --fsys-tarfile "$package" |
      tar -x -C "$into.new/lib" --strip-components=4 --wildcards './usr/lib/*/*.so*' ;;
    libomp5-16_*) dpkg --fsys-tarfile "$package" |
      tar -x -C "$into.new/libomp16" --strip-components=5 ./usr/lib/llvm-16/lib/libomp.so.5 ;;
    *rust*) dpkg -x "$package" "$into.new/rust" ;;
    libflang-22-dev_*) dpkg --fsys-tarfile "$package" |
      tar -x -C "$into.new/sysroot" --wildcards './usr/lib/llvm-22/lib/clang/*' ;;
    *) dpkg -x "$package" "$into.new/sysroot" ;;
    esac
  done
  rm -rf "$into.new/debs" "$into.new/apt"
  # Links that name a place below / mean one below the sysroot.
  find "$into.new/sysroot" -type l -lname '/*' -print0 | while IFS= read -r -d '' package; do
    ln -sfr "$into.new/sysroot$(readlink "$package")" "$package"
  done
  say "$triple" >"$into.new/triple"
  ln -s "qemu-$architecture-static" "$into.new/bin/emulator"
}

wanted() { printf '%s\n' "$triple" "${here[@]}" "${there[@]}"; }

fetch_target() {
  unpacked
  wrappers
}

unpacked() {
  if [ -e "$into/wanted" ] && [ "$(wanted)" = "$(cat "$into/wanted")" ]; then return 0; fi
  fetch_packages
  # What was built there before is kept.
  local built
  for built in build plugin; do
    if [ -e "$into/$built" ]; then mv "$into/$built" "$into.new/$built"; fi
  done
  rm -rf "$into"
  mv -T "$into.new" "$into"
  wanted >"$into/wanted"
}

# rustc finds its own library, and the linker of that processor; flang builtins of LLVM's, which libgcc has by the same names; the emulator
# that takes plugins its libraries, of which its program learns nothing.
wrappers() {
  cat >"$into/bin/rustc" <<END
#!/bin/sh
LD_LIBRARY_PATH="$into/rust/usr/lib/$(uname -m)-linux-gnu" exec "$into/rust/usr/bin/rustc" "\$@"
END
  cat >"$into/bin/emulator-with-plugins" <<END
#!/bin/sh
LD_LIBRARY_PATH="$into/lib" exec "$into/bin/qemu-$architecture" -U LD_LIBRARY_PATH "\$@"
END
  local compiler
  for compiler in clang clang++; do
    cat >"$into/bin/$compiler" <<END
#!/bin/sh
exec /usr/lib/llvm-22/bin/$compiler --target=$triple --sysroot="$into/sysroot" --ld-path=/usr/lib/llvm-22/bin/ld.lld -Wno-unused-command-line-argument "\$@"
END
  done
  ln -sfr "$into/sysroot/usr/lib/gcc/$triple/12/libgcc.a" "$into/sysroot/usr/lib/llvm-22/lib/clang/22/lib/${triple/-/-unknown-}/libclang_rt.builtins.a"
  chmod +x "$into/bin/rustc" "$into/bin/clang" "$into/bin/clang++" "$into/bin/emulator-with-plugins"
}

# cargo_there COMMAND ARGUMENT... - for that processor; what it runs, it runs under the emulator.
cargo_there() {
  local upper=${rust^^}
  upper=CARGO_TARGET_${upper//-/_}
  env RUSTC="$into/bin/rustc" "${upper}_LINKER=$into/bin/clang" "CC_${rust//-/_}=$into/bin/clang" "AR_${rust//-/_}=/usr/lib/llvm-22/bin/llvm-ar" \
    "CXX_${rust//-/_}=$into/bin/clang++" "${upper}_RUNNER=$into/bin/emulator -L $into/sysroot" \
    CARGO_TARGET_DIR="$into/build" cargo "$1" --quiet --target "$rust" "${@:2}"
}

build_target() {
  local products=$into/build/$rust/release tool headers
  [ -e "$into/dist/lib/libompchunk_rt.so" ] || say "building shim, recorder, tools and command for $architecture"
  cargo_there build --release -p ompchunk-rt -p ompchunk-recorder -p chunk-print-rs -p chunk-balance-rs -p schedule-check -p ompchunk-cli
  put "$products/libompchunk_rt.so" "$into/dist/lib/libompchunk_rt.so"
  put "$products/libompchunk_rt.a" "$into/dist/lib/libompchunk_rt.a"
  cargo_there build --release -p ompchunk-rt --features restless --target-dir "$into/restless"
  put "$into/restless/$rust/release/libompchunk_rt.so" "$into/dist/restless/libompchunk_rt.so"
  ln -sfn ../lib/tools "$into/dist/restless/tools"
  put "$products/libompchunk_trace.so" "$into/dist/lib/libompchunk_trace.so"
  for tool in print balance; do
    put "$products/libchunk_${tool}_rs.so" "$into/dist/lib/tools/libchunk-$tool-rs.so"
  done
  put "$products/libschedule_check.so" "$into/dist/lib/tools/libschedule-check.so"
  headers=$(omp_headers_flag /usr/lib/llvm-22/bin/clang)
  for tool in print balance overhead; do
    "$into/bin/clang" -O2 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden ${headers:+"$headers"} -Iruntime-shim/include \
      "examples/tools/c/chunk-$tool.c" examples/tools/c/chunk-tool.c -o "$into/build/libchunk-$tool.so" -ldl
    put "$into/build/libchunk-$tool.so" "$into/dist/lib/tools/libchunk-$tool.so"
  done
  put "$products/ompchunk" "$into/dist/bin/ompchunk"
  # The command wants one beside it. It links with no LLVM, and LLVM's headers are the same for all processors.
  local -x "$(llvm_sys_prefix 22)=/usr/lib/llvm-22"
  cargo_there build --release -p ompchunk-pass --features llvm22 --target-dir "$into/plugin"
  put "$into/plugin/$rust/release/libompchunk.so" "$into/dist/lib/llvm-22/libompchunk.so"
}

# there NAME CARGO-TEST-ARGUMENT... - this machine's tests, of programs for that processor.
profile=()
there() { OMPCHUNK_TARGET=$into tests "$architecture, $1" "${profile[@]}" "${@:2}"; }

# suite FILTER [TEST-ARGUMENT...] - tests of one module of the test suite. target - those of another program.
suite() { step "$architecture, $1" there "$1" -p ompchunk-testsuite --test all -- "$@"; }
target() { step "$architecture, target" there target -p ompchunk-testsuite --test target -- "$@"; }

# shim MODULE... - the shim's own: ways to attach, what it says, the events of loops that are written by hand, collectors.
shim() {
  local listed names
  listed=$(tests_of ompchunk-rt "$@" | grep -v launchers_of_tools)
  mapfile -t names <<<"$listed"
  step "$architecture, shim" there shim -p ompchunk-rt --test all -- --exact "${names[@]}"
  say "left out: launchers, for which a shell of that processor would be needed; what is about libiomp5, which Intel does not build for it"
}

# What shows in minutes whether it works; CI runs it, so it has no instructions or times that differ from run to run.
part() {
  suite programs::clang-22/-O2 --skip=-O2-g
  shim attach bad_input events order registration runtimes::dispatch_events_of_serialized_loops
  target --skip=instructions
  say "left out: all other builds, and what \"scripts/cross.sh test\" runs beside them"
}

whole() {
  local file
  # The oracle reads gigabytes of logs.
  profile=(--release)
  step "$architecture, unit tests" cargo_there test --release --lib -p ompchunk-rt -p ompchunk-recorder -p ompt -p ompchunk-trace-format \
    -p ompchunk-analysis -p ompchunk-export
  shim attach bad_input collector collector_attacks events order registration runtimes::dispatch_events_of_serialized_loops
  step "$architecture, constructor" there constructor -p ompchunk-rt --test all -- runtimes::a_loop_in_a_constructor
  for file in programs link coverage tasks sub_blocks_attacked schedules_attacked schedules_hostile schedules_groups dispatch bad_input sampling \
    fuzz; do
    suite "$file::" --skip=libiomp5
  done
  target --skip=libiomp5
  say "left out: sanitizers and profiles, whose libraries are not fetched; files of tests that only compile, or need valgrind or gdb;" \
    "those of the recorder and the command, but for what \"target\" has of them"
}

case $what in
fetch | build | part | test | fuzz) ;;
*) die "usage: scripts/cross.sh fetch | build | part | test | fuzz [aarch64 | ppc64le]" ;;
esac
fetch_target
if [ "$what" = fetch ]; then exit; fi
build_target
case $what in
part) part ;;
test) whole ;;
fuzz) OMPCHUNK_TARGET=$into cargo run --quiet --release -p ompchunk-testsuite --bin fuzz ;;
esac
if [ "$what" = part ] || [ "$what" = test ]; then summary; fi
