//! What the environment asks for. `ompchunk record` sets these variables; by hand they work as well.

use std::ffi::OsString;
use std::path::PathBuf;

use ompchunk_trace_format::environment::{
    AGGREGATE, BOOKKEEPING, DIRECTORY, LARGEST, MAX_SIZE, SAMPLE, SUFFIX, set,
};

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where parts go.
    pub directory: PathBuf,
    /// Most bytes per part.
    pub max_size: Option<u64>,
    /// One of so many executions.
    pub sample: u64,
    /// Aggregates only.
    pub aggregate: bool,
    /// Time the bookkeeping.
    pub bookkeeping: bool,
}

impl Settings {
    /// From the environment; the error names the variable.
    pub fn read() -> Result<Settings, String> {
        Ok(Settings {
            directory: set(DIRECTORY).map_or_else(default_directory, PathBuf::from),
            max_size: Some(number(MAX_SIZE)?.unwrap_or(LARGEST)).filter(|it| *it > 0),
            sample: number(SAMPLE)?.unwrap_or(1).max(1),
            aggregate: flag(AGGREGATE)?,
            bookkeeping: flag(BOOKKEEPING)?,
        })
    }
}

fn number(name: &str) -> Result<Option<u64>, String> {
    let Some(value) = set(name) else {
        return Ok(None);
    };
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed
        .map(Some)
        .ok_or_else(|| format!("{name}={} is not a number", value.to_string_lossy()))
}

fn flag(name: &str) -> Result<bool, String> {
    Ok(number(name)?.unwrap_or(0) != 0)
}

fn default_directory() -> PathBuf {
    let program = std::env::args_os().next().unwrap_or_default();
    let mut name = PathBuf::from(program)
        .file_name()
        .map_or_else(|| OsString::from("program"), OsString::from);
    name.push(SUFFIX);
    PathBuf::from(name)
}
