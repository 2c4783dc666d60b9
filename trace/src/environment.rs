//! How `ompchunk record` tells the recorder what to do: environment variables, which work by hand as well. They
//! stand here because both sides have this crate in common.

use std::ffi::OsString;

/// The directory for parts; `./NAME.ompchunk`, after the program, if it is not set.
pub const DIRECTORY: &str = "OMPCHUNK_TRACE";
/// Most bytes per part.
pub const MAX_SIZE: &str = "OMPCHUNK_TRACE_MAX_SIZE";
/// One of so many executions of a loop by a thread is recorded chunk by chunk.
pub const SAMPLE: &str = "OMPCHUNK_TRACE_SAMPLE";
/// `1`: aggregates only.
pub const AGGREGATE: &str = "OMPCHUNK_TRACE_AGGREGATE";
/// `1`: time the bookkeeping between chunks.
pub const BOOKKEEPING: &str = "OMPCHUNK_TRACE_BOOKKEEPING";

/// Variables that hold a process's rank, the most specific first.
pub const RANKS: [&str; 4] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
];

/// What a directory for parts is called if nobody says otherwise.
pub const SUFFIX: &str = ".ompchunk";

/// A variable that is set and not empty.
#[must_use]
pub fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// This process's rank and the variable that it came from.
#[must_use]
pub fn rank() -> Option<(u64, &'static str)> {
    RANKS.iter().find_map(|name| {
        let rank = set(name)?.to_str()?.parse().ok()?;
        Some((rank, *name))
    })
}

/// The name of a process's part, without number and ending.
#[must_use]
pub fn part_name(rank: Option<u64>, pid: u32) -> String {
    match rank {
        Some(rank) => format!("rank-{rank}"),
        None => format!("pid-{pid}"),
    }
}
