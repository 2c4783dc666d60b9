//! The evaluation of the thesis that proposed chunk events (P. V. Langdal, Extending OMPT to Support Grain Graph
//! Visualization, NTNU 2017), repeated: what a loop costs under each schedule and chunk size (its figures 5.1 to
//! 5.3), and creating tasks (its table 3.1). Its parameters, as far as `--time` allows; the order of what is
//! run is ours (`measure`).

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::LAYOUTS;
use super::order::{Executor, Rules, measure};
use super::worker::Worker;
use super::workers::{Prepared, Suite, Workers};
use crate::error::Error;
use crate::plan;
use crate::plan::case::distinct;
use crate::plan::options::Options;
use crate::plan::thesis::TASK;
use crate::plan::variant::{self, Role};
use crate::results::{Cell, Results, Unit};

const ITERATIONS_PER_THREAD: u32 = 4096;
/// Outer repetitions of a cell in a process, if there is time for so many.
const OUTER: usize = 50;
/// Runs of which the median is taken.
const RUNS: usize = 20;
/// What an outer repetition shall take at least: EPCC's, on which the thesis builds.
const BATCH: f64 = 1e6;
/// Tasks before those that are timed: the runtime has memory for tasks then.
const WARMUP_TASKS: u32 = 1000;
/// Chunks of a loop, or tasks, that are run to see what their events are.
const CHECKED: u32 = 24;

/// The benchmark.
pub const SUITE: Suite = Suite {
    name: "thesis",
    variants: variant::THESIS,
    cases: plan::thesis::cases,
    flag: Some("-DTHESIS"),
    delay: 100.0,
    run,
};

fn run(prepared: Prepared, options: &Options) -> Result<Results> {
    let (mut results, mut plain) = (prepared.results, prepared.plain);
    let mut costs = Vec::new();
    for cell in &mut results.cells {
        costs.push(calibrate(cell, &mut plain)? * 1e-9 * results.variants.len() as f64);
    }
    drop(plain);
    let mut thesis = Thesis(prepared.workers);
    thesis.check(&results.cells)?;
    // Some of it goes to starting processes.
    let rounds = outer_repetitions(&costs, 0.9 * options.seconds() / RUNS as f64);
    for (cell, rounds) in results.cells.iter_mut().zip(rounds) {
        cell.rounds = rounds;
    }
    measure(&mut thesis, &mut results, Rules::new(options, RUNS))?;
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
struct Thesis(Workers);

impl Thesis {
    /// Each variant does what its name says: all extension events come, or none.
    fn check(&self, cells: &[Cell]) -> Result<()> {
        let checked = distinct(cells.iter().map(|cell| (&*cell.body, cell.threads)));
        for (at, variant) in self.0.variants.iter().enumerate() {
            let mut worker = self.0.start(at, 0, "")?.worker;
            for (body, threads) in &checked {
                let size = if *body == TASK { CHECKED } else { 3 };
                let line = format!("events {body} {size} {threads} {}", 3 * CHECKED);
                let events = worker.number(&line)?;
                if !is_expected(variant.role, body, *threads, events) {
                    return Err(Error::Run {
                        what: format!("variant {}, {body}, {threads} threads", variant.name),
                        why: format!("its tool got {events} events of {CHECKED} chunks or tasks"),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }
}

fn is_expected(role: Role, body: &str, threads: u32, events: f64) -> bool {
    // Begin and end on each thread.
    let loops = 2 * threads;
    let is_right = |counts: &[u32]| counts.iter().any(|count| events == f64::from(*count));
    match body {
        _ if role != Role::Extensions => is_right(&[0]),
        TASK => is_right(&[CHECKED]),
        // The runtime decides how many chunks there are.
        "guided" => (1..=CHECKED).any(|chunks| is_right(&[chunks + loops])),
        // Some runtimes give a team of one the whole loop at once.
        _ if threads == 1 => is_right(&[CHECKED + loops, 1 + loops]),
        _ => is_right(&[CHECKED + loops]),
    }
}

impl Executor for Thesis {
    fn restart(&mut self, _: &[usize], rng: &mut Rng) -> Result<()> {
        // A layout by chance: all of them in each run would leave no time for its repetitions, and what a
        // delay is does not depend on where a loop lies.
        let variants = self.0.variants.iter();
        let layouts: Vec<usize> = variants.map(|_| rng.usize(..LAYOUTS.len())).collect();
        self.0.restart(&layouts, rng)
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        let ns = self.0.number(variant, &batch(cell))?;
        Ok(match cell.unit {
            Unit::Task => ns / f64::from(cell.chunk),
            _ => ns,
        })
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
