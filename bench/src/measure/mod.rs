//! What the options name is measured: single chunks (`chunk`) by processes of our own (`workers`), or whole runs of a
//! program (`program`). `build` compiles, `order` decides the order and when to end, and `conditions` tells what makes results
//! doubtful.

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
