# planted.sh - sourced by what plants faults in a copy of the tree, $tree, and runs tests there. What is noted goes to $notes. The script
# that sources it has part_of NAME: a filter for a file of tests, or an error if the file is no candidate.
# shellcheck shell=bash disable=SC2154 # the scripts that source this file set these two
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# Of the newest LLVM alone.
LLVM_CONFIG=$(first_llvm_config)
export LLVM_CONFIG

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
