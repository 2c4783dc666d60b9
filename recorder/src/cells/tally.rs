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

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) seen: u64,
    pub(crate) faults: Wanted,
    pub(crate) shown: ShownSize,
    /// Executions that are not told: of a loop that `--loop` does not name, and by `--skip`.
    pub(crate) left_out: [u64; 2],
    pub(crate) cells: Option<Cells>,
    lost: Lost,
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

    /// The chunk that began at that time has ended; 0: there is none.
    pub(crate) fn ends(&mut self, now: u64, since: u64) {
        if let Some(cells) = self.cells.as_mut().filter(|_| since != 0) {
            let ticks = now.saturating_sub(since);
            cells.duration(DURATIONS, ticks);
            cells.add(aggregate::COUNTS + Histogram::bucket(ticks), 1);
        }
    }

    pub(crate) fn lost_chunk(&mut self, now: u64, iterations: u64) {
        self.lost_at(now);
        self.lost.chunks += 1;
        self.lost.iterations = self.lost.iterations.wrapping_add(iterations);
    }

    pub(crate) fn lost_events(&mut self, now: u64, events: u64) {
        self.lost_at(now);
        self.lost.events += events;
    }

    fn lost_at(&mut self, now: u64) {
        if self.lost.chunks + self.lost.events == 0 {
            self.lost.from = now;
        }
        self.lost.to = now;
    }

    pub(crate) fn lost_all(&mut self, lost: &Lost) {
        self.lost_at(lost.from);
        add_loss(&mut self.lost, lost);
    }

    /// What was lost, as an event's content; `None` if nothing was.
    pub(crate) fn loss(&self, the_loop: u32, thread: u32, reason: Reason) -> Option<Lost> {
        let lost = Lost { reason: reason.number(), the_loop, thread, ..self.lost };
        (lost.chunks + lost.events > 0).then_some(lost)
    }
}

pub(crate) fn add_loss(to: &mut Lost, other: &Lost) {
    to.chunks += other.chunks;
    to.iterations = to.iterations.wrapping_add(other.iterations);
    to.events += other.events;
    to.from = to.from.min(other.from);
    to.to = to.to.max(other.to);
}

/// Counts what is in a block that is lost, by loop or [`NOBODY`]. `the_loop`: the lane was in it where the block begins.
pub(crate) fn of_block(block: &[u8], the_loop: Option<u32>, reason: Reason) -> Vec<Lost> {
    let Some(head) = BlockHead::from_bytes(block) else { return Vec::new() };
    let mut found: BTreeMap<u32, Lost> = BTreeMap::new();
    let mut open: Vec<u32> = the_loop.into_iter().collect();
    let mut records = Records::new(&head);
    while let Ok(true) = records.advance(block) {
        let Ok(event) = records.event(block) else { break };
        let at = records.ticks();
        let mut the_loop = open.last().copied().unwrap_or(NOBODY);
        let mut what = Lost { events: 1, from: at, to: at, ..Lost::default() };
        match event {
            Event::Chunk(chunk) => (what.chunks, what.iterations, what.events) = (1, chunk.iterations, 0),
            Event::Aggregate(aggregate) => {
                (what.chunks, what.iterations, what.events) = (aggregate.chunks, aggregate.iterations, 0);
                the_loop = aggregate.the_loop;
            }
            Event::Sum(sum) => what.events = 2 * sum.count,
            Event::LoopBegin(loop_begin) => {
                open.push(loop_begin.the_loop);
                the_loop = loop_begin.the_loop;
            }
            Event::LoopEnd { .. } => {
                open.pop();
            }
            _ => {}
        }
        let thread = records.thread();
        let none = Lost { reason: reason.number(), the_loop, thread, from: at, ..Lost::default() };
        add_loss(found.entry(the_loop).or_insert(none), &what);
    }
    found.into_values().collect()
}
