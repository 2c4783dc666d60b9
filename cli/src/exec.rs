//! Becoming another program. Its exit code, signals and output are then its own, and nothing of ours
//! stands between it and its caller.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use ompchunk_abi::STDERR_ENV;
use ompchunk_guest::door;
use ompchunk_toolchain::program;

use crate::table::printable;

/// The program could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {}: {cause}", printable(&.program.to_string_lossy()))]
pub struct Error {
    program: OsString,
    cause: io::Error,
    /// What a command knows better than the system.
    advice: Option<String>,
}

impl Error {
    /// The program of `command`, and why it did not start.
    pub fn new(command: &Command, cause: io::Error) -> Error {
        Error { program: command.get_program().to_owned(), cause, advice: None }
    }

    /// With another next step, where the words before the program explain the mistake.
    pub fn advising(mut self, next: Option<String>) -> Error {
        self.advice = next;
        self
    }

    pub fn next(&self) -> String {
        let general = || program::next(&self.program, &self.cause);
        self.advice.clone().unwrap_or_else(general)
    }

    /// What a shell would return.
    pub fn code(&self) -> u8 {
        if self.cause.kind() == io::ErrorKind::NotFound { 127 } else { 126 }
    }
}

/// What to do about an error of this file.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(Error::next)
}

/// Tells libraries that the program loads late what its standard error is, which is ours.
pub fn inheriting(command: &mut Command) -> &mut Command {
    match door::standard_error() {
        Some(known) => command.env(STDERR_ENV, known),
        None => command.env_remove(STDERR_ENV),
    }
}

/// Returns only if the program cannot be started.
pub fn replace(command: &mut Command) -> Result<Infallible, Error> {
    let cause = inheriting(command).exec();
    Err(Error::new(command, cause))
}
