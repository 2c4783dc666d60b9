#!/usr/bin/env bash
# mutants.sh - which tests notice which of many small changes of the product's source: N of them (224), sampled with SEED (44), as many of
# each room that testsuite/src/bin/mutants/rooms.rs lists. All are in one build of a copy of the tree, in which a variable says which one is
# on. Each is run with the tests that come by it, one after another, until ENOUGH files of tests (3) have noticed it, one of those of `make test`
# among them if there is one. The result goes to docs/data/mutants.csv, after each. A run that was stopped goes on where it was, as long as the
# same mutants are asked for and no file has changed; ANEW=1 begins again. MOST=60 runs tests for at most so many seconds
# per mutant, and ONLY='^trace/' only those whose names it fits and those that are known from before: a later run without them goes on with
# mutants that are left open.
. "$(dirname "$0")/common.sh"
cd "$root"

tree=$root/target/mutants/tree
notes=$root/target/mutants/notes
JOBS=${JOBS:-$(cores)} ONLY=${ONLY:-}
export MOST ENOUGH LIMIT JOBS ONLY

# Of the newest LLVM alone.
LLVM_CONFIG=$(first_llvm_config)
export LLVM_CONFIG

newest_tested=$(sed -n 's/^pub const MAJORS: .* = \[\([0-9]*\),.*/\1/p' testsuite/src/toolchain.rs)

# What is no candidate because it is random, drives a browser, packages, measures time, counts instructions, or needs root.
is_apart() {
  case $1 in
  testsuite/--bins | testsuite/fuzz | testsuite/mutate | testsuite/secure | testsuite/check) return 0 ;;
  testsuite/instructions | testsuite/execution_instructions | testsuite/named_instructions | testsuite/section_instructions | testsuite/task_instructions | testsuite/sampling) return 0 ;;
  testsuite/target) return 0 ;;
  cli/perfetto | cli/load | cli/build_systems | cli/installed | cli/earlier | cli/documents | cli/mpi) return 0 ;;
  cli/bench | runtime-shim/loom | recorder/loom) return 0 ;;
  esac
  return 1
}

# Of suites that take minutes for each LLVM, the newest one's part.
part_of() {
  if is_apart "$1"; then return 1; fi
  case $1 in
  mutant/--lib | testsuite/stack) return 1 ;;
  testsuite/programs | testsuite/coverage | testsuite/link | testsuite/lines | testsuite/many_loops) say "lang-$newest_tested" ;;
  *) say "" ;;
  esac
}

# The tree as it is now, with what was built there before; git, since tests ask it for the files.
copy() {
  mkdir -p "$tree" "$notes"
  find "$tree" -mindepth 1 -maxdepth 1 ! -name target -exec rm -rf {} +
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
  done | tar --null --no-recursion -T - -cf - | tar -xf - -C "$tree"
  # Plugins for other LLVMs than the newest one stay as they are here.
  cp -a dist "$tree/dist"
  git -C "$tree" init --quiet
  git -C "$tree" add --all
}

# Modules of a room's program that have tests which do not wait for a part of their own.
modules_of() { comm -23 <("$1" --list | sort) <("$1" --list --ignored | sort) | sed -n 's/^\([a-z0-9_]*\)::.*: test$/\1/p' | sort -u; }

# Products, and a line for each file of tests, a program or a module of a room's program: name, program, package's folder, filter.
build() {
  (
    cd "$tree"
    for part in plugin shim recorder tools cli; do scripts/build.sh "$part" >/dev/null || exit 1; done
    cargo test --quiet --workspace --no-run --message-format=json-render-diagnostics >"$notes/cargo.json" || exit 1
    sed -n 's|.*"manifest_path":"'"$tree"'/\([^"]*\)/Cargo.toml".*"target":{"kind":\["\([a-z]*\)".*"name":"\([^"]*\)".*"test":true},"features".*"executable":"\([^"]*\)".*|\1 \2 \3 \4|p' \
      "$notes/cargo.json"
  ) | while read -r folder kind name program; do
    case $kind in
    test) name=$folder/$name ;;
    bin) name=$folder/--bins ;;
    example) continue ;;
    *) name=$folder/--lib ;;
    esac
    names=("$name")
    if [ "$name" = "$folder/all" ]; then mapfile -t names < <(modules_of "$program" | sed "s|^|$folder/|"); fi
    for name in "${names[@]}"; do
      filter=$(part_of "$name") || continue
      say "$name $program $folder${filter:+ $filter}"
    done
  done | sort -u >"$notes/files.new"
  [ -s "$notes/files.new" ] || return 1
  if cut -d" " -f1 "$notes/files.new" | uniq -d | grep .; then die "these are several files of tests"; fi
  mv "$notes/files.new" "$notes/files"
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
