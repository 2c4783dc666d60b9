//! What can go wrong while a program is tuned.

use std::path::PathBuf;
use std::process::ExitStatus;

use crate::repeat::repeated;

/// The program cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A run as compiled ended with an error.
    #[error("the program ended with {status}{}", repeated(.said))]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote to standard error.
        said: String,
    },
    /// The user's check does not accept a run as compiled.
    #[error("the check '{check}' ended with {status} for a run of the program as compiled, so it cannot tell what other schedules \
             break{}", repeated(.said))]
    Refused {
        /// The command.
        check: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote.
        said: String,
    },
    /// No runtime asked for the recorder.
    #[error("nothing was recorded, so nothing can be tuned: {why}{}", repeated(.said))]
    Nothing {
        /// Why.
        why: String,
        /// What to do.
        next: String,
        /// What the recorder and the shim wrote to standard error.
        said: String,
    },
    /// There is a file that somebody else wrote.
    #[error("{} was not written by `ompchunk tune`, so it stays as it is", .0.display())]
    Foreign(PathBuf),
    /// A file for `--gate` that has no schedules.
    #[error("--gate: {why}")]
    Unusable {
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Failed { .. } => {
                "a program that is tuned runs many times, with the same arguments; run it by itself first. What it reads \
                 from standard input must come from a file"
                    .to_owned()
            }
            Error::Refused { .. } => {
                "--check takes a shell command that reads on standard input what a run printed, in this directory, and succeeds if \
                 that is right; try it by hand: PROG | CMD"
                    .to_owned()
            }
            Error::Nothing { next, .. } => next.clone(),
            Error::Unusable { .. } => {
                "--gate takes the file that `ompchunk tune PROG` writes, with a line such as solver.c:118=dynamic,16 for each loop"
                    .to_owned()
            }
            Error::Foreign(_) => "choose another file with -o".to_owned(),
        }
    }
}
