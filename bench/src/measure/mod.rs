//! What the options name is measured: single chunks by processes of our own (`workers`), or whole runs of a program.

mod build;
mod chunk;
mod conditions;
mod order;
mod program;
mod workers;

use anyhow::Result;

use crate::options::Options;
use crate::results::Results;

pub fn measure(options: &Options) -> Result<Results> {
    if options.program.is_empty() { chunk::run(options) } else { program::run(options) }
}
