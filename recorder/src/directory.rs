//! Where the environment asks for parts. What shall be in them is [`ompchunk_trace_format::settings`].

use std::ffi::OsString;
use std::path::PathBuf;

use ompchunk_trace_format::environment::{DIRECTORY, SUFFIX, set};

pub(crate) fn wanted() -> PathBuf {
    set(DIRECTORY).map_or_else(default_directory, PathBuf::from)
}

fn default_directory() -> PathBuf {
    let program = std::env::args_os().next().unwrap_or_default();
    let mut name = PathBuf::from(program).file_name().map_or_else(|| OsString::from("program"), OsString::from);
    name.push(SUFFIX);
    PathBuf::from(name)
}
