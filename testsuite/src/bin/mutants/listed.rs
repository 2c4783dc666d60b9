//! Which tests `make test` runs: the list of `scripts/check.sh`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::cases::Case;

/// Files of tests, and perhaps a filter each.
pub struct Listed(Vec<(String, String)>);

impl Listed {
    /// The list between `cat <<END` and `END`.
    pub fn read(tree: &Path) -> Result<Listed> {
        let script = std::fs::read_to_string(tree.join("scripts/check.sh"))?;
        let (_, list) = script.split_once("cat <<END\n").context("scripts/check.sh has no list")?;
        let (list, _) = list.split_once("\nEND\n").context("the list of scripts/check.sh has no end")?;
        Ok(Listed::of(list))
    }

    fn of(list: &str) -> Listed {
        let newest = ompchunk_testsuite::toolchain::MAJORS[0].to_string();
        let split = |line: &str| {
            let (unit, filter) = line.split_once(' ').unwrap_or((line, ""));
            (unit.to_owned(), filter.replace("$newest_tested", &newest))
        };
        Listed(list.lines().map(split).collect())
    }

    /// Is this test among them?
    pub fn has(&self, case: &Case) -> bool {
        self.has_key(&case.key())
    }

    /// The same, by its key.
    pub fn has_key(&self, key: &str) -> bool {
        let (unit, name) = key.split_once(' ').unwrap_or((key, ""));
        self.has_named(unit, name)
    }

    fn has_named(&self, unit: &str, name: &str) -> bool {
        self.0.iter().any(|(listed, filter)| listed == unit && name.contains(&**filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_for_part_of_a_file() {
        let listed = Listed::of("trace/--lib\ntestsuite/schedules run/");
        assert!(listed.has_key("trace/--lib a::b"));
        assert!(listed.has_key("testsuite/schedules run/a"));
        assert!(!listed.has_key("testsuite/schedules steps/a"));
        assert!(!listed.has_key("testsuite/run run/a"));
    }
}
