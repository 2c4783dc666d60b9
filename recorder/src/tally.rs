//! What a thread counts of a loop instead of recording it: aggregates, and what was lost.

use ompchunk_trace_format::{Aggregate, Event, Histogram, Lost, Reason};

const BUCKETS: usize = 64;

/// One loop, one thread.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    pub(crate) seen: u64,
    /// Executions that are not told: of a loop that `--loop` does not name, and by `--skip`.
    pub(crate) left_out: [u64; 2],
    executions: u64,
    chunks: u64,
    iterations: u64,
    sum: u64,
    min: u64,
    max: u64,
    create_duration: u64,
    counts: [u64; BUCKETS],
    lost_chunks: u64,
    lost_iterations: u64,
    lost_events: u64,
    lost_from: u64,
    lost_to: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            seen: 0,
            left_out: [0; 2],
            executions: 0,
            chunks: 0,
            iterations: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
            create_duration: 0,
            counts: [0; BUCKETS],
            lost_chunks: 0,
            lost_iterations: 0,
            lost_events: 0,
            lost_from: 0,
            lost_to: 0,
        }
    }
}

impl Tally {
    pub(crate) fn execution(&mut self) {
        self.executions += 1;
    }

    /// A chunk begins.
    pub(crate) fn chunk(&mut self, iterations: u64, create_duration: u64) {
        self.chunks += 1;
        self.iterations = self.iterations.wrapping_add(iterations);
        self.create_duration += create_duration;
    }

    /// It has ended.
    pub(crate) fn duration(&mut self, ticks: u64) {
        self.sum += ticks;
        self.min = self.min.min(ticks);
        self.max = self.max.max(ticks);
        self.counts[Histogram::bucket(ticks)] += 1;
    }

    pub(crate) fn lost_chunk(&mut self, now: u64, iterations: u64) {
        self.lost(now);
        self.lost_chunks += 1;
        self.lost_iterations = self.lost_iterations.wrapping_add(iterations);
    }

    pub(crate) fn lost_event(&mut self, now: u64) {
        self.lost(now);
        self.lost_events += 1;
    }

    fn lost(&mut self, now: u64) {
        if self.lost_chunks + self.lost_events == 0 {
            self.lost_from = now;
        }
        self.lost_to = now;
    }

    /// An aggregate could not be written: what it held is lost.
    pub(crate) fn lose_aggregate(&mut self, now: u64) {
        self.lost(now);
        self.lost_chunks += self.chunks;
        self.lost_iterations = self.lost_iterations.wrapping_add(self.iterations);
        self.forget_aggregate();
    }

    /// One that was written into a block that had no room in the file.
    pub(crate) fn lost_aggregate(&mut self, now: u64, lost: &Aggregate<'_>) {
        self.lost(now);
        self.lost_chunks += lost.chunks;
        self.lost_iterations = self.lost_iterations.wrapping_add(lost.iterations);
    }

    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    pub(crate) fn has_aggregate(&self) -> bool {
        self.executions + self.chunks > 0
    }

    /// Hands the aggregate over as an event.
    pub(crate) fn aggregate<R>(
        &self,
        the_loop: u32,
        thread: u32,
        see: impl FnOnce(&Event<'_>) -> R,
    ) -> R {
        let used = BUCKETS - self.counts.iter().rev().take_while(|it| **it == 0).count();
        let counts: Vec<u8> = self.counts[..used]
            .iter()
            .flat_map(|count| count.to_le_bytes())
            .collect();
        see(&Event::Aggregate(Aggregate {
            the_loop,
            thread,
            executions: self.executions,
            chunks: self.chunks,
            iterations: self.iterations,
            sum: self.sum,
            min: if used == 0 { 0 } else { self.min },
            max: self.max,
            create_duration: self.create_duration,
            histogram: Histogram::from(&counts[..]),
        }))
    }

    pub(crate) fn forget_aggregate(&mut self) {
        *self = Tally {
            seen: self.seen,
            left_out: self.left_out,
            lost_chunks: self.lost_chunks,
            lost_iterations: self.lost_iterations,
            lost_events: self.lost_events,
            lost_from: self.lost_from,
            lost_to: self.lost_to,
            ..Tally::default()
        };
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
