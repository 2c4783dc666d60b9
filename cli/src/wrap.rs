//! `ompchunk cc`, `c++` and `fc`: the compiler with one flag before the user's arguments, which are not
//! even looked at, but for the first: it may choose another program, or ask for help, or name schedules.
//! `OMPCHUNK=off`: compile as if there were no ompchunk.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::compiler::{Compiler, plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;

use crate::{embedded, exec, output};

pub fn exec(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let (schedules, arguments) = embedded::take(arguments);
    let mut command = if is_on(std::env::var_os(VARIABLE).as_deref())? {
        let installation = Installation::find()?;
        let compiler = Compiler::choose(language, &installation.majors())?;
        let (major, plugin) = compiler.plugin(&installation)?;
        if matches!(arguments.first().and_then(|first| first.to_str()), Some("--help" | "-help" | "--help-hidden")) {
            // A line about what ompchunk adds to the help that the compiler is about to print.
            output::print(&format!(
                "ompchunk {0}: {1} with the plugin for LLVM {major} (ompchunk help {0} says more); the options are its own\n",
                language.command(),
                compiler.name()
            ))?;
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

pub const VARIABLE: &str = "OMPCHUNK";

/// Whether the plugin is wanted, by the variable. A typing error must not silently build the other kind of program.
fn is_on(value: Option<&OsStr>) -> Result<bool, Failure> {
    let Some(value) = value else { return Ok(true) };
    match value.to_str() {
        Some("" | "on" | "1" | "yes" | "true") => Ok(true),
        Some("off" | "0" | "no" | "false") => Ok(false),
        _ => Err(Failure::new(
            format!("{VARIABLE}={} is neither on nor off", value.to_string_lossy()),
            format!("{VARIABLE}=off to compile without the plugin, or unset it"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_unless_told_otherwise() {
        assert!(is_on(None).unwrap());
        assert!(is_on(Some("".as_ref())).unwrap());
        assert!(!is_on(Some("off".as_ref())).unwrap());
        assert_eq!(is_on(Some("of".as_ref())).unwrap_err().to_string(), "OMPCHUNK=of is neither on nor off");
    }
}
