//! Chunks of which sizes are worth a trial.

use ompchunk_abi::overrides::Dealt;

use super::super::part_times::Times;
use super::super::plan::Mode;
use crate::static_override::stride::LARGEST_STEPPED;

/// A dealt loop has so many chunks for each thread, ...
const CHUNKS: f64 = 32.0;
/// ... unless they would then be shorter than this, in nanoseconds. `guided` would have fewer, but runtimes compute its chunks with
/// fractions: flags of the program's threads would change, and a trap that it has set would end it.
const SHORTEST_CHUNK: f64 = 5_000.0;

/// Chunks of a loop that is dealt in the source may cost more to deal than is worth it, if they are shorter.
const SHORT_CHUNK: f64 = 20_000.0;

/// `static` chunks mix what iterations cost if each thread has so many, and gain nothing if it has only one.
const STATIC_CHUNKS: u64 = 64;
const FEWEST_STATIC_CHUNKS: u64 = 2;

/// In which chunks the runtime would deal the loop, cutting none of `whole`; None: iterations unknown, or too few.
pub(super) fn deal(times: &Times, whole: u32) -> Option<Mode> {
    let team = times.ticks.len() as f64;
    let iterations = times.iterations as f64;
    let of_one = times.mean() * team / iterations;
    let target = (times.mean() / CHUNKS).max(SHORTEST_CHUNK);
    let chunk = (target / of_one).max(whole.into());
    let enough = times.iterations > 0 && chunk * team * 2.0 <= iterations;
    let deal = Mode::Dealt(Dealt::Dynamic, chunk.min(f64::from(i32::MAX)) as u32);
    enough.then(|| deal.keeping(whole))
}

/// Is the loop dealt in the source, in chunks so short that dealing them may be dear?
pub(super) fn has_short_chunks(times: &Times) -> bool {
    times.mean() * (times.ticks.len() as f64) < SHORT_CHUNK * times.chunks as f64
}

/// The chunks that `static` would have, cutting none of `whole` iterations; None: iterations unknown, or too few.
pub(super) fn static_chunk(times: &Times, whole: u32) -> Option<Mode> {
    let of_thread = times.iterations / times.ticks.len() as u64;
    let chunk = (of_thread / STATIC_CHUNKS).clamp(1, LARGEST_STEPPED.into());
    let chunk = (chunk as u32).next_multiple_of(whole);
    let enough = of_thread >= FEWEST_STATIC_CHUNKS * u64::from(chunk);
    (enough && chunk <= LARGEST_STEPPED).then_some(Mode::StaticChunked(chunk))
}
