#!/usr/bin/env bash
# mutants.sh - which tests notice which of many small changes of the product's source: N of them (224), sampled with SEED (44), as many of
# each room that testsuite/src/bin/mutants/rooms.rs lists. All are in one build of a copy of the tree, in which a variable says which one is
# on. Each is run with the tests that come by it, one after another, until ENOUGH files of tests (3) have noticed it, one of those of `make test`
# among them if there is one. The result goes to docs/data/mutants.csv, after each. A run that was stopped goes on where it was, as long as the
# same mutants are asked for and no file has changed; ANEW=1 begins again. MOST=60 runs tests for at most so many seconds
# per mutant, and ONLY='^trace/' only those whose names it fits and those that are known from before: a later run without them goes on with
# mutants that are left open.
. "$(dirname "$0")/planted.sh"

tree=$root/target/mutants/tree
notes=$root/target/mutants/notes
JOBS=${JOBS:-$(cores)} ONLY=${ONLY:-}
export MOST ENOUGH LIMIT JOBS ONLY

newest_tested=$(sed -n 's/^pub const MAJORS: .* = \[\([0-9]*\),.*/\1/p' testsuite/src/toolchain.rs)

# Of suites that take minutes for each LLVM, the newest one's part.
part_of() {
  if is_apart "$1"; then return 1; fi
  case $1 in
  mutant/--lib | testsuite/stack) return 1 ;;
  testsuite/programs | testsuite/coverage | testsuite/link | testsuite/lines | testsuite/many_loops) say "lang-$newest_tested" ;;
  *) say "" ;;
  esac
}

plant() {
  copy
  rm -rf "$notes"
  mkdir -p "$notes"
  local major
  major=$(major_of "$LLVM_CONFIG")
  env "$(llvm_sys_prefix "$major")=$("$LLVM_CONFIG" --prefix)" "$tool" plant "$tree" "$notes" "$major" "${SEED:-44}" "${N:-224}"
  build || die "the tree with mutants does not build"
  # Some tests read the source. What was built stays.
  git -C "$tree" checkout --quiet -- .
  rm -rf "$tree/mutant"
  printf '%s\n' "$1" >"$notes/planted"
}

fetch
trap '[ $? -eq 0 ] || printf "ompchunk: mutants.sh ended early\n" >&2; sweep' EXIT

cargo build --quiet -p ompchunk-testsuite --bin mutants --target-dir target/mutants/tool
tool=$root/target/mutants/tool/debug/mutants
# The mutants, and all that they were planted in; not the table, which is written here.
asked="${SEED:-44} ${N:-224} $(git ls-files -s --cached -- ':!docs' ':!CONTRIBUTING.md' | sha256sum) $(git diff -- ':!docs' ':!CONTRIBUTING.md' | sha256sum)"
if [ -n "${ANEW:-}" ] || [ "$(cat "$notes/planted" 2>/dev/null)" != "$asked" ]; then plant "$asked"; fi
"$tool" judge "$tree" "$notes" "$root/docs/data/mutants.csv"
