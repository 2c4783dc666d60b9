//! The chunk benchmark: what a chunk costs in every variant, over chunk sizes, bodies and threads. Its
//! method is that of EPCC's Schedbench (Bull, Measuring Synchronisation and Scheduling Overheads in
//! OpenMP, EWOMP 1999): the same loop under different schedules, whose bodies do a known amount of work.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use super::build::{LAYOUTS, Workshop};
use super::order::{Executor, Rules, measure};
use super::worker::Worker;
use super::workers::{self, Workers};
use super::{conditions, instructions};
use crate::error::Error;
use crate::plan;
use crate::plan::options::Options;
use crate::plan::variant::{self, Attach, Role};
use crate::results::stats;
use crate::results::{Cell, Reference, Results, Unit};

/// What an iteration of `delay` takes.
const DELAY: f64 = 50.0;
/// What a batch shall take: long against a timer's 25 ns, short against the operating system's interruptions.
const BATCH: f64 = 250_000.0;
/// What one execution of a loop shall take: long against the runtime's two calls.
const EXECUTION: f64 = 20_000.0;

/// Measures.
pub fn run(options: &Options) -> Result<Results> {
    let variants = variant::chosen(variant::ALL, &options.variants)?;
    let cases = plan::chunk::cases(options, conditions::cores())?;
    let mut cells: Vec<Cell> = cases.into_iter().map(Cell::new).collect();
    let most = cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
    let doubts = conditions::of_machine(most);
    let workshop = Workshop::new(options.cc.as_ref(), options.runtime.as_deref())?;
    let (mut results, flags) = workers::results("chunk", options, &workshop);

    let mut chunks = Chunks {
        workers: Workers::new(&workshop, &variants, &flags, most)?,
        not_alone: Vec::new(),
        undivided: false,
        references: Vec::new(),
    };
    let mut plain = chunks.workers.start(0, 0, "")?.worker;
    let wanted = (most, DELAY);
    chunks.workers.spins = workers::prepare(&mut results, &mut plain, doubts, wanted, options)?;
    for cell in &mut cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    chunks.check(&cells)?;
    if chunks.undivided {
        cells.retain(|cell| cell.threads > 1 || cell.unit == Unit::Loop);
        results.warnings.push(
            "this runtime gives a team of one the whole loop as one chunk: no figures per chunk with one thread"
                .to_owned(),
        );
    }

    chunks.workers.begin();
    let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
    let rules = Rules::of_batches(options.quick, options.time, LAYOUTS.len());
    measure(&mut chunks, &names, &mut cells, rules, options.seed)?;
    results.setup.seconds = chunks.elapsed().as_secs_f64();
    chunks.refer(&mut results.references);
    if !options.quick {
        chunks.count(&mut results)?;
    }
    results.variants = workers::infos(&variants);
    results.cells = cells;
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
    format!(
        "batch {body} {chunk} {threads} {} {warmup} {executions}",
        iterations(cell)
    )
}

/// The workers, and what was found out about them.
struct Chunks<'a> {
    workers: Workers<'a>,
    /// Variants whose runtime does not deal a team of one its chunks.
    not_alone: Vec<usize>,
    /// The runtime makes one chunk of a static loop that a team of one runs, as libomp does.
    undivided: bool,
    /// What references took in each generation, beside what is held against them.
    references: Vec<Vec<Reference>>,
}

impl Chunks<'_> {
    /// The references' medians.
    fn refer(&self, references: &mut [Reference]) {
        for (at, reference) in references.iter_mut().enumerate() {
            let all: Vec<f64> = self.references.iter().map(|of| of[at].ns).collect();
            if !all.is_empty() {
                reference.ns = stats::median(&all);
            }
        }
    }

    /// Counts instructions, if that is possible here.
    fn count(&self, results: &mut Results) -> Result<()> {
        if !instructions::find() {
            let why =
                "no instructions are counted: valgrind is not installed (apt-get install valgrind)";
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
        const CHUNKS: u32 = 24;
        let mut threads: Vec<u32> = cells.iter().map(|cell| cell.threads).collect();
        threads.dedup();
        for (at, variant) in self.workers.variants.iter().enumerate() {
            let wrong = |threads: u32, got: String| Error::Run {
                what: format!("variant {}, {threads} threads", variant.name),
                why: got,
            };
            let mut running = self.workers.start(at, 0, "")?;
            let mut ran = 0;
            for threads in &threads {
                let iterations = 3 * CHUNKS;
                let line = format!("check 3 {threads} {iterations}");
                let events = running.worker.number(&line)?;
                let expected = if variant.events { CHUNKS } else { 0 };
                // What the runtime deals through calls tells nothing of static loops.
                let undivided =
                    *threads == 1 && variant.events && variant.role != Role::Dealt && events == 1.0;
                self.undivided |= undivided;
                let whole = *threads == 1 && self.undivided;
                ran += if whole { 1 } else { u64::from(CHUNKS) };
                if events == f64::from(expected) {
                    continue;
                }
                // Some runtimes give a team of one the whole loop at once.
                if variant.role == Role::Dealt && *threads == 1 {
                    self.not_alone.push(at);
                    continue;
                }
                if undivided {
                    continue;
                }
                let got =
                    format!("its tool got {events} events of {CHUNKS} chunks, not {expected}");
                return Err(wrong(*threads, got).into());
            }
            if matches!(variant.attach, Attach::Recorder) {
                let chunks = running.recorded()?;
                if chunks != ran {
                    let most = threads.iter().max().copied().unwrap_or(1);
                    let got = format!("it recorded {chunks} of {ran} chunks");
                    return Err(wrong(most, got).into());
                }
            }
        }
        Ok(())
    }
}

impl Executor for Chunks<'_> {
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
