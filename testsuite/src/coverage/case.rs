//! A coverage case: a source file with one shape, and what shall become of it.
//!
//! Beside those of [`crate::facts`]; by default it runs with teams of 1 and 3 threads:
//!
//! | directive | meaning |
//! |---|---|
//! | `SHAPE: …` | the source shape, as the table shows it; required |
//! | `INSTRUMENTED: n` | how many loops the plugin instruments; 1 by default |
//! | `ALONE: sentence` | a static construct that it leaves alone, with the reason; one line for each |
//! | `CANNOT: sentence` | the stock compiler does not compile it |
//! | `WRONG: sentence` | the stock compiler's program runs iterations several times |
//! | `DIES: sentence` | the stock compiler's program ends by a signal |
//! | `SERIAL: sentence` | the compiler makes no worksharing of it, rightly |
//! | `THREADS-VARY: yes` | for Fortran, where which thread runs what is not settled |
//! | `NOTHING-RUNS: yes` | no loop has an iteration |
//! | `PROPOSED: old => new` | built from IR in which this is replaced, as compilers to come are proposed to write it |
//! | `VARIANT: …` | one row more, built with these flags; `profile` is a round trip of profiling |
//!
//! `INSTRUMENTED-16: n`, and so on for the sentences, holds instead for that major and older ones, down to the next such line;
//! `DIES-22: no` takes a sentence back for them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::directives::Directives;
use crate::dist;
use crate::facts::{Facts, sources};

const KNOWN: [&str; 17] = [
    "SHAPE", "INSTRUMENTED", "INSTRUMENTED-", "ALONE", "ALONE-", "CANNOT", "CANNOT-", "WRONG", "WRONG-", "DIES",
    "DIES-", "SERIAL", "SERIAL-", "PROPOSED", "THREADS-VARY", "NOTHING-RUNS", "VARIANT",
];

/// What shall become of a case with one compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The stock compiler fails, as the sentence says.
    Cannot(String),
    /// The stock compiler's program is wrong, as the sentence says, and nothing is instrumented.
    Wrong(String),
    /// The stock compiler's program ends by a signal, as the sentence says.
    Dies(String),
    /// The compiler makes no worksharing of it.
    Serial(String),
    /// It is compiled, and its events are exact.
    Exact,
}

/// A source file of `coverage/`.
#[derive(Debug)]
pub struct Case {
    pub file: String,
    pub facts: Facts,
    pub shape: String,
    /// Flags of the rows: none for the first.
    pub variants: Vec<String>,
    /// Which thread runs what is not settled.
    pub threads_vary: bool,
    pub runs: bool,
    /// What is replaced in the compiler's IR.
    pub proposed: Vec<(String, String)>,
    directives: Directives,
}

impl Case {
    pub fn read(source: &Path) -> Result<Case> {
        let (facts, directives) = Facts::read(source, &KNOWN, &[1, 3])?;
        let variants = directives.all("VARIANT").map(str::to_owned);
        let proposed = directives.all("PROPOSED").map(|line| {
            let (old, new) = line.split_once(" => ").context("PROPOSED: old => new")?;
            Ok((old.to_owned(), new.to_owned()))
        });
        Ok(Case {
            file: source.file_name().context("a file")?.to_string_lossy().into_owned(),
            facts,
            shape: directives.one("SHAPE").with_context(|| format!("{}: no SHAPE", source.display()))?.to_owned(),
            variants: std::iter::once(String::new()).chain(variants).collect(),
            threads_vary: directives.yes("THREADS-VARY"),
            runs: !directives.yes("NOTHING-RUNS"),
            proposed: proposed.collect::<Result<_>>()?,
            directives,
        })
    }

    pub fn all() -> Result<Vec<Case>> {
        let mut sources = sources(&dir(), &["c", "cpp", "f90"])?;
        sources.retain(|path| *path != fortran_main());
        sources.iter().map(|source| Case::read(source)).collect()
    }

    pub fn is_fortran(&self) -> bool {
        self.file.ends_with(".f90")
    }

    /// What shall become of it with a compiler of this major.
    pub fn outcome(&self, major: u32) -> Outcome {
        let sentence = |name| self.values(name, major).pop();
        if let Some(sentence) = sentence("CANNOT") {
            Outcome::Cannot(sentence)
        } else if let Some(sentence) = sentence("WRONG") {
            Outcome::Wrong(sentence)
        } else if let Some(sentence) = sentence("DIES") {
            Outcome::Dies(sentence)
        } else if let Some(sentence) = sentence("SERIAL") {
            Outcome::Serial(sentence)
        } else {
            Outcome::Exact
        }
    }

    pub fn instrumented(&self, major: u32) -> Result<usize> {
        match &self.values("INSTRUMENTED", major)[..] {
            [] => Ok(1),
            [number] => number.parse().context("INSTRUMENTED: not a number"),
            _ => bail!("{}: INSTRUMENTED twice", self.file),
        }
    }

    /// Why the others are not.
    pub fn alone(&self, major: u32) -> Vec<String> {
        self.values("ALONE", major)
    }

    /// The values of the directive for the major, or for the next newer one that has its own; or else of the one for all. `no`: none.
    fn values(&self, name: &str, major: u32) -> Vec<String> {
        let majors = self.directives.iter().filter_map(|(own, _)| {
            let suffix = own.strip_prefix(name)?.strip_prefix('-')?;
            suffix.parse().ok().filter(|newest: &u32| *newest >= major)
        });
        let name = match majors.min() {
            Some(newest) => format!("{name}-{newest}"),
            None => name.to_owned(),
        };
        let said = self.directives.all(&name).filter(|said| *said != "no");
        said.map(str::to_owned).collect()
    }

    /// The program's output says how often each iteration of its loops ran.
    pub fn is_counted(&self) -> bool {
        let expected = &self.facts.expected;
        !expected.unobserved && expected.cancelled.is_empty() && self.runs
    }

    /// The events of the runtime's own are all that there are.
    pub fn is_the_runtimes(&self) -> bool {
        !self.facts.expected.unjudged.is_empty()
    }
}

pub fn dir() -> PathBuf {
    dist::testsuite().join("coverage")
}

pub fn fortran_main() -> PathBuf {
    dir().join("fortran.c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_majors_can_have_their_own_expectation() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "// SHAPE: x\n// INSTRUMENTED: 2\n// INSTRUMENTED-16: 0\n// WRONG-19: z\n// WRONG-16: y\n";
        std::fs::write(file.path(), text).unwrap();
        let case = Case::read(file.path()).unwrap();
        assert_eq!(case.instrumented(22).unwrap(), 2);
        assert_eq!(case.outcome(22), Outcome::Exact);
        assert_eq!(case.outcome(19), Outcome::Wrong("z".to_owned()));
        assert_eq!(case.instrumented(17).unwrap(), 2);
        assert_eq!(case.outcome(17), Outcome::Wrong("z".to_owned()));
        assert_eq!(case.instrumented(16).unwrap(), 0);
        assert_eq!(case.outcome(15), Outcome::Wrong("y".to_owned()));
        std::fs::write(file.path(), "// SHAPE: x\n// DIES: y\n// DIES-22: no\n").unwrap();
        let case = Case::read(file.path()).unwrap();
        assert_eq!(case.outcome(23), Outcome::Dies("y".to_owned()));
        assert_eq!(case.outcome(22), Outcome::Exact);
    }
}
