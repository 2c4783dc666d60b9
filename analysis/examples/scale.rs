//! Time per chunk event of the analysis, for traces of several lengths, in turn.
//!
//! `cargo run --release -p ompchunk-analysis --example scale -- DIRECTORY ROUNDS EVENTS...` writes a trace of
//! each length (16 bytes per event) unless it is there, then reads each once per round, with one thread and
//! with all. Everything is read from the page cache if that has room.

use std::path::Path;
use std::time::Instant;

use ompchunk_analysis::analyse;
use ompchunk_trace_format::{Chunk, ClockMeta, Event, LoopBegin, LoopDefinition, Meta, PartWriter, Trace};

const LANES: u64 = 4;
const CHUNKS_PER_EXECUTION: u64 = 1000;

fn write(path: &Path, events: u64) -> std::io::Result<()> {
    let meta = Meta {
        clock: ClockMeta { source: "tsc".into(), hertz: 2.5e9, read: 20.0, ..ClockMeta::default() },
        ..Meta::default()
    };
    let mut part = PartWriter::create(path, &meta, 0)?;
    for lane in 0..LANES {
        begin_lane(&mut part, lane as u32)?;
    }
    let mut now = [1000u64; LANES as usize];
    let mut written = 0;
    let mut region = 0;
    let mut seed = 88_172_645_463_325_252u64;
    while written < events {
        region += 1;
        for lane in 0..LANES {
            execute(&mut part, lane, region, &mut now[lane as usize], &mut seed)?;
        }
        let latest = now.iter().copied().max().unwrap_or(0);
        now = [latest + 5000; LANES as usize];
        written += LANES * CHUNKS_PER_EXECUTION;
    }
    part.finish(now[0])
}

/// A thread, and the loop that it runs.
fn begin_lane(part: &mut PartWriter, thread: u32) -> std::io::Result<()> {
    let begins = Event::ThreadBegin { thread, os_thread: thread, kind: 1 };
    part.event(thread, 1, &begins)?;
    let the_loop = LoopDefinition {
        instrumented: true,
        construct: 1,
        bits: 32,
        variable_bits: 32,
        flags: 0b11111,
        schedule: 33,
        chunk: 4,
        step: 1,
        line: 12,
        column: 3,
        code: 0x1234,
        function: b"main",
        file: b"scale.c",
        ..LoopDefinition::default()
    };
    part.event(thread, 1, &Event::Loop(the_loop))
}

/// A thread's part of an execution, from `ticks` on.
fn execute(part: &mut PartWriter, lane: u64, parallel: u64, ticks: &mut u64, seed: &mut u64) -> std::io::Result<()> {
    let thread = lane as u32;
    let task = Event::ImplicitTaskBegin { parallel, index: thread, team_size: LANES as u32, flags: 2 };
    part.event(thread, *ticks, &task)?;
    let begins =
        LoopBegin { the_loop: 0, work: 10, count: LANES * CHUNKS_PER_EXECUTION * 4, start: Some(0), step: Some(1) };
    part.event(thread, *ticks, &Event::LoopBegin(begins))?;
    for chunk in 0..CHUNKS_PER_EXECUTION {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *ticks += 200 + *seed % 4096;
        let chunk = Chunk {
            lower: (chunk * LANES + lane) * 4,
            iterations: 4,
            create_duration: 30,
            last: chunk + 1 == CHUNKS_PER_EXECUTION,
        };
        part.event(thread, *ticks, &Event::Chunk(chunk))?;
    }
    *ticks += 1000;
    part.event(thread, *ticks, &Event::LoopEnd { the_loop: 0 })?;
    part.event(thread, *ticks, &Event::ImplicitTaskEnd { parallel })
}

/// Time that all threads of this process had a core, in seconds: other work on the machine is not in it.
fn cores() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of_task = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_else(|_| stat.clone());
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    tasks.filter_map(|task| of_task(task.path())).sum::<f64>() / 1e9
}

fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: scale DIRECTORY ROUNDS EVENTS...")?;
    let rounds: u32 = arguments.next().ok_or("how many rounds?")?.parse()?;
    let sizes = arguments.map(|argument| argument.parse()).collect::<Result<Vec<u64>, _>>()?;
    let mut traces = Vec::new();
    for events in sizes {
        let path = Path::new(&directory).join(format!("{events}.trace"));
        if !path.exists() {
            write(&path, events)?;
        }
        traces.push((events, Trace::open(&path)?));
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("events,threads,elapsed_ns_per_event,core_ns_per_event,million_per_core_second,peak_memory_kb");
    for _ in 0..rounds {
        for (_, trace) in &traces {
            for threads in [1, rayon::current_num_threads()] {
                let read = || analyse(&[&trace.parts[0]], &|_| {});
                let (start, before) = (Instant::now(), cores());
                let read = if threads == 1 { one.install(read)? } else { read()? };
                let seconds = start.elapsed().as_secs_f64();
                let busy = cores() - before;
                let chunks = read.report.parts[0].chunks;
                println!(
                    "{chunks},{threads},{:.2},{:.2},{:.1},{}",
                    seconds * 1e9 / chunks as f64,
                    busy * 1e9 / chunks as f64,
                    chunks as f64 / busy / 1e6,
                    memory()
                );
            }
        }
    }
    Ok(())
}
