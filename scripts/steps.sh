#!/usr/bin/env bash
# steps.sh - sourced by what runs checks: steps of which all run even if one fails, and a summary that names those that did, and how
# long each took, slowest first.
. "$(dirname "$0")/common.sh"
cd "$root"

export OMPCHUNK_DIST=$dist
passed=0 failed=() failures=() took=() why=()

sweep
trap sweep EXIT

# step NAME COMMAND... - the end of what a command says that fails is said again in the summary: by then it is far up.
step() {
  local name=$1 start=$SECONDS said teller status=0 reasons=${#why[@]}
  shift
  say "== $name"
  said=$(mktemp)
  # A pipe would run it in a shell of its own, where what it adds to the arrays is lost.
  exec {teller}> >(tee "$said")
  local process=$!
  "$@" >&"$teller" 2>&1 || status=$?
  exec {teller}>&-
  # Not for ever: what the command left running may hold the pipe.
  timeout 5 tail --pid="$process" -f /dev/null || true
  if [ "$status" -eq 0 ]; then
    passed=$((passed + 1))
    say "-- $name: passed, $((SECONDS - start)) s"
  else
    failed+=("$name")
    say "-- $name: FAILED, $((SECONDS - start)) s"
    [ ${#why[@]} -gt "$reasons" ] || why+=("$name:" "$(tail -n 12 "$said" | cut -c 1-300)")
  fi
  rm -f "$said"
  sweep
  took+=("$((SECONDS - start)) s  $name")
}

# tests NAME CARGO-TEST-ARGUMENT... - which of its files and modules took long is said in the summary, too. All of them run, even if one
# fails. Which tests did is in $failures.
tests() {
  local name=$1 log status=0 seconds what
  shift
  log=$(mktemp)
  cargo test --no-fail-fast "$@" 2>&1 | timed "$log" || status=1
  while read -r seconds what; do
    took+=("$seconds s  $name: $what")
  done < <(longest <"$log")
  # shellcheck disable=SC2034 # the scripts that source this file use it
  mapfile -t failures < <(sed -n 's/^[0-9]* test \(.*\) \.\.\. FAILED$/\1/p' "$log")
  if [ "$status" -ne 0 ]; then why+=("$(cut -d ' ' -f 2- "$log" | reasons)"); fi
  rm -f "$log"
  return "$status"
}

# timed LOG - writes down when each line came, and lets pass all but modules' tests that passed. A room's program says whose it is.
timed() {
  local line room
  while IFS= read -r line; do
    if [[ $line =~ Running\ tests/all/main.rs\ \((.*)\)$ ]]; then
      room=$(sed -n '1s|.*: \([^ ]*\)/tests/all/main.rs .*|\1|p' "${BASH_REMATCH[1]}.d") || room=.
      line=${line/tests\//$room/tests/}
    fi
    printf '%s %s\n' "$SECONDS" "$line" >&3
    [[ $line == "test "*::*" ... ok" ]] || say "$line"
  done 3>"$1"
}

# What took ten seconds or more: files, and modules of a room's program, by the time from one test's end to the next.
longest() {
  awk '$2 == "Running" { file = $3; sub(/\/tests\/all\/main.rs$/, "", file); sub(/.*\/|\.rs$/, "", file); last = $1 }
    $2 == "test" && $3 ~ /::/ { module = $3; sub(/::.*/, "", module); spent[file " " module] += $1 - last; last = $1 }
    / finished in [0-9.]+s$/ && file != "" { time = $NF; sub(/s$/, "", time); if (time + 0 >= 10) printf "%d %s\n", time, file; file = "" }
    END { for (module in spent) if (spent[module] >= 10) print spent[module], module }'
}

# tests_of PACKAGE NAME... - the full names of these tests, or modules' tests: as a filter, the name of a module fits others, too.
tests_of() {
  local listed module
  listed=$(cargo test --quiet -p "$1" --test all -- --list) || return 1
  for module in "${@:2}"; do
    sed -n "s/^\($module\(::.*\)\{0,1\}\): test$/\1/p" <<<"$listed" | grep . || { say "$1 has no tests in $module" >&2; return 1; }
  done
}

# Of the output of `cargo test`, which files of tests failed, and the beginning of what each of them says of it: it is far up by now.
reasons() {
  awk '$1 == "Running" || $1 == "Doc-tests" { file = $0; shown = 0 }
    /^failures:$/ { if (shown == 0) print file; shown = 1; next }
    /^test result:/ { if (shown) shown = -1 }
    shown > 0 && shown <= 40 && NF { print "  " substr($0, 1, 300); shown++ }
    /^error/ && shown == 0 { print substr($0, 1, 300) }'
}

summary() {
  say "slowest first:"
  printf '%s\n' "${took[@]}" | sort -rn | sed 's/^/  /'
  if [ ${#why[@]} -gt 0 ]; then
    say "what failed:"
    printf '%s\n' "${why[@]}" | sed 's/^/  /'
  fi
  say "steps: $passed passed, ${#failed[@]} failed${failed:+: ${failed[*]}}"
  [ ${#failed[@]} -eq 0 ]
}

style() {
  step "shell scripts" shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/tests/*.sh .ci/run
  step "format" cargo fmt --check
  step "clippy" cargo clippy --quiet --workspace --all-targets -- -D warnings
  # Advisories come from the network, so they are asked for by hand.
  if cargo deny --version >/dev/null 2>&1; then step "dependencies" cargo deny --offline check bans licenses sources; fi
}
