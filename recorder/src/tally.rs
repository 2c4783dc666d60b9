//! What a thread counts of a loop instead of recording it: aggregates, and what was lost.

use std::collections::BTreeMap;

use ompchunk_trace_format::sum::aggregate;
use ompchunk_trace_format::{BlockHead, Event, Histogram, Lost, NOBODY, Reason, Records};

use crate::cells::{Cells, Durations};
use crate::faults::Wanted;

const DURATIONS: Durations = [aggregate::SUM, aggregate::MIN, aggregate::MAX];

/// The chunk size that the first chunks of a static loop without the plugin have shown.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShownSize {
    #[default]
    None,
    One(u64),
    Several,
}

/// One loop, one thread.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) seen: u64,
    /// Whether page faults of the next execution are counted.
    pub(crate) faults: Wanted,
    pub(crate) shown: ShownSize,
    /// Executions that are not told: of a loop that `--loop` does not name, and by `--skip`.
    pub(crate) left_out: [u64; 2],
    /// Its record, once there is something to add up.
    pub(crate) cells: Option<Cells>,
    lost_chunks: u64,
    lost_iterations: u64,
    lost_events: u64,
    lost_from: u64,
    lost_to: u64,
}

impl Tally {
    /// A chunk begins. False: there is no room to add it up, and it is lost.
    pub(crate) fn chunk(&mut self, now: u64, iterations: u64, create_duration: u64) -> bool {
        let Some(cells) = &mut self.cells else {
            self.lost_chunk(now, iterations);
            return false;
        };
        cells.add(aggregate::CHUNKS, 1);
        cells.add(aggregate::ITERATIONS, iterations);
        if create_duration > 0 {
            cells.add(aggregate::CREATE_DURATION, create_duration);
        }
        true
    }

    /// It has ended.
    pub(crate) fn duration(&mut self, ticks: u64) {
        let Some(cells) = &mut self.cells else { return };
        cells.duration(DURATIONS, ticks);
        cells.add(aggregate::COUNTS + Histogram::bucket(ticks), 1);
    }

    pub(crate) fn lost_chunk(&mut self, now: u64, iterations: u64) {
        self.lost(now);
        self.lost_chunks += 1;
        self.lost_iterations = self.lost_iterations.wrapping_add(iterations);
    }

    pub(crate) fn lost_event(&mut self, now: u64) {
        self.lost_events(now, 1);
    }

    pub(crate) fn lost_events(&mut self, now: u64, events: u64) {
        self.lost(now);
        self.lost_events += events;
    }

    fn lost(&mut self, now: u64) {
        if self.lost_chunks + self.lost_events == 0 {
            self.lost_from = now;
        }
        self.lost_to = now;
    }

    /// Nothing is added any more.
    pub(crate) fn end_aggregate(&mut self) {
        self.cells = None;
    }

    /// What was in a block that is not in the file.
    pub(crate) fn lost_all(&mut self, lost: &Lost) {
        self.lost(lost.from);
        self.lost_from = self.lost_from.min(lost.from);
        self.lost_to = self.lost_to.max(lost.to);
        self.lost_chunks += lost.chunks;
        self.lost_iterations = self.lost_iterations.wrapping_add(lost.iterations);
        self.lost_events += lost.events;
    }

    /// What was lost, as an event's content; `None` if nothing was.
    pub(crate) fn loss(&self, the_loop: u32, thread: u32, reason: Reason) -> Option<Lost> {
        (self.lost_chunks + self.lost_events > 0).then_some(Lost {
            reason: reason.number(),
            the_loop,
            thread,
            chunks: self.lost_chunks,
            iterations: self.lost_iterations,
            events: self.lost_events,
            from: self.lost_from,
            to: self.lost_to,
        })
    }
}

// What a block holds that is lost: by loop, as far as the block tells.

/// Counts what is in a block, by loop or [`NOBODY`]. `the_loop`: the lane was in it where the block begins.
pub(crate) fn of_block(block: &[u8], the_loop: Option<u32>, reason: Reason) -> Vec<Lost> {
    let Some(head) = BlockHead::of(block) else {
        return Vec::new();
    };
    let mut found: BTreeMap<u32, Lost> = BTreeMap::new();
    let mut open: Vec<u32> = the_loop.into_iter().collect();
    let mut records = Records::new(&head);
    while let Ok(true) = records.advance(block) {
        let Ok(event) = records.event(block) else {
            break;
        };
        let (mut the_loop, mut what) = (open.last().copied().unwrap_or(NOBODY), (0, 0, 1));
        match event {
            Event::Chunk(chunk) => what = (1, chunk.iterations, 0),
            Event::Aggregate(aggregate) => {
                what = (aggregate.chunks, aggregate.iterations, 0);
                the_loop = aggregate.the_loop;
            }
            Event::Sum(sum) => what = (0, 0, 2 * sum.count),
            Event::LoopBegin(loop_begin) => {
                open.push(loop_begin.the_loop);
                the_loop = loop_begin.the_loop;
            }
            Event::LoopEnd { .. } => {
                open.pop();
            }
            _ => {}
        }
        let at = records.ticks();
        let lost = found.entry(the_loop).or_insert(Lost {
            reason: reason.number(),
            the_loop,
            thread: records.thread(),
            chunks: 0,
            iterations: 0,
            events: 0,
            from: at,
            to: at,
        });
        let (chunks, iterations, events) = what;
        lost.chunks += chunks;
        lost.iterations = lost.iterations.wrapping_add(iterations);
        lost.events += events;
        lost.to = at;
    }
    found.into_values().collect()
}
