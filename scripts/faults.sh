#!/usr/bin/env bash
# faults.sh [FAULT...] - which file of tests, a program or a module of a room's program, notices which of the faults in testsuite/faults/faults.patch,
# and how long each file takes. Each fault is planted alone in a copy of the tree, never in the tree; what it goes into is built, and
# every file of tests that reads what it changed is run by itself. Of these faults, or all of them, the result goes to
# docs/data/faults.csv, after each, beside what was measured of others before: from it check.sh's files are chosen. Ends with an error
# if a patch does not apply, a fault does not build, or the tree fails without faults.
. "$(dirname "$0")/planted.sh"

tree=$root/target/faults/tree
notes=$root/target/faults/notes
planted=testsuite/faults/faults.patch
patches=$notes/patches
# Until a file of tests counts as hung, in seconds. All of them take less on a machine that does little else.
limit=${LIMIT:-300}
jobs=$(cores)

# Nor is what takes longer than a quarter of a minute on two cores that do nothing else. Of some of these, the part that a filter names is one.
part_of() {
  if is_apart "$1"; then return 1; fi
  case $1 in
  testsuite/coverage | testsuite/link | testsuite/ir | testsuite/stack | testsuite/lines | testsuite/many_loops) return 1 ;;
  recorder/bounds | recorder/harm | recorder/silent | recorder/many_loops | recorder/sums_without_room | recorder/steer) return 1 ;;
  testsuite/programs) say "schedules" ;;
  *) say "" ;;
  esac
}

# Where the notes of a file of tests are.
of() { say "$notes/of/${1//\//.}"; }

# run NAME PROGRAM FOLDER WRAPPER... - one file of tests: passes, fails or hangs in $result, and its processor time in $seconds.
run() {
  local name=$1 program=$2 folder=$3 status=0 filter words=() at
  shift 3
  filter=$(part_of "$name")
  if [ -n "$filter" ]; then words+=("$filter"); fi
  if [[ $name == testsuite/[!-]* ]]; then
    words=("${name#*/}::$filter")
  elif [[ ${program##*/} == all-* ]]; then
    mapfile -t words < <("$program" --list | sed -n "s/^\(${name##*/}::.*\): test$/\1/p")
    words=(--exact "${words[@]}")
  fi
  at=$(of "$name")
  local -x TMPDIR=$at/tmp OMPCHUNK_DIST=$tree/dist
  rm -rf "$TMPDIR"
  mkdir -p "$TMPDIR"
  local TIMEFORMAT='%U %S'
  {
    time {
      (cd "$tree/$folder" && exec timeout --kill-after=5 "$limit" "$@" "$program" --quiet "${words[@]}") \
        >"$at/output" 2>&1 </dev/null || status=$?
    }
  } 2>"$at/time"
  rm -rf "$TMPDIR"
  seconds=$(awk 'END { printf "%.1f", $1 + $2 }' "$at/time")
  case $status in
  0) result=passes ;;
  124 | 137) result=hangs ;;
  *) result=fails ;;
  esac
}

# each FUNCTION - of every file of tests, as many at once as there are cores.
each() {
  local name program folder running=0
  while read -r name program folder _ <&3; do
    if [ "$running" -ge "$jobs" ]; then
      wait -n || die "$1 failed"
      running=$((running - 1))
    fi
    mkdir -p "$(of "$name")"
    "$1" "$name" "$program" "$folder" 3<&- &
    running=$((running + 1))
  done 3<"$notes/files"
  while [ "$running" -gt 0 ]; do
    wait -n || die "$1 failed"
    running=$((running - 1))
  done
}

# A file of tests without faults: that it passes, its seconds, and what it reads of the tree; not again as long as that is the same.
# The seconds are those of a second run, without strace.
learn() {
  local name=$1 program=$2 at
  at=$(of "$name")
  if [ -e "$at/sums" ] && grep -qxF "$program" "$at/reads" && sha256sum --check --status "$at/sums" 2>/dev/null; then return 0; fi
  rm -f "$at/sums" "$at/reads" "$at/seconds" "$at/failed"
  run "$@" strace -f --seccomp-bpf -qq -e trace=open,openat,execve -e signal=none -o "$at/trace"
  if [ "$result" = passes ]; then
    {
      say "$program"
      { grep -v ENOENT "$at/trace" || true; } | { grep -o "\"$tree/[^\"]*\"" || true; } | tr -d '"' |
        { grep -v "^$tree/target/tmp/" || true; } | while read -r path; do if [ -f "$path" ]; then say "$path"; fi; done
    } | sort -u >"$at/reads"
    tr '\n' '\0' <"$at/reads" | xargs -0 sha256sum >"$at/sums"
  else
    # A debugger cannot trace what strace traces. What is read is not known then, and the file is run with each fault.
    say "*" >"$at/reads"
  fi
  rm -f "$at/trace"
  run "$@"
  [ "$result" = passes ] || cp "$at/output" "$at/failed"
  say "$seconds" >"$at/seconds"
  say "  $name: $result, $seconds s"
}

# All that files of tests read, with its digest; of what was not touched since, the one from before.
digests() {
  while read -r name _; do cat "$(of "$name")/reads"; done <"$notes/files" | sort -u | { grep -vx '\*' || true; } | tr '\n' '\0' |
    { xargs -0 stat --printf '%i:%s:%.9Y %n\n' 2>/dev/null || true; } >"$notes/stats"
  touch "$notes/known"
  awk 'NR == FNR { known[$0]; next } !($0 in known) { sub(/^[^ ]* /, ""); print }' \
    <(cut -d' ' -f1,3- "$notes/known") "$notes/stats" | tr '\n' '\0' | xargs -0 -r sha256sum >"$notes/new"
  awk 'FILENAME == ARGV[1] { digest[substr($0, 67)] = $1; next }
    FILENAME == ARGV[2] { key = $1 " " substr($0, length($1) + length($2) + 3); known[key] = $2; next }
    { path = substr($0, length($1) + 2); print $1, (path in digest ? digest[path] : known[$0]), path }' \
    "$notes/new" "$notes/known" "$notes/stats" >"$notes/known.now"
  mv "$notes/known.now" "$notes/known"
  cut -d' ' -f2- "$notes/known" | sort
}

# A file of tests with a fault: not again if all that it reads is the same.
try() {
  local name=$1 at
  at=$(of "$name")
  result=same
  if grep -qx '\*' "$at/reads" || [ -n "$(comm -12 "$notes/changed" "$at/reads")" ]; then
    run "$@"
    # Some tests fail now and then where the machine is busy. The fault is noticed where they fail twice.
    [ "$result" = passes ] || run "$@"
  fi
  say "$fault $name $result" >"$at/result"
}

# plant FAULT - a line FAULT NAME RESULT per file of tests.
plant() {
  local fault=$1 name
  local patch=$patches/$fault.patch
  git -C "$tree" apply --check "$patch" 2>"$notes/apply" ||
    die "$fault: the patch does not apply: $(head -n 1 "$notes/apply")" "next: plant the same fault in what the code is now, or take it out."
  git -C "$tree" apply "$patch"
  build || die "$fault: it does not build" "next: a fault that the compiler finds says nothing of tests; change it."
  digests >"$notes/digests.now"
  comm -13 "$notes/digests" "$notes/digests.now" | cut -d' ' -f2- | sort >"$notes/changed"
  [ -s "$notes/changed" ] || die "$fault: nothing that any test reads is different"
  each try
  while read -r name _; do cat "$(of "$name")/result"; done <"$notes/files"
  git -C "$tree" apply -R "$patch"
}

# What an earlier run found of a fault: a file of tests that was not there then is absent.
before() {
  awk -F, -v name="$1" -v fault="$2" 'NR == 1 { for (i = 4; i <= NF; i++) if ($i == fault) at = i }
    $1 == name { print $at; found = 1 } END { if (!found) print "absent" }' "$notes/before.csv"
}

# A row per file of tests, a column per fault.
table() {
  local fault columns=() known
  known=$(head -n 1 "$notes/before.csv" | cut -d, -f4- | tr , ' ')
  for fault in "${all[@]}"; do
    case " ${done[*]} $known " in
    *" $fault "*) columns+=("$fault") ;;
    esac
  done
  {
    printf 'file,part,seconds'
    for fault in "${columns[@]}"; do printf ',%s' "$fault"; done
    printf '\n'
    while read -r name _; do
      printf '%s,%s,%s' "$name" "$(part_of "$name")" "$(cat "$(of "$name")/seconds")"
      for fault in "${columns[@]}"; do
        case " ${done[*]} " in
        *" $fault "*) awk -v name="$name" '$2 == name { printf ",%s", $3 }' "$notes/result-$fault" ;;
        *) printf ',%s' "$(before "$name" "$fault")" ;;
        esac
      done
      printf '\n'
    done <"$notes/files"
  } >"$1"
}

trap '[ $? -eq 0 ] || printf "ompchunk: faults.sh ended early\n" >&2' EXIT
command -v strace >/dev/null || die "strace is not installed, which says what tests read." "next: apt-get install strace"
fetch

rm -rf "$patches"
mkdir -p "$patches"
awk -v to="$patches" '/^#--- / { file = to "/" $2; next } { print > file }' "$planted"
all=()
for patch in "$patches"/*.patch; do
  fault=${patch##*/}
  all+=("${fault%.patch}")
done
faults=("$@")
[ $# -gt 0 ] || faults=("${all[@]}")
for fault in "${faults[@]}"; do
  [ -e "$patches/$fault.patch" ] || die "no fault $fault in $planted; there are ${all[*]}"
done

say "== without faults"
copy
build || die "the tree does not build"
each learn
failed=()
while read -r name _; do
  if [ -e "$(of "$name")/failed" ]; then failed+=("$name"); fi
done <"$notes/files"
[ ${#failed[@]} -eq 0 ] || die "without faults fail: ${failed[*]}" "next: make these tests pass; $notes/of/*/failed says why they do not."
digests >"$notes/digests"
cp docs/data/faults.csv "$notes/before.csv"
nobody=() done=()
for fault in "${faults[@]}"; do
  say "== $fault"
  plant "$fault" >"$notes/result-$fault.new"
  mv "$notes/result-$fault.new" "$notes/result-$fault"
  sed -n 's/^[^ ]* \(.*\) \(fails\|hangs\)$/  \1: \2/p' "$notes/result-$fault"
  done=("${done[@]}" "$fault")
  table docs/data/faults.csv
  grep -q ' \(fails\|hangs\)$' "$notes/result-$fault" || nobody+=("$fault")
done
say "docs/data/faults.csv: ${#done[@]} faults, $(wc -l <"$notes/files") files of tests"
say "noticed by nobody: ${nobody[*]:-none}"
