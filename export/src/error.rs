//! What can go wrong with an export: an error names the cause, [`Error::next`] the next step.

use std::path::{Path, PathBuf};

use ompchunk_trace_format::shown;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Trace(#[from] ompchunk_trace_format::Error),
    #[error("cannot write {}: {cause}", shown(.path))]
    Write { path: PathBuf, cause: std::io::Error },
    #[error("{} is a part of the trace itself", shown(.path))]
    WouldOverwriteTrace { path: PathBuf },
    #[error("{} is not empty", shown(.path))]
    NotEmpty { path: PathBuf },
    #[error("{} is there already", shown(.path))]
    AlreadyThere { path: PathBuf },
    #[error("{} is no name of an experiment: it must end in .er", shown(.path))]
    NoExperiment { path: PathBuf },
    #[error("the trace has no sampled stacks")]
    NoStacks,
    #[error("libotf2 cannot be used: {why}")]
    NoOtf2 { why: String },
    #[error("the trace holds sums per loop and no chunks: it was recorded with --aggregate")]
    OnlyAggregates,
    #[error("the trace has none of the loops that are asked for")]
    NoSuchLoop,
    #[error("the trace has none of the ranks that are asked for")]
    NoSuchRank,
    #[error("no loop was recorded")]
    NoLoops,
    #[error("no chunk was recorded of what is asked for")]
    NoChunks,
    #[error("no operation of OpenACC or target was recorded one by one")]
    NoOperations,
    #[error("nothing was recorded as a sum: no wait for a lock, and no explicit task")]
    NoSums,
    #[error("the graph would have {nodes} nodes, in about {:.1} GB: no viewer opens that", *.bytes as f64 / 1e9)]
    TooLarge { nodes: u64, bytes: u64 },
}

impl Error {
    pub fn next(&self) -> &'static str {
        match self {
            Error::Trace(error) => error.next(),
            Error::Write { .. } => "check the path, its permissions and the space that is left",
            Error::WouldOverwriteTrace { .. } => "name another file for the output",
            Error::NotEmpty { .. } => "name a directory that is new or empty: nothing that is there is overwritten",
            Error::AlreadyThere { .. } => "name a directory that is not there: nothing that is there is overwritten",
            Error::NoExperiment { .. } => "name a directory like app.er, which is not there yet",
            Error::NoStacks => "ompchunk record --sample-stacks",
            Error::NoOtf2 { .. } => {
                "apt-get install libotf2-trace-dev (Debian, Ubuntu), or load the module that has OTF2 3: LD_LIBRARY_PATH is searched"
            }
            Error::OnlyAggregates => "record without --aggregate, or export the sums: --to csv --table loops",
            Error::NoSuchLoop => "ompchunk report lists the loops that there are",
            Error::NoSuchRank => "leave --rank away, or `ls` the trace: a part is rank-N.trace",
            Error::NoLoops | Error::NoChunks | Error::NoOperations | Error::NoSums => {
                "ompchunk report says what was recorded"
            }
            Error::TooLarge { .. } => {
                "--to graphml-summary makes few nodes of all; --loop with a loop that ompchunk report lists, or --rank, selects less"
            }
        }
    }

    pub(crate) fn write(path: &Path, cause: std::io::Error) -> Error {
        Error::Write { path: path.to_owned(), cause }
    }
}
