#!/usr/bin/env bash
# book.sh - the documents as a book, into target/book/.
. "$(dirname "$0")/common.sh"
cd "$root"

command -v mdbook >/dev/null || die "mdbook is not installed." "next: cargo install mdbook --locked"

# What the documents link to outside of docs/ is no part of the book; there such links lead to the repository.
repository=$(sed -n 's/^git-repository-url = "\(.*\)"$/\1/p' book.toml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r book.toml docs "$work"
find "$work/docs" -name '*.md' -exec sed -i -E "s#\]\((\.\./)+#](@#g" {} +
find "$work/docs" -name '*.md' -exec sed -i -E "s#\]\(@#]($repository/blob/main/#g" {} +

said=$(mdbook build "$work" --dest-dir "$root/target/book" 2>&1) || die "mdbook failed:" "$said"
if grep -qE '^ *(WARN|ERROR)' <<<"$said"; then die "the book has mistakes:" "$said"; fi
say "target/book/index.html"
