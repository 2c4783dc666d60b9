//! What of a trace cannot be reported.

use std::path::PathBuf;

use ompchunk_trace_format::shown;

/// What was asked for is not in the trace.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no part of the trace is of rank {asked}: it has {has}")]
    Rank { asked: String, has: String },
    /// A part whose last blocks are being written.
    #[error("{} is still being written, by process {pid}, and cannot be read at this moment", shown(.path))]
    Growing { path: PathBuf, pid: u32 },
    #[error("{} is named twice, and would count twice", shown(.0))]
    Twice(PathBuf),
    /// Nothing is known of what threads did within loops.
    #[error("{} was recorded without chunks ({}=executions)", shown(.0), ompchunk_trace_format::settings::VARIABLE)]
    Chunks(PathBuf),
    #[error("no loop of the trace is {0}")]
    Loop(String),
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::Rank { .. } => "name one of these, or leave out --rank",
            Error::Chunks(_) => "record it again without that variable: a report needs chunks",
            Error::Growing { .. } => "the same again, or when the process has ended",
            Error::Twice(_) => "name each directory or part once; a directory has all of its parts",
            Error::Loop(_) => "ompchunk report without --loop lists them; --top 0 lists all",
        }
        .to_owned()
    }
}
