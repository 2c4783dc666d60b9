//! `ompchunk bench`: measures, or shows what was measured, and prints it. How is the business of a crate of its own.

use std::process::ExitCode;

use anyhow::Result;
use ompchunk_bench::{Error, Format, Options, Results, ResultsError, measure, render};

use crate::args::{Bench, BenchCommand};
use crate::output;

/// Measures, or shows what was measured.
pub fn run(arguments: &Bench) -> Result<ExitCode> {
    match &arguments.command {
        Some(BenchCommand::Report(wanted)) => {
            let results = wanted.files.iter().map(|file| Results::read(file)).collect::<Result<Vec<_>, _>>()?;
            output::print(&render(&results, wanted.format))?;
        }
        None => anew(&arguments.options)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do about an error of this command.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let of_results = || cause.downcast_ref().map(ResultsError::next);
    cause.downcast_ref().map(Error::next).or_else(of_results)
}

fn anew(options: &Options) -> Result<()> {
    let results = measure(options)?;
    let file = &options.output;
    let unwritable = |cause| output::Unwritable::new(file, cause);
    results.write(file).map_err(unwritable)?;
    let text = render(&[results], Format::Terminal);
    output::print(&format!("{text}\nall numbers: {}\n", file.display()))?;
    Ok(())
}
