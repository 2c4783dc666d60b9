//! How fast a part is read: `speed FILE` reads one in every way, `speed FILE CHUNKS` first writes one with so many
//! chunks in loops of a thousand, on four lanes.

use std::path::Path;
use std::time::Instant;

use ompchunk_trace_format::{Chunk, Event, LoopBegin, Meta, Part, PartWriter};

fn write(path: &Path, chunks: u64) -> std::io::Result<()> {
    let mut part = PartWriter::create(path, &Meta::default(), 0)?;
    for number in 0..chunks {
        let (lane, ticks) = ((number % 4) as u32, number * 50);
        let begin = LoopBegin { the_loop: 0, work: 10, count: 4000, start: Some(0), step: Some(1) };
        if number / 4 % 1000 == 0 {
            if number >= 4 {
                part.event(lane, ticks, &Event::LoopEnd { the_loop: 0 })?;
            }
            part.event(lane, ticks, &Event::LoopBegin(begin))?;
        }
        let chunk = Chunk { lower: number % 4000, iterations: 1, create_duration: 0, last: false };
        part.event(lane, ticks + 1, &Event::Chunk(chunk))?;
    }
    part.finish(chunks * 50)
}

fn report(what: &str, events: u64, start: Instant) {
    let seconds = start.elapsed().as_secs_f64();
    let rate = events as f64 / seconds / 1e6;
    println!("{what:10} {events} events, {seconds:.3} s, {rate:.0} million per second");
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = Path::new(words.first().ok_or("speed FILE [CHUNKS]")?);
    if let Some(chunks) = words.get(1) {
        write(path, chunks.parse()?)?;
    }
    let part = Part::open(path)?;
    // What a reader does at least: each chunk's duration, per lane.
    let mut last = [0_u64; 64];
    let mut sum = 0_u64;
    let start = Instant::now();
    let events = part.for_each(|at, event| {
        if let Event::Chunk(chunk) = event {
            let before = std::mem::replace(&mut last[at.lane as usize & 63], at.ticks);
            sum = sum.wrapping_add((at.ticks - before) * chunk.iterations);
        }
    })?;
    report("for_each", events, start);
    let start = Instant::now();
    let events = part.merged(|at, _| sum = sum.wrapping_add(at.ticks))?;
    report("merged", events, start);
    let start = Instant::now();
    let checked = part.check()?;
    report("check", checked.events, start);
    println!("(sum {sum})");
    Ok(())
}
