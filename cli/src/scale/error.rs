//! What can go wrong while a program is run with several teams.

use std::path::PathBuf;
use std::process::ExitStatus;

use ompchunk_trace_format::shown;

use crate::repeat::repeated;

/// Teams cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fewer than two.
    #[error("there is one team size ({0}), and nothing to compare it with")]
    Alone(u32),
    /// Fewer than two are left, as the program failed with the others.
    #[error("the program ended with {status} with OMP_NUM_THREADS={threads}, and fewer than two team sizes are left{}", repeated(.said))]
    Failed {
        /// How many.
        threads: u32,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote to standard error.
        said: String,
    },
    /// No runtime asked for the recorder.
    #[error("nothing was recorded, so nothing can be compared: {why}{}", repeated(.said))]
    Nothing {
        /// Why.
        why: String,
        /// What to do.
        next: String,
        /// What the recorder and the shim wrote to standard error.
        said: String,
    },
    /// There is something where traces shall be kept.
    #[error("{} is there and not empty, so it stays as it is", shown(.0))]
    Taken(PathBuf),
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Alone(_) => "name two or more, as in --threads 1,2,4; more threads than processors tell little".to_owned(),
            Error::Failed { .. } => {
                "the program runs many times, with the same arguments; run it by itself first, with OMP_NUM_THREADS set. What it reads \
                 from standard input must come from a file"
                    .to_owned()
            }
            Error::Nothing { next, .. } => next.clone(),
            Error::Taken(_) => "choose another directory with -o, or empty this one".to_owned(),
        }
    }
}
