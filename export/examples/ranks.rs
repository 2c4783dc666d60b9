//! Writes a trace of many ranks, always the same one: `cargo run --example ranks -- DIR RANKS [STEPS]`. What is said of many ranks in
//! `docs/scale.md` is said of it, and tests ask it for more ranks than a machine can run.
//!
//! Eight threads per rank, eight ranks per node, ten time steps (or STEPS, of 272 chunks each) of three loops: `assemble` is a triangle under `static`, `solve` is even
//! under `static,16` but for the nodes `node03`, which is slow, and rank 37, which once is held up, and `exchange` takes longer the more
//! ranks there are.

use std::path::Path;

use ompchunk_trace_format::{Chunk, ClockMeta, Event, LoopBegin, LoopDefinition, Meta, PartWriter, Sync};
use rayon::prelude::*;

const THREADS: u32 = 8;
const PER_NODE: u64 = 8;
const STEPS: u64 = 10;
const HERTZ: f64 = 1e9;
/// The barrier of a worksharing construct.
const BARRIER: Sync = Sync { kind: 8, code: 0 };
/// `ompt_work_loop_static`
const STATIC: u32 = 10;

/// A loop: number, name of its file and function, line, iterations, chunk size; 0: one chunk per thread.
type Loop = (u32, &'static str, &'static str, u32, u64, i64);
const LOOPS: [Loop; 3] = [
    (0, "assemble.c", "assemble", 40, 4096, 0),
    (1, "solve.c", "solve", 88, 4096, 16),
    (2, "exchange.c", "pack", 120, 1024, 0),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (directory, ranks, steps) = match &words[..] {
        [directory, ranks] => (directory, ranks.parse()?, STEPS),
        [directory, ranks, steps] => (directory, ranks.parse()?, steps.parse()?),
        _ => return Err("two words or three: DIR RANKS [STEPS]".into()),
    };
    std::fs::create_dir_all(directory)?;
    (0..ranks).into_par_iter().try_for_each(|rank| {
        let path = Path::new(directory).join(format!("rank-{rank}.trace"));
        write(&path, rank, ranks, steps).map_err(|cause| format!("{}: {cause}", path.display()))
    })?;
    Ok(())
}

/// The same for the same numbers, between 0 and 1.
fn noise(seed: u64) -> f64 {
    let mut bits = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    bits ^= bits >> 33;
    bits = bits.wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits ^= bits >> 29;
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

fn write(path: &Path, rank: u64, ranks: u64, steps: u64) -> Result<(), Box<dyn std::error::Error>> {
    let meta = Meta {
        command: vec!["./app".into()],
        host: format!("node{:02}", rank / PER_NODE),
        processors: PER_NODE as u32 * THREADS,
        pid: 4000 + rank as u32,
        rank: Some(rank),
        started: 1_700_000_000_000_000_000,
        clock: ClockMeta { source: "tsc".into(), hertz: HERTZ, read: 20.0, ..ClockMeta::default() },
        ..Meta::default()
    };
    let mut part = PartWriter::create(path, &meta, 0)?;
    for thread in 0..THREADS {
        let kind = if thread == 0 { 1 } else { 2 };
        let begin = Event::ThreadBegin { thread, os_thread: 5000 + thread, kind };
        part.event(thread, 0, &begin)?;
        for of_loop in &LOOPS {
            part.event(thread, 0, &Event::Loop(definition(of_loop)))?;
        }
    }
    let mut now = 1000;
    for step in 0..steps {
        for of_loop in &LOOPS {
            now = region(&mut part, of_loop, (rank, ranks, step), now)? + 500;
        }
    }
    for thread in 0..THREADS {
        part.event(thread, now, &Event::ThreadEnd { thread })?;
    }
    part.finish(now)?;
    Ok(())
}

fn definition(of_loop: &Loop) -> LoopDefinition<'static> {
    let (the_loop, file, function, line, _, chunk) = *of_loop;
    LoopDefinition {
        the_loop,
        instrumented: true,
        construct: 1,
        bits: 32,
        variable_bits: 32,
        // Signed, start and step known; with a chunk size, that too.
        flags: if chunk > 0 { 0b11111 } else { 0b11001 },
        schedule: if chunk > 0 { 33 } else { 34 },
        chunk,
        step: 1,
        line,
        column: 3,
        code: 0x40_0000 + u64::from(line),
        function: function.as_bytes(),
        file: file.as_bytes(),
        ..LoopDefinition::default()
    }
}

/// A parallel region with one loop. Returns the time of its end.
fn region(
    part: &mut PartWriter,
    of_loop: &Loop,
    (rank, ranks, step): (u64, u64, u64),
    now: u64,
) -> Result<u64, Box<dyn std::error::Error>> {
    let (the_loop, _, _, _, trips, chunk) = *of_loop;
    let parallel = 1 + step * LOOPS.len() as u64 + u64::from(the_loop);
    let begin = Event::ParallelBegin { parallel, requested: THREADS, flags: 1, code: 0x40_1000 };
    part.event(0, now, &begin)?;
    let block = trips / u64::from(THREADS);
    let size = if chunk > 0 { chunk as u64 } else { block };
    let mut ends = Vec::new();
    for thread in 0..THREADS {
        let mut at = now + 100 + u64::from(thread) * 10;
        let task = Event::ImplicitTaskBegin { parallel, index: thread, team_size: THREADS, flags: 2 };
        part.event(thread, at, &task)?;
        let begin = LoopBegin { the_loop, work: STATIC, count: trips, start: None, step: None };
        part.event(thread, at, &Event::LoopBegin(begin))?;
        let chunks = trips / size;
        for number in (u64::from(thread)..chunks).step_by(THREADS as usize) {
            let lower = number * size;
            let event = Chunk { lower, iterations: size, create_duration: 0, last: number + 1 == chunks };
            part.event(thread, at, &Event::Chunk(event))?;
            at += took(the_loop, (rank, ranks, step), lower, size);
        }
        part.event(thread, at, &Event::LoopEnd { the_loop })?;
        part.event(thread, at, &Event::SyncBegin(BARRIER))?;
        ends.push(at);
    }
    let end = ends.iter().copied().max().unwrap_or(now) + 50;
    for thread in 0..THREADS {
        part.event(thread, end, &Event::SyncEnd(BARRIER))?;
        part.event(thread, end, &Event::ImplicitTaskEnd { parallel })?;
    }
    part.event(0, end + 10, &Event::ParallelEnd { parallel })?;
    Ok(end + 10)
}

/// Nanoseconds of a chunk.
fn took(the_loop: u32, (rank, ranks, step): (u64, u64, u64), lower: u64, iterations: u64) -> u64 {
    let middle = lower as f64 + iterations as f64 / 2.0;
    let per_iteration = match the_loop {
        0 => 2.0 * (1.0 - middle / 4096.0) * 50.0,
        1 if rank / PER_NODE == 3 => 65.0,
        1 => 50.0,
        _ => 10.0 + ranks as f64 * 0.5,
    };
    let held_up = the_loop == 1 && rank == 37 && step == 6 && lower == 2048;
    let times = if held_up { 400.0 } else { 1.0 };
    let seed = (rank << 32) ^ (step << 24) ^ (u64::from(the_loop) << 20) ^ lower;
    (per_iteration * iterations as f64 * times * (0.97 + 0.06 * noise(seed))) as u64
}
