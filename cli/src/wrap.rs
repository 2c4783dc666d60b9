//! `ompchunk cc`, `c++` and `fc`: the compiler with one flag before the user's arguments, which are not
//! even looked at, but for the first: it may choose another program, or ask for help, or name schedules.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::compiler::Compiler;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;
use ompchunk_toolchain::plugin::{plain, with_plugin};

use crate::{embedded, exec, output, switch};

/// Becomes the compiler.
pub fn exec(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let (schedules, arguments) = embedded::take(arguments);
    let mut command = if switch::is_on()? {
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
