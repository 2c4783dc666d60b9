//! The evaluation of the thesis that proposed chunk events (P. V. Langdal, Extending OMPT to Support Grain Graph
//! Visualization, NTNU 2017), repeated: what a loop costs under each schedule and chunk size (its figures 5.1 to
//! 5.3), and creating tasks (its table 3.1). Its parameters, as far as `--time` allows; the order of what is
//! run is ours (`measure`).

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::{LAYOUTS, Workshop};
use super::conditions;
use super::order::{Executor, Rules, measure};
use super::worker::Worker;
use super::workers::{self, Workers};
use crate::error::Error;
use crate::plan;
use crate::plan::options::Options;
use crate::plan::thesis::TASK;
use crate::plan::variant::{self, Role};
use crate::results::{Cell, Results, Unit};

/// What an iteration or a task takes, in nanoseconds.
const DELAY: f64 = 100.0;
const ITERATIONS_PER_THREAD: u32 = 4096;
/// Outer repetitions of a cell in a process, if there is time for so many.
const OUTER: usize = 50;
/// Runs of which the median is taken.
const RUNS: usize = 20;
/// What an outer repetition shall take at least: EPCC's, on which the thesis builds.
const BATCH: f64 = 1e6;
/// Tasks before those that are timed: the runtime has memory for tasks then.
const WARMUP_TASKS: u32 = 1000;

/// Measures.
pub fn run(options: &Options) -> Result<Results> {
    let variants = variant::chosen(variant::THESIS, &options.variants)?;
    let cases = plan::thesis::cases(options, conditions::cores())?;
    let mut cells: Vec<Cell> = cases.into_iter().map(Cell::new).collect();
    let most = cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
    let doubts = conditions::of_machine(most);
    let workshop = Workshop::new(options.cc.as_ref(), options.runtime.as_deref())?;
    let (mut results, mut flags) = workers::results("thesis", options, &workshop);
    flags.push("-DTHESIS".into());

    let mut thesis = Thesis(Workers::new(&workshop, &variants, &flags, most)?);
    let mut plain = thesis.0.start(0, 0, "")?.worker;
    let wanted = (most, DELAY);
    thesis.0.spins = workers::prepare(&mut results, &mut plain, doubts, wanted, options)?;
    let mut costs = Vec::new();
    for cell in &mut cells {
        costs.push(calibrate(cell, &mut plain)? * 1e-9 * variants.len() as f64);
    }
    drop(plain);
    thesis.check(&cells)?;

    let seconds = if options.quick { 2.0 } else { options.time };
    // Some of it goes to starting processes.
    let rounds = outer_repetitions(&costs, 0.9 * seconds / RUNS as f64);
    for (cell, rounds) in cells.iter_mut().zip(rounds) {
        cell.rounds = rounds;
    }
    thesis.0.begin();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
    let rules = Rules {
        budget: Duration::from_secs_f64(seconds),
        rounds: 1,
        layouts: 1,
        least_blocks: RUNS,
        resolution: 0.01,
    };
    measure(&mut thesis, &names, &mut cells, rules, options.seed)?;
    results.setup.seconds = thesis.elapsed().as_secs_f64();
    results.variants = workers::infos(&variants);
    results.cells = cells;
    Ok(results)
}

/// How often a cell runs per batch; the answer is what a batch takes, in nanoseconds.
fn calibrate(cell: &mut Cell, plain: &mut Worker) -> Result<f64> {
    let mut once = f64::INFINITY;
    for _ in 0..3 {
        once = once.min(plain.number(&batch(cell))?);
    }
    cell.executions = (BATCH / once).ceil().clamp(1.0, 1e6) as u32;
    let warmup = match cell.unit {
        Unit::Task => once * f64::from(warmup(cell)) / f64::from(cell.chunk),
        _ => once * f64::from(warmup(cell)),
    };
    Ok(once * f64::from(cell.executions) + warmup)
}

/// Executions of a loop, or tasks, before those that are timed.
fn warmup(cell: &Cell) -> u32 {
    match cell.unit {
        Unit::Task => cell.chunk.min(WARMUP_TASKS),
        _ => 1,
    }
}

fn batch(cell: &Cell) -> String {
    let (body, size, threads) = (&cell.body, cell.chunk, cell.threads);
    let iterations = ITERATIONS_PER_THREAD * threads;
    let (warmup, executions) = (warmup(cell), cell.executions);
    format!("thesis {body} {size} {threads} {iterations} {warmup} {executions}")
}

/// How often each cell can run if one round of it costs so much and all shall take so long: as often as
/// the thesis has it, or for an equal share of the time, but once at least.
fn outer_repetitions(costs: &[f64], seconds: f64) -> Vec<usize> {
    let within = |share: f64| {
        let often = costs.iter().map(|cost| (share / cost) as usize);
        often.map(|often| often.clamp(1, OUTER)).collect::<Vec<_>>()
    };
    let takes = |rounds: &[usize]| -> f64 {
        let each = rounds.iter().zip(costs);
        each.map(|(rounds, cost)| *rounds as f64 * cost).sum()
    };
    let (mut fits, mut beyond) = (0.0, costs.iter().sum::<f64>() * OUTER as f64);
    if takes(&within(beyond)) <= seconds {
        return within(beyond);
    }
    for _ in 0..60 {
        let middle = (fits + beyond) / 2.0;
        if takes(&within(middle)) <= seconds {
            fits = middle;
        } else {
            beyond = middle;
        }
    }
    within(fits)
}

/// The workers.
struct Thesis<'a>(Workers<'a>);

impl Thesis<'_> {
    /// Each variant does what its name says: all extension events come, or none.
    fn check(&mut self, cells: &[Cell]) -> Result<()> {
        const CHUNKS: u32 = 24;
        let mut checked: Vec<(&str, u32)> = Vec::new();
        for cell in cells {
            if !checked.contains(&(&cell.body, cell.threads)) {
                checked.push((&cell.body, cell.threads));
            }
        }
        for (at, variant) in self.0.variants.iter().enumerate() {
            let mut worker = self.0.start(at, 0, "")?.worker;
            for (body, threads) in &checked {
                let size = if *body == TASK { CHUNKS } else { 3 };
                let line = format!("events {body} {size} {threads} {}", 3 * CHUNKS);
                let events = worker.number(&line)?;
                // Begin and end on each thread.
                let loops = 2 * threads;
                let is_right = |of: &[u32]| of.iter().any(|of| events == f64::from(*of));
                let is_expected = match *body {
                    _ if variant.role != Role::Extensions => is_right(&[0]),
                    TASK => is_right(&[CHUNKS]),
                    // The runtime decides how many chunks there are.
                    "guided" => (1..=CHUNKS).any(|chunks| is_right(&[chunks + loops])),
                    // Some runtimes give a team of one the whole loop at once.
                    _ if *threads == 1 => is_right(&[CHUNKS + loops, 1 + loops]),
                    _ => is_right(&[CHUNKS + loops]),
                };
                if !is_expected {
                    return Err(Error::Run {
                        what: format!("variant {}, {body}, {threads} threads", variant.name),
                        why: format!("its tool got {events} events of {CHUNKS} chunks or tasks"),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

impl Executor for Thesis<'_> {
    fn restart(&mut self, _: &[usize], rng: &mut Rng) -> Result<()> {
        // A layout by chance: all of them in each run would leave no time for its repetitions, and what a
        // delay is does not depend on where a loop lies.
        let all = self.0.variants.iter();
        let layouts: Vec<usize> = all.map(|_| rng.usize(..LAYOUTS.len())).collect();
        self.0.restart(&layouts, rng)
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        let ns = self.0.number(variant, &batch(cell))?;
        Ok(match cell.unit {
            Unit::Task => ns / f64::from(cell.chunk),
            _ => ns,
        })
    }

    fn applies(&self, _: usize, _: &Cell) -> bool {
        true
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_fill_the_time_that_there_is() {
        // Enough for all that the thesis has.
        assert_eq!(outer_repetitions(&[0.001, 0.01], 10.0), [OUTER, OUTER]);
        // The expensive one runs once; the cheap ones share what it leaves.
        assert_eq!(outer_repetitions(&[0.001, 0.001, 1.0], 1.021), [10, 10, 1]);
        // Too little even for once.
        assert_eq!(outer_repetitions(&[1.0, 1.0], 0.1), [1, 1]);
    }
}
