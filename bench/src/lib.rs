//! What `ompchunk bench` does: what ompchunk costs, measured side by side.
//!
//! Data go one way, through four rooms: what is wanted becomes a plan (`plan`: which loops, in which variants, from the options
//! alone), the plan is measured (`measure`: compiled, run in random order until enough is known), what came of it is kept
//! (`results`: a file and the statistics of its values), and a report shows that and nothing else (`report`). Of some runs a
//! summary stays in the tree (`summary`). A room imports from those before it, `report` not from `measure`, and no files import
//! each other in a circle.

mod error;
mod measure;
mod plan;
mod report;
mod results;
pub mod summary;

/// What `ompchunk advise` says, put to the test.
pub mod advice {
    pub use crate::measure::advice::{BUSY, measure, stay_busy};
    pub use crate::plan::advice::AdviceOptions;
    pub use crate::plan::corpus::{ALL as CORPUS, Program};
}

pub use self::error::Error;
pub use self::measure::measure;
pub use self::plan::options::Options;
pub use self::report::{Format, render};
pub use self::results::Results;
pub use self::results::file::Error as ResultsError;
