#!/usr/bin/env bash
# demo.sh - compiles a real program with stock clang, without and with ompchunk, runs both under
# chunk-balance and prints what the tool saw side by side. TEXT= is its input, CHUNK= the chunk size of
# its heaviest loop.
. "$(dirname "$0")/common.sh"
cd "$root"

text=${TEXT:-examples/data/us-constitution.txt}
[ -r "$text" ] || die "cannot read TEXT=$text"

config=$(first_llvm_config)
major=$(major_of "$config") clang=$(clang_of "$config")
plugin=dist/lib/llvm-$major/libompchunk.so
# As one would type it.
if command -v "clang-$major" >/dev/null; then clang=clang-$major; fi

# At least two threads, or there is nothing to balance: some runtimes give a team of one the whole
# loop as one chunk.
threads=${OMP_NUM_THREADS:-$(nproc)}
case $threads in '' | *[!0-9]* | 0 | 1) threads=2 ;; esac
export OMP_NUM_THREADS=$threads
# Nothing else shall attach, and the tool shall not be in the way of other settings.
unset LD_PRELOAD OMP_TOOL OMPCHUNK_VERBOSE

work=target/demo
mkdir -p "$work"
flags=(-O2 -g -fopenmp)
"$clang" "${flags[@]}" examples/programs/wordpairs.c -o "$work/without"
"$clang" "${flags[@]}" -fpass-plugin="$plugin" examples/programs/wordpairs.c -o "$work/with"

# run NAME LIBRARIES
run() {
  OMP_TOOL_LIBRARIES=$2 CHUNK_BALANCE_FILE=$work/$1.report \
    "$work/$1" "$text" ${CHUNK:+"$CHUNK"} >"$work/$1.out"
}
tool=$PWD/dist/lib/tools/libchunk-balance.so
run without "$tool"
run with "$PWD/dist/lib/libompchunk_rt.so:$tool"
cmp -s "$work/without.out" "$work/with.out" ||
  die "the program printed something else with ompchunk: compare $work/without.out and $work/with.out"

runtime=$(ldd "$work/with" | awk '$1 ~ /omp/ && $3 { print $3; exit }')
say "program   wordpairs $text${CHUNK:+ $CHUNK}"
sed '/^ran /d; s/^/          /' "$work/with.out"
say "compiler  $("$clang" --version | head -1), ${flags[*]} (with ompchunk also -fpass-plugin=$plugin)"
say "runtime   $(readlink -f "${runtime:-unknown}"), $(sed -n '1s/.*; //p' "$work/with.report"), $OMP_NUM_THREADS threads"
say "tool      ${tool#"$PWD"/}, the same for both; it knows nothing of the program"
say "result    the same without and with ompchunk"
awk -f scripts/demo.awk "$work/without.out" "$work/without.report" "$work/with.report" ||
  die "ompchunk did not report every chunk that the program ran." \
    "next: OMPCHUNK_VERBOSE=1 make demo, and $work/with.report"

cat <<END

busy, longest: milliseconds from a chunk's event to the thread's next; without ompchunk a thread's
only event stands for everything it does in the loop.

next: every event as a line
  OMP_TOOL_LIBRARIES=dist/lib/libompchunk_rt.so:dist/lib/tools/libchunk-print.so \\
    $work/with $text
a better chunk size
  make demo CHUNK=16
your own program
  $clang -O2 -g -fopenmp -fpass-plugin=$plugin app.c -o app
  OMP_TOOL_LIBRARIES=dist/lib/libompchunk_rt.so:dist/lib/tools/libchunk-balance.so ./app
END
