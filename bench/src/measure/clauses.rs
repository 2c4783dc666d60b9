//! Loops under `dynamic,c`, `guided,c` and `static,c` by `OMPCHUNK_SCHEDULE` against the same loops with that clause in the
//! source: what is dealt at run time shall cost what the clause costs.
//!
//! All loops are in one worker, each with its schedule in its function's name, so that one process runs all of them.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::LAYOUTS;
use super::order::{Executor, Rules, measure};
use super::runs::said_of_changes;
use super::worker::Worker;
use super::workers::{Prepared, Suite, Workers};
use crate::error::Error;
use crate::plan;
use crate::plan::options::Options;
use crate::plan::variant::{self, Role};
use crate::results::{Cell, Results};

/// Two chunks of the largest size for each thread.
const ITERATIONS_PER_THREAD: u32 = 2 * 4096;
/// What a batch shall take at least, in nanoseconds: long against the operating system's interruptions.
const BATCH: f64 = 500_000.0;

/// The benchmark.
pub const SUITE: Suite = Suite {
    name: "schedules",
    variants: variant::SCHEDULES,
    cases: plan::clauses::cases,
    flag: Some("-DSCHEDULES"),
    delay: 50.0,
    run,
};

fn run(prepared: Prepared, options: &Options) -> Result<Results> {
    let (mut results, mut plain) = (prepared.results, prepared.plain);
    for cell in &mut results.cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    let mut clauses = Clauses(prepared.workers);
    clauses.check(&results.cells)?;
    let rules = Rules::of_batches(options, LAYOUTS.len());
    measure(&mut clauses, &mut results, rules)?;
    Ok(results)
}

/// How often a cell runs per batch. All variants run the same.
fn calibrate(cell: &mut Cell, plain: &mut Worker) -> Result<()> {
    cell.executions = 1;
    let mut once = f64::INFINITY;
    for _ in 0..3 {
        once = once.min(plain.number(&batch(cell))?);
    }
    cell.executions = (BATCH / once).ceil().clamp(1.0, 1e6) as u32;
    Ok(())
}

/// The function of a cell's loop.
fn function(cell: &Cell) -> String {
    format!("{}_{}", cell.body, cell.chunk)
}

fn batch(cell: &Cell) -> String {
    let (threads, executions) = (cell.threads, cell.executions);
    let iterations = ITERATIONS_PER_THREAD * threads;
    let warmup = 1 + executions / 8;
    format!("schedule {} {threads} {iterations} {warmup} {executions}", function(cell))
}

/// The workers.
struct Clauses(Workers);

impl Clauses {
    /// Where schedules are changed, all of them are.
    fn check(&self, cells: &[Cell]) -> Result<()> {
        for (at, variant) in self.0.variants.iter().enumerate() {
            if variant.role != Role::Changed {
                continue;
            }
            let said = self.0.said(at, cells.iter().map(batch))?;
            let (changed, _) = said_of_changes(&said);
            for cell in cells {
                let of = format!("of {} ", function(cell));
                if !changed.iter().any(|said| said.contains(&of)) {
                    let why = format!("the loop of {} keeps its schedule", function(cell));
                    let what = format!("variant {}", variant.name);
                    return Err(Error::Run { what, why }.into());
                }
            }
        }
        Ok(())
    }
}

impl Executor for Clauses {
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
        self.0.restart(layouts, rng)
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        self.0.number(variant, &batch(cell))
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
