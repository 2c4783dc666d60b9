//! The environment, read in this one place.
//! A set-user-ID program takes no orders from whoever starts it: there every variable is as if it were not set.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use ompchunk_abi::run;

/// The value of a variable, if it is set and may be obeyed.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    if is_ignored() { None } else { std::env::var_os(name) }
}

/// A file that a variable names; nothing names none.
pub(crate) fn file(name: &str) -> Option<OsString> {
    variable(name).filter(|value| !value.is_empty())
}

/// The value of a key in the variable by which the command configures the shim.
pub(crate) fn setting(key: &str) -> Option<OsString> {
    let text = variable(run::VARIABLE)?;
    let value = run::told(text.as_bytes(), key).filter(|value| !value.is_empty())?;
    Some(OsStr::from_bytes(value).to_owned())
}

/// Whether a variable is set to anything but nothing and 0.
pub(crate) fn is_on(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Whether this is a program that takes no orders from its environment.
pub(crate) fn is_ignored() -> bool {
    // SAFETY: `getauxval` has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}
