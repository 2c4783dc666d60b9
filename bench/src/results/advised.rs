//! A measurement of advice as a file: under which conditions, and its cases so far.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::advice::Case;
use super::json;
use crate::plan::case::distinct;

/// What the file calls itself.
const FORMAT: &str = "ompchunk-advice-measured";
/// Of the format.
const VERSION: u32 = 1;

/// A measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advised {
    /// `ompchunk-advice-measured`.
    pub format: String,
    /// Of the format.
    pub version: u32,
    /// The version of ompchunk.
    pub ompchunk: String,
    /// Seconds since 1970, at the start of the last part.
    pub started: u64,
    /// Only some of the candidates, for a short time.
    pub is_quick: bool,
    /// Busy processes beside it.
    pub loaded: u32,
    /// Of each team.
    pub threads: u32,
    /// Where and how: names, and what they are.
    pub facts: Vec<(String, String)>,
    /// What makes it doubtful.
    pub warnings: Vec<String>,
    /// Programs on runtimes.
    pub cases: Vec<Case>,
}

impl json::Named for Advised {
    const READ: (&'static str, u32) = (FORMAT, VERSION);
    fn says(&self) -> (&str, u32) {
        (&self.format, self.version)
    }
}

impl Advised {
    /// Without cases.
    #[must_use]
    pub fn new(is_quick: bool, loaded: u32, threads: u32) -> Advised {
        Advised {
            format: FORMAT.to_owned(),
            version: VERSION,
            ompchunk: env!("CARGO_PKG_VERSION").to_owned(),
            started: 0,
            is_quick,
            loaded,
            threads,
            facts: Vec::new(),
            warnings: Vec::new(),
            cases: Vec::new(),
        }
    }

    /// From a file.
    pub fn read(file: &Path) -> Result<Advised> {
        json::read(file)
    }

    /// Into a file, at once or not at all.
    pub fn write(&self, file: &Path) -> Result<()> {
        json::write(self, file)
    }

    /// Takes the cases of an earlier part, if that was measured the same way.
    pub fn go_on_from(&mut self, earlier: Advised) {
        let same = |part: &Advised| (part.is_quick, part.loaded, part.threads, part.ompchunk.clone());
        if same(self) == same(&earlier) {
            self.cases = earlier.cases;
            // What was doubtful of the earlier cases stays so.
            self.warnings.extend(earlier.warnings);
        }
    }

    /// Puts a case in its place.
    pub fn put(&mut self, case: Case) {
        let is_same = |known: &&mut Case| known.program == case.program && known.runtime == case.runtime;
        match self.cases.iter_mut().find(is_same) {
            Some(there) => *there = case,
            None => self.cases.push(case),
        }
    }

    /// The runtimes, as they come.
    #[must_use]
    pub fn runtimes(&self) -> Vec<&str> {
        distinct(self.cases.iter().map(|case| &*case.runtime))
    }
}

#[cfg(test)]
mod tests {
    use super::super::advice::tests::{candidate, case};
    use super::*;

    #[test]
    fn goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("advice.json");
        let mut first = Advised::new(true, 0, 2);
        first.put(case(None, None, vec![candidate("guided", 1.0, 1.0, 1.0)]));
        first.write(&file).unwrap();
        let mut second = Advised::new(true, 0, 2);
        second.go_on_from(Advised::read(&file).unwrap());
        assert_eq!(second.cases, first.cases);
        let changed = case(None, Some("guided"), Vec::new());
        second.put(changed.clone());
        assert_eq!(second.cases, [changed]);
        assert_eq!(second.runtimes(), ["libomp"]);
        let mut loaded = Advised::new(true, 4, 2);
        loaded.go_on_from(first);
        assert!(loaded.cases.is_empty());
        std::fs::write(&file, "{}").unwrap();
        assert!(format!("{:#}", Advised::read(&file).unwrap_err()).contains("advice.json"));
    }
}
