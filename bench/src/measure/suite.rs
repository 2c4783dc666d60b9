//! The benchmarks that `--suite` can name. A new one is a row here.

use super::workers::Suite;
use super::{chunk, clauses, thesis};
use crate::error::Error;

/// All of them.
pub const ALL: [&Suite; 3] = [&chunk::SUITE, &thesis::SUITE, &clauses::SUITE];

/// The one of a name.
pub fn find(name: &str) -> Result<&'static Suite, Error> {
    let found = ALL.into_iter().find(|suite| suite.name == name);
    found.ok_or_else(|| Error::Unknown {
        what: "suite",
        name: name.to_owned(),
        known: ALL.map(|suite| suite.name).into(),
    })
}
