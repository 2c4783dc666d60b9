//! Names of the command line.

use crate::error::Error;

/// An error if one of the names is unknown.
pub fn known(what: &'static str, names: &[String], all: &[&'static str]) -> Result<(), Error> {
    match names.iter().find(|name| !all.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Error::Unknown { what, name: unknown.clone(), known: all.to_vec() }),
    }
}
