//! Loops under `dynamic,c`, `guided,c` and `static,c` by `OMPCHUNK_SCHEDULE` against the same loops with that clause in the
//! source: what is dealt at run time shall cost what the clause costs.
//!
//! All loops are in one worker, each with its schedule in its function's name, so that one process runs all of them.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::{LAYOUTS, Workshop};
use super::conditions;
use super::order::{Executor, Rules, measure};
use super::runs::said_of_changes;
use super::worker::Worker;
use super::workers::{self, Workers};
use crate::error::Error;
use crate::plan;
use crate::plan::options::Options;
use crate::plan::variant::{self, Role};
use crate::results::{Cell, Results};

/// What an iteration of `delay` takes, in nanoseconds.
const DELAY: f64 = 50.0;
/// Two chunks of the largest size for each thread.
const ITERATIONS_PER_THREAD: u32 = 2 * 4096;
/// What a batch shall take at least, in nanoseconds: long against the operating system's interruptions.
const BATCH: f64 = 500_000.0;

/// Measures.
pub fn run(options: &Options) -> Result<Results> {
    let variants = variant::chosen(variant::SCHEDULES, &options.variants)?;
    let cases = plan::clauses::cases(options, conditions::cores())?;
    let mut cells: Vec<Cell> = cases.into_iter().map(Cell::new).collect();
    let most = cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
    let doubts = conditions::of_machine(most);
    let workshop = Workshop::new(options.cc.as_ref(), options.runtime.as_deref())?;
    let (mut results, mut flags) = workers::results("schedules", options, &workshop);
    flags.push("-DSCHEDULES".into());

    let mut clauses = Clauses(Workers::new(&workshop, &variants, &flags, most)?);
    let mut plain = clauses.0.start(0, 0, "")?.worker;
    let wanted = (most, DELAY);
    clauses.0.spins = workers::prepare(&mut results, &mut plain, doubts, wanted, options)?;
    for cell in &mut cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    clauses.check(&cells)?;

    clauses.0.begin();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
    let rules = Rules::of_batches(options.quick, options.time, LAYOUTS.len());
    measure(&mut clauses, &names, &mut cells, rules, options.seed)?;
    results.setup.seconds = clauses.elapsed().as_secs_f64();
    results.variants = workers::infos(&variants);
    results.cells = cells;
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
    format!(
        "schedule {} {threads} {iterations} {warmup} {executions}",
        function(cell)
    )
}

/// The workers.
struct Clauses<'a>(Workers<'a>);

impl Clauses<'_> {
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

impl Executor for Clauses<'_> {
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
        self.0.restart(layouts, rng)
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        self.0.number(variant, &batch(cell))
    }

    fn applies(&self, _: usize, _: &Cell) -> bool {
        true
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
