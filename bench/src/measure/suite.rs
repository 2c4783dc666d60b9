//! The benchmarks that `--suite` can name, in one table. A new one is a row here.

use anyhow::Result;

use super::{chunk, clauses, thesis};
use crate::error::Error;
use crate::plan::options::Options;
use crate::results::Results;

/// A benchmark.
pub struct Suite {
    /// For the command line and the results.
    pub name: &'static str,
    /// Measures.
    pub run: fn(&Options) -> Result<Results>,
}

/// All of them.
pub const ALL: &[Suite] = &[
    Suite {
        name: "chunk",
        run: chunk::run,
    },
    Suite {
        name: "thesis",
        run: thesis::run,
    },
    Suite {
        name: "schedules",
        run: clauses::run,
    },
];

/// The one of a name.
pub fn find(name: &str) -> Result<&'static Suite, Error> {
    ALL.iter()
        .find(|suite| suite.name == name)
        .ok_or_else(|| Error::Unknown {
            what: "suite",
            name: name.to_owned(),
            known: ALL.iter().map(|suite| suite.name).collect(),
        })
}
