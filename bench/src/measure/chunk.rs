//! The chunk benchmark: what a chunk costs in every variant, over chunk sizes, bodies and threads. Its
//! method is that of EPCC's Schedbench (Bull, Measuring Synchronisation and Scheduling Overheads in
//! OpenMP, EWOMP 1999): the same loop under different schedules, whose bodies do a known amount of work.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::LAYOUTS;
use super::instructions;
use super::order::{Executor, Rules, measure};
use super::worker::Worker;
use super::workers::{Prepared, Suite, Workers};
use crate::error::Error;
use crate::plan;
use crate::plan::case::distinct;
use crate::plan::options::Options;
use crate::plan::variant::{self, Attach, Role, Variant};
use crate::results::stats;
use crate::results::{Cell, Reference, Results, Unit};

/// What a batch shall take: long against a timer's 25 ns, short against the operating system's interruptions.
const BATCH: f64 = 250_000.0;
/// What one execution of a loop shall take: long against the runtime's two calls.
const EXECUTION: f64 = 20_000.0;
/// Chunks of a loop that is run to see what its events are.
const CHECKED: u32 = 24;

/// The benchmark.
pub const SUITE: Suite =
    Suite { name: "chunk", variants: variant::ALL, cases: plan::chunk::cases, flag: None, delay: 50.0, run };

fn run(prepared: Prepared, options: &Options) -> Result<Results> {
    let (mut results, mut plain) = (prepared.results, prepared.plain);
    for cell in &mut results.cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    let mut chunks =
        Chunks { workers: prepared.workers, not_alone: Vec::new(), undivided: false, references: Vec::new() };
    chunks.check(&results.cells)?;
    if chunks.undivided {
        let is_told = |cell: &Cell| cell.threads > 1 || cell.unit == Unit::Loop;
        results.cells.retain(is_told);
        results.warnings.push(
            "this runtime gives a team of one the whole loop as one chunk: no figures per chunk with one thread"
                .to_owned(),
        );
    }
    let rules = Rules::of_batches(options, LAYOUTS.len());
    measure(&mut chunks, &mut results, rules)?;
    chunks.refer(&mut results.references);
    if !options.quick {
        chunks.count(&mut results)?;
    }
    Ok(results)
}

/// How many chunks and executions make a batch, so that all batches take about as long. All variants run
/// the same.
fn calibrate(cell: &mut Cell, plain: &mut Worker) -> Result<()> {
    let mut per_chunk = f64::INFINITY;
    cell.chunks = if cell.unit == Unit::Loop { 1 } else { 8 };
    for _ in 0..3 {
        let ns = plain.number(&batch(cell, 1, 16))?;
        per_chunk = per_chunk.min(ns / f64::from(cell.chunks));
    }
    if cell.unit == Unit::Chunk {
        cell.chunks = (EXECUTION / per_chunk).clamp(2.0, 4096.0) as u32;
        if cell.body == "flops" {
            // What it reads and writes shall stay in the first-level cache.
            cell.chunks = cell.chunks.min(4096 / cell.chunk).max(2);
        }
    }
    cell.executions = (BATCH / per_chunk / f64::from(cell.chunks)).clamp(1.0, 1e6) as u32;
    Ok(())
}

fn iterations(cell: &Cell) -> u32 {
    cell.chunks * cell.chunk * cell.threads
}

fn batch(cell: &Cell, warmup: u32, executions: u32) -> String {
    let (body, chunk, threads) = (&cell.body, cell.chunk, cell.threads);
    format!("batch {body} {chunk} {threads} {} {warmup} {executions}", iterations(cell))
}

/// The workers, and what was found out about them.
struct Chunks {
    workers: Workers,
    /// Variants whose runtime does not deal a team of one its chunks.
    not_alone: Vec<usize>,
    /// The runtime makes one chunk of a static loop that a team of one runs, as libomp does.
    undivided: bool,
    /// What references took in each generation, beside what is held against them.
    references: Vec<Vec<Reference>>,
}

impl Chunks {
    /// The references' medians.
    fn refer(&self, references: &mut [Reference]) {
        for (at, reference) in references.iter_mut().enumerate() {
            let found: Vec<f64> = self.references.iter().map(|of| of[at].ns).collect();
            if !found.is_empty() {
                reference.ns = stats::median(&found);
            }
        }
    }

    /// Counts instructions, if that is possible here.
    fn count(&self, results: &mut Results) -> Result<()> {
        if !instructions::find() {
            let why = "no instructions are counted: valgrind is not installed (apt-get install valgrind)";
            results.warnings.push(why.to_owned());
            return Ok(());
        }
        for (at, variant) in self.workers.variants.iter().enumerate() {
            if variant.role == Role::Noise || self.not_alone.contains(&at) {
                continue;
            }
            let counted = instructions::count(&self.workers, at, !self.undivided)?;
            results.instructions.push(counted);
        }
        Ok(())
    }

    /// Each variant does what its name says: its tool gets an event per chunk, or none; its recorder writes
    /// each chunk down.
    fn check(&mut self, cells: &[Cell]) -> Result<()> {
        let threads = distinct(cells.iter().map(|cell| cell.threads));
        for variant in 0..self.workers.variants.len() {
            self.check_variant(variant, &threads)?;
        }
        Ok(())
    }

    fn check_variant(&mut self, at: usize, threads: &[u32]) -> Result<()> {
        let variant = self.workers.variants[at];
        let wrong = |threads: u32, got: String| Error::Run {
            what: format!("variant {}, {threads} threads", variant.name),
            why: got,
        };
        let mut running = self.workers.start(at, 0, "")?;
        let mut ran = 0;
        for &threads in threads {
            let line = format!("check 3 {threads} {}", 3 * CHECKED);
            let events = running.worker.number(&line)?;
            let is_right = self.has_right_events(at, &variant, threads, events);
            let whole = threads == 1 && self.undivided;
            ran += if whole { 1 } else { u64::from(CHECKED) };
            if !is_right {
                let expected = expected(&variant);
                let got = format!("its tool got {events} events of {CHECKED} chunks, not {expected}");
                return Err(wrong(threads, got).into());
            }
        }
        if matches!(variant.attach, Attach::Recorder) {
            let chunks = running.recorded()?;
            if chunks != ran {
                let most = threads.iter().max().copied().unwrap_or(1);
                let got = format!("it recorded {chunks} of {ran} chunks");
                return Err(wrong(most, got).into());
            }
        }
        Ok(())
    }

    /// Whether a variant's tool got the events that it shall; some runtimes give a team of one the whole loop at once, which
    /// is remembered.
    fn has_right_events(&mut self, at: usize, variant: &Variant, threads: u32, events: f64) -> bool {
        let (is_alone, is_dealt) = (threads == 1, variant.role == Role::Dealt);
        // What the runtime deals through calls tells nothing of static loops.
        let undivided = is_alone && variant.events && !is_dealt && events == 1.0;
        self.undivided |= undivided;
        if events == f64::from(expected(variant)) || undivided {
            return true;
        }
        if is_dealt && is_alone {
            self.not_alone.push(at);
        }
        is_dealt && is_alone
    }
}

/// How many events a variant's tool gets when it is checked.
fn expected(variant: &Variant) -> u32 {
    if variant.events { CHECKED } else { 0 }
}

impl Executor for Chunks {
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()> {
        self.workers.restart(layouts, rng)?;
        self.references.push(self.workers.references()?);
        Ok(())
    }

    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64> {
        let warmup = 1 + cell.executions / 8;
        let line = batch(cell, warmup, cell.executions);
        Ok(self.workers.number(variant, &line)? / f64::from(cell.chunks))
    }

    fn applies(&self, variant: usize, cell: &Cell) -> bool {
        cell.threads > 1 || !self.not_alone.contains(&variant)
    }

    fn elapsed(&self) -> Duration {
        self.workers.elapsed()
    }
}
