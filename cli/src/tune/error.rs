//! What can go wrong while a program is tuned.

use std::path::PathBuf;
use std::process::ExitStatus;

/// The program cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A run ended with an error.
    #[error("the program ended with {status}{}{}", .schedules.as_ref().map_or(String::new(), |it| format!(" under {it}")),
            if .said.is_empty() { String::new() } else { format!(":\n{}", .said) })]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// Under which schedules.
        schedules: Option<String>,
        /// The end of what it wrote to standard error.
        said: String,
    },
    /// There is a file that somebody else wrote.
    #[error("{} was not written by `ompchunk tune`, so it stays as it is", .0.display())]
    Foreign(PathBuf),
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Failed { schedules: None, .. } => {
                "a program that is tuned runs many times, with the same arguments; run it by itself first. What it reads \
                 from standard input must come from a file"
                    .to_owned()
            }
            Error::Failed { .. } => {
                "a program that fails under another schedule relies on which thread runs which iteration, or on their order; \
                 leave that loop as it is, with --loop for the others"
                    .to_owned()
            }
            Error::Foreign(_) => "choose another file with -o".to_owned(),
        }
    }
}
