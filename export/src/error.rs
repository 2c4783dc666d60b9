//! What can go wrong with an export: each error names the cause, [`Error::next`] what to do about it.

use std::path::{Path, PathBuf};

/// A trace cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] ompchunk_trace_format::Error),
    /// The output cannot be written.
    #[error("cannot write {}: {cause}", .path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The output is a file of the trace.
    #[error("{} is a part of the trace itself", .path.display())]
    WouldOverwriteTrace {
        /// The output.
        path: PathBuf,
    },
    /// A trace without chunks, for a format that consists of chunks.
    #[error("the trace holds sums per loop and no chunks: it was recorded with --aggregate")]
    OnlyAggregates,
    /// No loop is of that name.
    #[error("no loop of the trace has `{0}` in its position or function")]
    NoSuchLoop(String),
    /// No part is of that rank.
    #[error("the trace has no rank {0}")]
    NoSuchRank(u64),
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match self {
            Error::Trace(error) => error.next(),
            Error::Write { .. } => "check the path, its permissions and the space that is left",
            Error::WouldOverwriteTrace { .. } => "name another file for the output",
            Error::OnlyAggregates => {
                "record without --aggregate, or export the sums: --csv FILE --loops"
            }
            Error::NoSuchLoop(_) => "`--csv - --loops` lists the loops that there are",
            Error::NoSuchRank(_) => "leave --rank away, or `ls` the trace: a part is rank-N.trace",
        }
    }

    pub(crate) fn write(path: &Path, cause: std::io::Error) -> Error {
        Error::Write {
            path: path.to_owned(),
            cause,
        }
    }
}
