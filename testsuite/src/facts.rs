//! What a program of `run/` or `coverage/` says of itself, whatever it is built with.
//!
//! | directive | meaning |
//! |---|---|
//! | `THREADS: …` | team sizes |
//! | `ENV: NAME=value …` | one run more, with these variables; several lines, several runs |
//! | `FLAGS: …` | further flags for compiler and linker |
//! | `DEALT: …` | numbers of loops whose chunks the runtime deals |
//! | `MONOTONIC: …` | those of them with `ordered` or `monotonic:`: each thread has its chunks in ascending order |
//! | `FROM-1: …` | those of them that the compiler counts from 1, as the runtime then says |
//! | `CANCELLED: …` | numbers of loops that may be cancelled |
//! | `UNJUDGED: …` | numbers of loops of which the runtime says what it likes, or `all` |
//! | `DISTRIBUTE: …` | numbers of loops that the runtime takes for worksharing loops, but are `distribute` |
//! | `BEGUN-TWICE: yes` | the compiler asks the runtime twice to begin each loop, and once to end it |
//! | `USER: …` | loops whose `STEP`s say the user's variable, of which start and step must be known |
//! | `NO-USER: …` | loops without a single variable that counts: nothing may be said of it |
//! | `BY-THREAD: yes` | what iterations compute depends on the thread that runs them |
//! | `UNOBSERVED: yes` | the loops do not tell the oracle of their iterations |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::directives::Directives;
use crate::oracle::Expected;

pub type Environment = Vec<(String, String)>;

const KNOWN: [&str; 14] = [
    "THREADS", "ENV", "FLAGS", "DEALT", "MONOTONIC", "FROM-1", "CANCELLED", "UNJUDGED", "DISTRIBUTE", "BEGUN-TWICE",
    "USER", "NO-USER", "BY-THREAD", "UNOBSERVED",
];

#[derive(Debug, Clone)]
pub struct Facts {
    pub source: PathBuf,
    pub threads: Vec<u32>,
    pub environments: Vec<Environment>,
    /// Further flags for compiler and linker.
    pub flags: Vec<String>,
    /// What iterations compute depends on the thread that runs them, as with `firstprivate` variables that they count up.
    pub by_thread: bool,
    /// The oracle judges none of it; but nothing may be announced that is not the runtime's.
    pub unjudged: bool,
    /// What the oracle judges its events against.
    pub expected: Expected,
}

impl Facts {
    /// Reads a source file's directives, of which `others` are for the caller. `threads`: team sizes by default.
    pub fn read(source: &Path, others: &[&str], threads: &[u32]) -> Result<(Facts, Directives)> {
        let directives = Directives::read(source, &[&KNOWN, others].concat())?;
        let numbers = |name| -> Result<BTreeSet<u64>> { Ok(directives.words(name)?.into_iter().collect()) };
        let unjudged = directives.one("UNJUDGED") == Some("all");
        let expected = Expected {
            dealt: numbers("DEALT")?,
            monotonic: numbers("MONOTONIC")?,
            from_one: numbers("FROM-1")?,
            cancelled: numbers("CANCELLED")?,
            unjudged: if unjudged { BTreeSet::new() } else { numbers("UNJUDGED")? },
            distribute: numbers("DISTRIBUTE")?,
            begun_twice: directives.yes("BEGUN-TWICE"),
            user_known: numbers("USER")?,
            user_unknown: numbers("NO-USER")?,
            unobserved: directives.yes("UNOBSERVED"),
            ..Expected::all_events()
        };
        let environments = directives.all("ENV").map(environment).collect::<Result<Vec<_>>>();
        let facts = Facts {
            source: source.to_owned(),
            threads: or(directives.words("THREADS")?, threads),
            environments: or(environments.with_context(|| source.display().to_string())?, &[Vec::new()]),
            flags: directives.words("FLAGS")?,
            by_thread: directives.yes("BY-THREAD"),
            unjudged,
            expected,
        };
        Ok((facts, directives))
    }
}

/// All source files in a folder of the test suite that end so, by name.
pub fn sources(folder: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut sources: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    sources.retain(|path| path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)));
    sources.sort();
    Ok(sources)
}

fn or<T: Clone>(said: Vec<T>, otherwise: &[T]) -> Vec<T> {
    if said.is_empty() { otherwise.to_vec() } else { said }
}

/// The variables of an `ENV` directive.
pub fn environment(line: &str) -> Result<Environment> {
    let variables = line.split_whitespace().map(|word| {
        let (name, value) = word.split_once('=').with_context(|| format!("ENV: `{word}`"))?;
        Ok((name.to_owned(), value.to_owned()))
    });
    variables.collect()
}
