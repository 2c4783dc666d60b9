//! Which tests `make test` runs: the lists of `scripts/check.sh`.

use std::path::Path;

use anyhow::{Result, ensure};

/// Files of tests, a program or a module of a room's program, and perhaps a filter each.
pub struct CheckList(pub Vec<(String, String)>);

impl CheckList {
    pub fn read(tree: &Path) -> Result<CheckList> {
        let script = std::fs::read_to_string(tree.join("scripts/check.sh"))?;
        let lists = script.split("cat <<END\n").skip(1).filter_map(|list| list.split_once("\nEND\n"));
        let lines = lists.flat_map(|(list, _)| list.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))));
        let files: Vec<_> = lines.map(|(file, part)| (file.to_owned(), part.to_owned())).collect();
        ensure!(!files.is_empty(), "scripts/check.sh has no list");
        Ok(CheckList(files))
    }

    /// A test by its file and its name.
    pub fn has(&self, key: &str) -> bool {
        let (unit, name) = key.split_once(' ').unwrap_or((key, ""));
        self.0.iter().any(|(listed, filter)| listed == unit && name.contains(&**filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_for_part_of_a_file() {
        let lines = [("trace/--lib", ""), ("testsuite/schedules", "run/")];
        let listed = CheckList(lines.map(|(file, part)| (file.to_owned(), part.to_owned())).into());
        assert!(listed.has("trace/--lib a::b"));
        assert!(listed.has("testsuite/schedules run/a"));
        assert!(!listed.has("testsuite/schedules steps/a"));
        assert!(!listed.has("testsuite/run run/a"));
    }
}
