#!/usr/bin/env bash
# pictures.sh - makes the pictures of README.md and the docs anew, in docs/pictures/: of a real recording of
# examples/programs/covariance.c, as the terminal shows it and as the browser shows its page. After make.
# Needs chromium and pngquant. On a busy machine run it as root: the program then runs before everything else.
. "$(dirname "$0")/common.sh"
cd "$root"

for needed in chromium pngquant script cargo; do
  command -v "$needed" >/dev/null || die "$needed is not installed." "next: apt-get install chromium pngquant bsdutils"
done
[ -x dist/bin/ompchunk ] || die "nothing is built yet." "next: make"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The path of a source as its owner has it, not that of this tree.
for name in covariance wordpairs; do
  "$dist/bin/ompchunk" cc -O2 -g "-ffile-prefix-map=$root=" -fopenmp "examples/programs/$name.c" -o "$work/$name" -lm
done
cp examples/data/us-constitution.txt "$work/text"

# Before everything else if that is allowed, but for less than the second after which Linux lets others go on.
first=()
if chrt -f 20 true 2>/dev/null; then first=(chrt -f 20); fi
cd "$work"
export OMP_NUM_THREADS=2 KMP_BLOCKTIME=0
# undisturbed TRACE PROGRAM ARGUMENTS... - records it; again if the machine took its threads off their cores, ten times at most
undisturbed() {
  local trace=$1 _
  shift
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    "${first[@]}" "$dist/bin/ompchunk" record "${options[@]}" --force -o "$trace.ompchunk" "$@" >/dev/null 2>&1
    if ! "$dist/bin/ompchunk" report "$trace.ompchunk" | grep -q 'not on a core'; then return; fi
    sleep 1
  done
  say "the machine is busy: the picture of $1 shows it"
}
options=()
undisturbed covariance ./covariance 4
undisturbed wordpairs ./wordpairs text 512
options=(--profile)
undisturbed profile ./covariance 20

# A terminal of 110 columns, and what it shows.
{
  printf '\e[32m$\e[0m ompchunk report covariance.ompchunk\n'
  script -qec "stty rows 50 cols 110; exec '$dist/bin/ompchunk' report covariance.ompchunk" /dev/null
} >shown
mkdir -p "$root/docs/pictures"
(cd "$root" && cargo run --quiet -p ompchunk-cli --example terminal_svg) <shown >"$root/docs/pictures/report-terminal.svg"

# page NAME PICTURE HEIGHT [STYLE] - the upper part of the page of a recording, with a style of its own
page() {
  "$dist/bin/ompchunk" report "$1.ompchunk" --html "$1.html" >/dev/null
  printf '<style>%s</style>' "${4:-}" >>"$1.html"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" --window-size="1360,$3" \
    --screenshot="$work/$1.png" "file://$work/$1.html" >/dev/null 2>&1
  pngquant --strip --force --output "$root/docs/pictures/$2.png" 64 "$1.png"
}
page covariance report-html 985
page wordpairs report-page 1390
# What iterations cost, and what other schedules would make of it.
page profile report-whatif 940 'header, footer, section:not(#loop), #loop > * { display: none } #loop > h2 { display: flex; margin-top: 0 }
  #loop > div:has(> canvas[aria-label^="what iterations"]), #loop > div:has(> canvas[aria-label^="time under"]) { display: block }'
ls -l "$root/docs/pictures"
