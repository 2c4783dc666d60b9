//! What a thread counts of a loop instead of recording it: aggregates, and what was lost.

use ompchunk_trace_format::sum::aggregate;
use ompchunk_trace_format::{Histogram, Lost, Reason};

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
