//! Becoming another program, so that nothing of ours stands between it and its caller.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::process::Command;

use ompchunk_abi::run;
use ompchunk_guest::door;
use ompchunk_toolchain::{preload, program};

use crate::table::printable;

#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct Error {
    what: String,
    pub next: String,
    /// What a shell would return.
    pub code: u8,
}

impl Error {
    pub fn new(command: &Command, cause: &io::Error) -> Error {
        let name = command.get_program();
        Error {
            what: format!("cannot run {}: {cause}", printable(&name.to_string_lossy())),
            next: program::next(name, cause),
            code: if cause.kind() == io::ErrorKind::NotFound { 127 } else { 126 },
        }
    }
}

/// Tells libraries that the program loads late what its standard error is, which is ours.
pub fn inheriting(command: &mut Command) -> &mut Command {
    set_run_entry(command, run::STDERR, door::standard_error().as_ref().map(OsStr::new));
    command
}

/// Tells libraries in the program one thing more, in place of what they were told of it before.
pub fn set_run_entry(command: &mut Command, key: &str, value: Option<&OsStr>) {
    let before = preload::variable(command, run::VARIABLE).unwrap_or_default();
    let separator = run::SEPARATOR as u8;
    let others = before.as_bytes().split(|byte| *byte == separator);
    let others = others.filter(|entry| !entry.is_empty() && run::told(entry, key).is_none());
    let own = value.map(|value| [key.as_bytes(), b"=", value.as_bytes()].concat());
    let entries: Vec<Vec<u8>> = others.map(<[u8]>::to_vec).chain(own).collect();
    if entries.is_empty() {
        command.env_remove(run::VARIABLE)
    } else {
        command.env(run::VARIABLE, OsString::from_vec(entries.join(&separator)))
    };
}

pub fn replace(command: &mut Command) -> Result<Infallible, Error> {
    let cause = inheriting(command).exec();
    Err(Error::new(command, &cause))
}
