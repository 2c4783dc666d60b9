//! A plan is measured: suites (`suite`) and programs (`program`, `schedules`) say what, `build` compiles it, `worker` and `workers`
//! run loops and tasks, `runs` whole programs, `instructions` counts, `order` decides the order and when to end, and `conditions`
//! tells what would make results doubtful. `advice` puts what `ompchunk advise` says to the test.

pub mod advice;
mod build;
mod chunk;
mod clauses;
mod conditions;
mod instructions;
mod order;
mod program;
mod runs;
mod schedules;
mod suite;
mod thesis;
mod worker;
mod workers;

use anyhow::Result;

use crate::plan::options::Options;
use crate::results::Results;

/// Measures what the options name.
pub fn measure(options: &Options) -> Result<Results> {
    if !options.schedules.schedules.is_empty() {
        schedules::run(options)
    } else if options.program.is_empty() {
        suite::find(&options.suite)?.measure(options)
    } else {
        program::run(options)
    }
}
