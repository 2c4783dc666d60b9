//! `ompchunk cc`, `c++` and `fc`: the compiler with one flag before the user's arguments, which are not
//! even looked at, but for the first: it may choose another program, or ask for help, or name schedules.
//! `OMPCHUNK=off`: compile as if there were no ompchunk.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::compiler::Compiler;
use ompchunk_toolchain::compiler::{plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;

use crate::{embedded, exec, output};

pub fn exec(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let (schedules, arguments) = embedded::take(arguments);
    let mut command = if is_on()? {
        let installation = Installation::find()?;
        let compiler = Compiler::choose(language, &installation.majors())?;
        let (major, plugin) = compiler.plugin(&installation)?;
        if asks_for_help(arguments) {
            output::print(&introduction(language, &compiler.name(), major))?;
        }
        let mut command = with_plugin(&compiler, (major, &plugin), arguments);
        if let Some(file) = &schedules {
            embedded::add(&mut command, file, arguments, &installation)?;
        }
        command
    } else {
        // The same compiler, even if it is one that no plugin fits or there are no plugins at all.
        let majors = Installation::find().map_or_else(|_| Vec::new(), |found| found.majors());
        plain(&Compiler::choose(language, &majors)?, arguments)
    };
    match exec::replace(&mut command)? {}
}

/// What ompchunk adds to the help that the compiler is about to print: a line.
fn introduction(language: Language, compiler: &str, major: u32) -> String {
    format!(
        "ompchunk {0}: {compiler} with the plugin for LLVM {major} (ompchunk help {0} says more); the options are its own\n",
        language.command()
    )
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    let first = arguments.first().and_then(|first| first.to_str());
    matches!(first, Some("--help" | "-help" | "--help-hidden"))
}

pub const VARIABLE: &str = "OMPCHUNK";

/// The variable says something else than on or off. A typing error must not silently build the other
/// kind of program.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE}={} is neither on nor off", .0.to_string_lossy())]
pub struct Error(pub OsString);

impl Error {
    pub fn next(&self) -> String {
        format!("{VARIABLE}=off to compile without the plugin, or unset it")
    }
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
