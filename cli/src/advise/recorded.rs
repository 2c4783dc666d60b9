//! The program that was recorded, from what the trace says of its run.

use std::ffi::OsString;
use std::path::PathBuf;

use ompchunk_trace_format::Part;

use crate::report::command;

/// The program that was recorded, as one types it.
pub fn command(parts: &[&Part]) -> String {
    let words = parts.first().map_or(&[][..], |part| &part.meta().command);
    command::line(words)
}

/// The recorded program's file, if it is still there.
pub fn program(parts: &[&Part]) -> Option<PathBuf> {
    let meta = parts.first()?.meta();
    let name = meta.command.first()?;
    match name.contains('/') {
        true => Some(PathBuf::from(&meta.directory).join(name)),
        false => ompchunk_toolchain::program::find(&OsString::from(name)),
    }
}
