#!/usr/bin/env bash
# install.sh install | uninstall - copies dist/ to DESTDIR/PREFIX with a pkg-config file, a CMake
# package and a modulefile, or removes what install put there. Never builds: run make first, as yourself.
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
  for file in chunk-print chunk-balance chunk-overhead chunk-print-rs chunk-balance-rs schedule-check; do
    say "dist/lib/tools/lib$file.so lib/ompchunk/tools/lib$file.so"
  done
  say "dist/lib/libompchunk_rt.so lib/libompchunk_rt.so"
  say "dist/lib/libompchunk_rt.a lib/libompchunk_rt.a"
  say "dist/lib/libompchunk_trace.so lib/libompchunk_trace.so"
  say "dist/lib/libompchunk_stock.so lib/libompchunk_stock.so"
  for file in ompchunk ompchunk-clang ompchunk-clang++ ompchunk-flang; do say "dist/bin/$file bin/$file"; done
  for file in dist/share/man/man1/*.1; do
    if [ -e "$file" ]; then say "$file ${file#dist/}"; fi
  done
  for file in bash-completion/completions/ompchunk zsh/site-functions/_ompchunk fish/vendor_completions.d/ompchunk.fish; do
    say "dist/share/$file share/$file"
  done
  say "dist/include/ompt-chunk.h include/ompt-chunk.h"
  say "packaging/ompchunk.pc.in lib/pkgconfig/ompchunk.pc"
  say "packaging/ompchunkConfig.cmake lib/cmake/ompchunk/ompchunkConfig.cmake"
  say "packaging/ompchunkConfigVersion.cmake.in lib/cmake/ompchunk/ompchunkConfigVersion.cmake"
  say "packaging/modulefile.in share/modulefiles/ompchunk/$(version)"
}

# allowed NEXT - ends unless every directory that would be written to can be, before anything is.
allowed() {
  local under directory
  files | cut -d' ' -f2 | while read -r under; do
    directory=$(dirname "$to/$under")
    # A directory that install makes needs one above that may be written to.
    until [ -e "$directory" ]; do directory=$(dirname "$directory"); done
    [ -d "$directory" ] || die "cannot write to $to: $directory is no directory." "next: another PREFIX"
    if [ ! -w "$directory" ] || [ ! -x "$directory" ]; then
      die "cannot write to $directory: no permission. Nothing was changed." "next: $1"
    fi
    if [ -d "$to/$under" ]; then die "cannot write $to/$under: a directory is in its place." "next: another PREFIX"; fi
  done
}

install_all() {
  local from under number
  number=$(version)
  ls dist/lib/llvm-*/libompchunk.so dist/lib/libompchunk_rt.so dist/lib/libompchunk_trace.so dist/lib/libompchunk_stock.so dist/lib/tools/libchunk-print.so dist/bin/ompchunk \
    >/dev/null 2>&1 || die "not everything is built yet." "next: make"
  allowed "sudo make install PREFIX=$prefix, or a PREFIX of your own: make install PREFIX=\$HOME/.local"
  filled=$(mktemp)
  trap 'rm -f "$filled"' EXIT
  files | while read -r from under; do
    case $from in
    *.in)
      sed "s/@VERSION@/$number/; s/@MAJOR@/$(cut -d. -f1 <<<"$number")/; s/@MINOR@/$(cut -d. -f2 <<<"$number")/" \
        "$from" >"$filled"
      install -D -m 644 "$filled" "$to/$under"
      ;;
    # Links to the command.
    */bin/ompchunk-*) ln -sfn ompchunk "$to/$under" ;;
    *.so | */bin/*) install -D -m 755 "$from" "$to/$under" ;;
    *) install -D -m 644 "$from" "$to/$under" ;;
    esac
    say "  $to/$under"
  done
  # The dynamic linker finds new libraries in the system's own directories by name only once it was told.
  # All that ldconfig says is read: a pipe closed early would be its failure.
  if [ -z "${DESTDIR:-}" ] && [ "$(id -u)" = 0 ] && ldconfig -NXv 2>/dev/null | cut -d: -f1 | grep -xF "$prefix/lib" >/dev/null; then
    ldconfig || say "ompchunk: next: ldconfig, for programs that name libompchunk_rt.so without its directory"
  fi
}

uninstall_all() {
  local under directory
  [ ! -e "$to" ] || allowed "sudo make uninstall PREFIX=$prefix"
  {
    files | cut -d' ' -f2
    # Plugins that were installed from another build.
    (cd "$to" 2>/dev/null && ls lib/ompchunk/llvm-*/libompchunk.so 2>/dev/null) || true
  } | sort -u | while read -r under; do
    rm -f "$to/$under"
  done
  # Ours alone; directories that others share stay.
  for directory in "$to"/lib/ompchunk/llvm-* "$to/lib/ompchunk/tools" "$to/lib/ompchunk" "$to/lib/cmake/ompchunk" "$to/share/modulefiles/ompchunk"; do
    if [ -d "$directory" ]; then rmdir --ignore-fail-on-non-empty "$directory"; fi
  done
}

case ${1:-} in
install | uninstall) "$1_all" ;;
*) die "usage: scripts/install.sh install | uninstall" ;;
esac
