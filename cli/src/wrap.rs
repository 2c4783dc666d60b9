//! `ompchunk cc`, `c++` and `fc`: the compiler with one flag before the user's arguments, which are not
//! even looked at, but for the first: it may choose another program, or ask for help.
//!
//! No driver from 19 on complains of the flag where nothing is compiled (linking, `-E`, assembling, `--version`):
//! it belongs to the flags that only compiling uses, and those are never "unused". Older ones are told not
//! to.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Result;

use crate::compiler::Compiler;
use crate::installation::Installation;
use crate::language::Language;
use crate::{exec, output, switch};

/// The first major, of those tested, whose driver does not call the flag unused where it assembles.
const FIRST_SILENT: u32 = 19;

/// Becomes the compiler.
pub fn exec(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = if switch::is_on()? {
        let installation = Installation::find()?;
        let compiler = Compiler::choose(language, &installation.majors())?;
        let (major, plugin) = compiler.plugin(&installation)?;
        if asks_for_help(arguments) {
            output::print(&introduction(language, &compiler.name(), major))?;
        }
        with_plugin(&compiler, (major, &plugin), arguments)
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

/// The compiler, of an LLVM major, with the plugin.
pub fn with_plugin(
    compiler: &Compiler,
    (major, plugin): (u32, &Path),
    arguments: &[impl AsRef<OsStr>],
) -> Command {
    let mut command = compiler.command();
    if !is_internal(arguments) {
        let mut flag = OsString::from("-fpass-plugin=");
        flag.push(plugin);
        // First, where no `--` is before it.
        match major < FIRST_SILENT {
            true => command
                .arg("--start-no-unused-arguments")
                .arg(flag)
                .arg("--end-no-unused-arguments"),
            false => command.arg(flag),
        };
    }
    command.args(arguments);
    command
}

/// The compiler as it is.
pub fn plain(compiler: &Compiler, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = compiler.command();
    command.args(arguments);
    command
}

/// `-cc1` and its like choose another program, and only as the first argument.
fn is_internal(arguments: &[impl AsRef<OsStr>]) -> bool {
    arguments
        .first()
        .and_then(|first| first.as_ref().to_str())
        .is_some_and(|first| first.starts_with("-cc1") || first == "-fc1")
}
