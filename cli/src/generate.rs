//! Completions and man pages, from the declared command line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::{man, output, tool_names};

/// Prints the completion script.
pub fn completions(shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ompchunk", &mut script);
    let script = tool_names::with_paths(shell, &String::from_utf8(script)?);
    output::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `ompchunk.1` and one page per command.
pub fn man(directory: &Path) -> Result<ExitCode> {
    let unwritable = |cause| output::Unwritable::new(directory, cause);
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    man::write(Arguments::command(), directory).map_err(unwritable)?;
    Ok(ExitCode::SUCCESS)
}
