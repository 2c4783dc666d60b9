//! Completions and man pages, from the declared command line.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use ompchunk_toolchain::language::Language;

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

/// Writes `ompchunk.1`, one page per command, and for compilers in one word pages that lead to these.
pub fn man(directory: &Path) -> Result<ExitCode> {
    let unwritable = |cause| output::Unwritable::new(directory, cause);
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    man::write(Arguments::command(), directory).map_err(unwritable)?;
    for language in Language::ALL {
        let page = directory.join(format!("{}.1", language.program()));
        std::fs::write(page, format!(".so man1/ompchunk-{}.1\n", language.command())).map_err(unwritable)?;
    }
    Ok(ExitCode::SUCCESS)
}
