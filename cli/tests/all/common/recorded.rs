//! Recordings of programs, and what is in them.

use std::path::Path;
use std::process::Command;

use ompchunk_trace_format::{Event, Part, Trace};

use crate::common::{ompchunk, succeed};

pub fn chunks(directory: &Path) -> Vec<(Option<u64>, u64)> {
    let count = |part: &Part| {
        let mut chunks = 0;
        part.for_each(|_, event| chunks += u64::from(matches!(event, Event::Chunk(_)))).unwrap();
        (part.meta().rank, chunks)
    };
    let trace = Trace::open(directory).unwrap();
    trace.parts.iter().map(count).collect()
}

pub fn record(directory: &Path, options: &[&str]) -> Command {
    let mut command = ompchunk(&["record"]);
    command.args(options).current_dir(directory);
    command
}

/// What is reported of `t`.
#[track_caller]
pub fn report(directory: impl AsRef<Path>, words: &[&str]) -> String {
    succeed(ompchunk(&["report", "t"]).args(words).current_dir(directory))
}
