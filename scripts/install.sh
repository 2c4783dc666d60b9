#!/usr/bin/env bash
# install.sh install | uninstall - copies dist/ to DESTDIR/PREFIX with a pkg-config file and a CMake
# package, or removes what install put there. Never builds: run make first, as yourself.
. "$(dirname "$0")/common.sh"
cd "$root"

prefix=${PREFIX:-/usr/local}
case $prefix in
/*) ;;
*) die "PREFIX=$prefix must be an absolute path (DESTDIR is put before it)." ;;
esac
to=${DESTDIR:-}$prefix

# Every product: what it is called in dist/ or packaging/, and where it goes below the prefix.
files() {
  local file
  for file in dist/lib/llvm-*/libompchunk.so; do
    if [ -e "$file" ]; then say "$file lib/ompchunk/${file#dist/lib/}"; fi
  done
  for file in print balance print-rs balance-rs; do
    say "dist/lib/tools/libchunk-$file.so lib/ompchunk/tools/libchunk-$file.so"
  done
  say "dist/lib/libompchunk_rt.so lib/libompchunk_rt.so"
  say "dist/lib/libompchunk_rt.a lib/libompchunk_rt.a"
  say "dist/lib/libompchunk_trace.so lib/libompchunk_trace.so"
  say "dist/bin/ompchunk bin/ompchunk"
  for file in '' -cc -c++ -fc -run -record -loops -doctor -completions -man; do
    say "dist/share/man/man1/ompchunk$file.1 share/man/man1/ompchunk$file.1"
  done
  for file in bash-completion/completions/ompchunk zsh/site-functions/_ompchunk fish/vendor_completions.d/ompchunk.fish; do
    say "dist/share/$file share/$file"
  done
  say "dist/include/ompt-chunk.h include/ompt-chunk.h"
  say "packaging/ompchunk.pc.in lib/pkgconfig/ompchunk.pc"
  say "packaging/ompchunkConfig.cmake lib/cmake/ompchunk/ompchunkConfig.cmake"
  say "packaging/ompchunkConfigVersion.cmake.in lib/cmake/ompchunk/ompchunkConfigVersion.cmake"
}

install_all() {
  local from under number
  number=$(version)
  ls dist/lib/llvm-*/libompchunk.so dist/lib/libompchunk_rt.so dist/lib/libompchunk_trace.so dist/lib/tools/libchunk-print.so dist/bin/ompchunk \
    >/dev/null 2>&1 || die "not everything is built yet." "next: make"
  files | while read -r from under; do
    case $from in
    *.in)
      mkdir -p "$(dirname "$to/$under")"
      sed "s/@VERSION@/$number/; s/@MAJOR@/$(cut -d. -f1 <<<"$number")/; s/@MINOR@/$(cut -d. -f2 <<<"$number")/" \
        "$from" >"$to/$under"
      chmod 644 "$to/$under"
      ;;
    *.so | */bin/*) install -D -m 755 "$from" "$to/$under" ;;
    *) install -D -m 644 "$from" "$to/$under" ;;
    esac
    say "  $to/$under"
  done
}

uninstall_all() {
  local under directory
  {
    files | cut -d' ' -f2
    # Plugins that were installed from another build.
    (cd "$to" 2>/dev/null && ls lib/ompchunk/llvm-*/libompchunk.so 2>/dev/null) || true
  } | sort -u | while read -r under; do
    rm -f "$to/$under"
  done
  # Ours alone; directories that others share stay.
  for directory in "$to"/lib/ompchunk/llvm-* "$to/lib/ompchunk/tools" "$to/lib/ompchunk" "$to/lib/cmake/ompchunk"; do
    if [ -d "$directory" ]; then rmdir --ignore-fail-on-non-empty "$directory"; fi
  done
}

case ${1:-} in
install | uninstall) "$1_all" ;;
*) die "usage: scripts/install.sh install | uninstall" ;;
esac
