//! `OMPCHUNK=off`: compile as if there were no ompchunk.

use std::ffi::{OsStr, OsString};

/// The variable.
pub const VARIABLE: &str = "OMPCHUNK";

/// The variable says something else than on or off. A typing error must not silently build the other
/// kind of program.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE}={} is neither on nor off", .0.to_string_lossy())]
pub struct Error(pub OsString);

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        format!("{VARIABLE}=off to compile without the plugin, or unset it")
    }
}

/// What to do about an error of this file.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().map(Error::next)
}

/// Whether the plugin is wanted, by the environment.
pub fn is_on() -> Result<bool, Error> {
    read(std::env::var_os(VARIABLE).as_deref())
}

fn read(value: Option<&OsStr>) -> Result<bool, Error> {
    let Some(value) = value else { return Ok(true) };
    match value.to_str() {
        Some("" | "on" | "1" | "yes" | "true") => Ok(true),
        Some("off" | "0" | "no" | "false") => Ok(false),
        _ => Err(Error(value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_unless_told_otherwise() {
        assert_eq!(read(None), Ok(true));
        assert_eq!(read(Some("".as_ref())), Ok(true));
        assert_eq!(read(Some("off".as_ref())), Ok(false));
        assert_eq!(read(Some("of".as_ref())), Err(Error("of".into())));
    }
}
