//! Becoming another program. Its exit code, signals and output are then its own, and nothing of ours
//! stands between it and its caller.

use std::convert::Infallible;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The program could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {program}: {cause}")]
pub struct Error {
    program: String,
    cause: io::Error,
}

impl Error {
    /// The program of `command`, and why it did not start.
    pub fn new(command: &Command, cause: io::Error) -> Error {
        Error {
            program: command.get_program().to_string_lossy().into_owned(),
            cause,
        }
    }

    /// What a shell would return.
    pub fn code(&self) -> u8 {
        if self.cause.kind() == io::ErrorKind::NotFound {
            127
        } else {
            126
        }
    }
}

/// Returns only if the program cannot be started.
pub fn replace(command: &mut Command) -> Result<Infallible, Error> {
    let cause = command.exec();
    Err(Error::new(command, cause))
}
