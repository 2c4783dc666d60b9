//! `ompchunk bench`: measures, and prints what came of it. How is the business of a crate of its own.

use std::process::ExitCode;

use anyhow::Result;
use ompchunk_bench::{Options, measure, text};

use crate::output;

/// Measures, into a file and the terminal.
pub fn run(options: &Options) -> Result<ExitCode> {
    let results = measure(options)?;
    let file = &options.output;
    results.write(file).map_err(|cause| output::Unwritable::new(file, cause))?;
    output::print(&format!("{}\nall numbers: {}\n", text(&results), file.display()))?;
    Ok(ExitCode::SUCCESS)
}
