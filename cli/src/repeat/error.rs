//! What can go wrong while a program is run again and again.

use std::path::PathBuf;
use std::process::ExitStatus;

use ompchunk_trace_format::shown;

use super::repeated;

/// Nothing can be compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A run ended with an error that must not; `with`: what it ran with, and what follows.
    #[error("the program ended with {status}{with}{}", repeated(.said))]
    Failed { status: ExitStatus, with: String, said: String },
    /// The user's check does not accept a run as compiled.
    #[error("the check '{check}' ended with {status} for a run of the program as compiled, so it cannot tell what other schedules \
             break{}", repeated(.said))]
    Refused { check: String, status: ExitStatus, said: String },
    /// No runtime asked for the recorder.
    #[error("nothing was recorded, so nothing can be compared: {why}{}", repeated(.said))]
    Nothing { why: String, next: String, said: String },
    /// There is a file that somebody else wrote.
    #[error("{} was not written by `ompchunk tune`, so it stays as it is", .0.display())]
    Foreign(PathBuf),
    /// A file for `--gate` that has no schedules.
    #[error("--gate: {why}")]
    Unusable { why: String },
    /// Fewer than two.
    #[error("there is one team size ({0}), and nothing to compare it with")]
    Alone(u32),
    /// There is something where traces shall be kept.
    #[error("{} is there and not empty, so it stays as it is", shown(.0))]
    Taken(PathBuf),
}

impl Error {
    fn step(&self) -> &str {
        match self {
            Error::Failed { .. } => {
                "the program runs many times, with the same arguments; run it by itself first. What it reads from standard input must \
                 come from a file"
            }
            Error::Refused { .. } => {
                "--check takes a shell command that reads on standard input what a run printed, in this directory, and succeeds if \
                 that is right; try it by hand: PROG | CMD"
            }
            Error::Nothing { next, .. } => next,
            Error::Unusable { .. } => {
                "--gate takes the file that `ompchunk tune PROG` writes, with a line such as solver.c:118=dynamic,16 for each loop"
            }
            Error::Foreign(_) => "choose another file with -o",
            Error::Alone(_) => "name two or more, as in --threads 1,2,4; more threads than processors tell little",
            Error::Taken(_) => "choose another directory with -o, or empty this one",
        }
    }
}

/// What to do about it.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(|error: &Error| error.step().to_owned())
}
