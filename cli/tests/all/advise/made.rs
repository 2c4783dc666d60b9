//! Traces with profiles, made by hand: one tick is one microsecond.

use std::path::Path;

use ompchunk_trace_format::{Event, LoopBegin, LoopDefinition, SubBlock};

use ompchunk_testkit::traces::{Maker, definition, meta};

/// `ompt_work_t`
pub const STATIC: u32 = 10;

/// A loop without a chunk size, in line `10 * the_loop + 10`.
pub fn unchunked(the_loop: u32, function: &str) -> LoopDefinition<'_> {
    LoopDefinition {
        schedule: 34,
        chunk: 0,
        // Can be changed, and divided.
        flags: 0b1001_0001_1001,
        ..definition(the_loop, 10 * the_loop + 10, function)
    }
}

/// A trace of one process that is being made, with two threads or more.
pub struct Made {
    pub maker: Maker,
    pub at: u64,
    pub threads: u32,
    region: u64,
}

impl Made {
    pub fn new(directory: &Path, threads: u32, loops: &[LoopDefinition<'_>]) -> Made {
        let maker = Maker::new(directory, "pid-7", &meta(None));
        Made::with(maker, threads, loops)
    }

    /// One process among several.
    pub fn of_rank(directory: &Path, rank: u64, threads: u32, loops: &[LoopDefinition<'_>]) -> Made {
        let maker = Maker::new(directory, &format!("rank-{rank}"), &meta(Some(rank)));
        Made::with(maker, threads, loops)
    }

    fn with(mut maker: Maker, threads: u32, loops: &[LoopDefinition<'_>]) -> Made {
        maker.threads(threads, loops);
        Made { maker, at: 1000, threads, region: 0 }
    }

    /// A thread's part of a `static` loop, in so many sub-blocks; 0: not divided. Gives the time of its end.
    fn part(&mut self, lane: u32, trips: u64, pieces: u64, cost: &mut dyn FnMut(u64, u32) -> f64) -> f64 {
        let threads = u64::from(self.threads);
        let (small, more) = (trips / threads, trips % threads);
        let thread = u64::from(lane);
        let lower = thread * small + thread.min(more);
        let block = small + u64::from(thread < more);
        let mut now = self.at as f64;
        if block == 0 {
            return now;
        }
        self.maker.chunk(lane, self.at, lower, block, 0);
        let pieces = pieces.min(block);
        for piece in 0..pieces.max(1) {
            let edge = |number: u64| {
                let share = u128::from(block) * u128::from(number) / u128::from(pieces.max(1));
                lower + share as u64
            };
            let (from, to) = (edge(piece), edge(piece + 1));
            if pieces > 0 {
                let sub_block =
                    SubBlock { lower: from, iterations: to - from, first: piece == 0, last: piece + 1 == pieces };
                self.maker.put(lane, now as u64, &Event::SubBlock(sub_block));
            }
            // Very many iterations count by what one in the middle takes.
            now += match to - from {
                few if few <= 10_000 => (from..to).map(|index| cost(index, lane)).sum::<f64>(),
                many => cost(from + many / 2, lane) * many as f64,
            };
        }
        now
    }

    /// An execution of a `static` loop in a region of its own.
    pub fn execute(&mut self, the_loop: u32, trips: u64, pieces: u64, mut cost: impl FnMut(u64, u32) -> f64) {
        self.region += 1;
        let (region, at) = (self.region, self.at);
        let mut ends = Vec::new();
        for lane in 0..self.threads {
            self.maker.task(lane, at, region, self.threads);
            let begin = LoopBegin { the_loop, work: STATIC, count: trips, start: None, step: None };
            self.maker.put(lane, at, &Event::LoopBegin(begin));
            let end = self.part(lane, trips, pieces, &mut cost) as u64;
            self.maker.put(lane, end, &Event::LoopEnd { the_loop });
            ends.push(end);
        }
        let last = ends.iter().copied().max().unwrap_or(at);
        for (lane, end) in (0..).zip(ends) {
            self.maker.leave(lane, (end, last), region);
        }
        self.at = last + 10;
    }

    pub fn finish(self) {
        self.maker.finish(self.at);
    }
}

/// The same numbers each time.
pub fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1u64 << 53) as f64
}
