//! Which tests `make test` runs: the list of `scripts/check.sh`.

use std::path::Path;

use anyhow::Result;
use ompchunk_testsuite::faults;

use crate::cases::Case;

/// Files of tests, and perhaps a filter each.
pub struct Listed(Vec<(String, String)>);

impl Listed {
    pub fn read(tree: &Path) -> Result<Listed> {
        Ok(Listed(faults::listed(tree)?))
    }

    pub fn has(&self, case: &Case) -> bool {
        self.has_key(&case.key())
    }

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
        let lines = [("trace/--lib", ""), ("testsuite/schedules", "run/")];
        let listed = Listed(lines.map(|(file, part)| (file.to_owned(), part.to_owned())).into());
        assert!(listed.has_key("trace/--lib a::b"));
        assert!(listed.has_key("testsuite/schedules run/a"));
        assert!(!listed.has_key("testsuite/schedules steps/a"));
        assert!(!listed.has_key("testsuite/run run/a"));
    }
}
