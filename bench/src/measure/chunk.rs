//! What a chunk costs in every variant, over chunk sizes and bodies of known work: the method of EPCC's Schedbench
//! (Bull, Measuring Synchronisation and Scheduling Overheads in OpenMP, EWOMP 1999).

use std::collections::BTreeSet;

use anyhow::Result;

use super::build::{FLAGS, LAYOUTS, Workshop, broken};
use super::conditions;
use super::order::{Rules, measure};
use super::workers::{Worker, Workers, batch};
use crate::options::Options;
use crate::plan::{ALL, Attach};
use crate::results::{Cell, Results, Unit};

/// What a batch shall take: long against a timer's 25 ns, short against the operating system's interruptions.
const BATCH: f64 = 250_000.0;
/// What one execution of a loop shall take: long against the runtime's two calls.
const EXECUTION: f64 = 20_000.0;
/// Chunks of a loop that is run to see what its events are.
const CHECKED: u32 = 24;
/// The most threads that a worker has room for; alone, a thread's loop is one chunk with some runtimes.
const MOST_THREADS: u32 = 256;

pub fn run(options: &Options) -> Result<Results> {
    let threads = conditions::cores().clamp(2, MOST_THREADS);
    let workshop = Workshop::new(None, options.runtime.as_deref())?;
    let mut setup = conditions::setup();
    setup.compiler = workshop.version.line.clone();
    setup.flags = FLAGS.join(" ");
    let mut results = Results::new("chunk", setup, ALL.to_vec());
    results.warnings = conditions::of_machine(threads);
    let mut workers = Workers::new(workshop, threads)?;
    let mut plain = workers.start(0, 0, "")?.worker;
    // The file of its runtime, and the CPUs that its threads are pinned to.
    let hello = plain.request("hello")?;
    let mut words = hello.split('\t');
    let runtime = conditions::resolved(words.next().unwrap_or_default());
    let pinned: Vec<u32> = words.filter_map(|cpu| cpu.parse().ok()).collect();
    results.warnings.extend(conditions::of_runtime(&runtime));
    // Two threads on one CPU, or threads that may move.
    let different = BTreeSet::from_iter(&pinned).len();
    let unpinned = || format!("the runtime pinned {threads} threads to {different} CPUs");
    results.warnings.extend((different < threads as usize).then(unpinned));
    results.warnings.iter().for_each(|doubt| conditions::warn_of(doubt));
    (results.setup.runtime, results.setup.pinned) = (runtime, pinned);
    results.cells = cells(options.is_short(), threads);
    for cell in &mut results.cells {
        calibrate(cell, &mut plain)?;
    }
    drop(plain);
    check(&workers, threads)?;
    measure(&mut workers, &mut results, Rules::of_batches(options, LAYOUTS.len()))?;
    Ok(results)
}

fn cells(is_quick: bool, threads: u32) -> Vec<Cell> {
    let sizes: &[u32] = if is_quick { &[1, 64] } else { &[1, 4, 16, 64, 256, 1024, 4096] };
    let bodies: &[&str] = if is_quick { &["empty"] } else { &["empty", "flops"] };
    let of_body =
        |body: &&str| sizes.iter().map(|size| Cell::new(body, *size, threads, Unit::Chunk)).collect::<Vec<_>>();
    let mut cells: Vec<Cell> = bodies.iter().flat_map(of_body).collect();
    cells.push(Cell::new("empty", 1, threads, Unit::Loop));
    cells
}

/// All batches shall take about as long, and all variants run the same.
fn calibrate(cell: &mut Cell, plain: &mut Worker) -> Result<()> {
    let mut per_chunk = f64::INFINITY;
    cell.chunks = if cell.unit == Unit::Loop { 1 } else { 8 };
    for _ in 0..3 {
        per_chunk = per_chunk.min(plain.number(&batch(cell, 1, 16))? / f64::from(cell.chunks));
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

/// Each variant does what its name says: its tool gets an event per chunk; its recorder writes each chunk down.
fn check(workers: &Workers, threads: u32) -> Result<()> {
    for (at, variant) in ALL.iter().enumerate() {
        let wrong = |why: String| broken(format_args!("variant {}", variant.name), why);
        let mut running = workers.start(at, 0, "")?;
        let events = running.worker.number(&format!("check 3 {threads} {}", 3 * CHECKED))?;
        let expected = if variant.attach == Attach::Tool { CHECKED } else { 0 };
        if events != f64::from(expected) {
            return Err(wrong(format!("its tool got {events} events of {CHECKED} chunks, not {expected}")).into());
        }
        if variant.attach == Attach::Recorder {
            let recorded = running.recorded()?;
            if recorded != u64::from(CHECKED) {
                return Err(wrong(format!("{recorded} chunks are recorded, not {CHECKED}")).into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_and_size_and_a_loop() {
        assert_eq!(cells(false, 2).len(), 2 * 7 + 1);
        assert_eq!(cells(true, 2).len(), 2 + 1);
    }
}
