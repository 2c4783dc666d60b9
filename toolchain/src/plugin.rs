//! A compiler's command with the plugin: one flag before all others. What comes behind it is not looked at, but for the
//! first argument: it may choose another program.
//!
//! No driver from 19 on complains of the flag where nothing is compiled (linking, `-E`, assembling, `--version`):
//! it belongs to the flags that only compiling uses, and those are never "unused". Older ones are told not
//! to.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use crate::compiler::Compiler;

/// The first major, of those tested, whose driver does not call the flag unused where it assembles.
const FIRST_SILENT: u32 = 19;

/// The compiler, of an LLVM major, with the plugin.
pub fn with_plugin(compiler: &Compiler, (major, plugin): (u32, &Path), arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = compiler.command();
    if !is_internal(arguments) {
        let mut flag = OsString::from("-fpass-plugin=");
        flag.push(plugin);
        // First, where no `--` is before it.
        match major < FIRST_SILENT {
            true => command.arg("--start-no-unused-arguments").arg(flag).arg("--end-no-unused-arguments"),
            false => command.arg(flag),
        };
    }
    command.args(arguments);
    command
}

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
