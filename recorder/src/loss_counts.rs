//! What a lane has no room for: counted by loop, and told to the part now and then.

use ompchunk_trace_format::{Event, Reason};

use crate::lane::Lane;
use crate::part;

/// Lost records that a lane counts for itself before it tells the part.
const TELL_LOST: u64 = 256;

impl Lane {
    /// Counts what could not be written.
    pub(crate) fn lose(&mut self, ticks: u64, event: &Event<'_>) {
        let tally = match self.running() {
            Some(the_loop) => self.tallies.get_mut(the_loop as usize),
            None => None,
        };
        let tally = tally.unwrap_or(&mut self.unplaced);
        let (chunks, events) = match event {
            Event::Chunk(chunk) => {
                tally.lost_chunk(ticks, chunk.iterations);
                (1, 0)
            }
            _ => {
                tally.lost_event(ticks);
                (0, 1)
            }
        };
        self.tell_loss(chunks, events);
    }

    /// What would have been added up was lost.
    pub(crate) fn lose_events(&mut self, now: u64, events: u64) {
        self.unplaced.lost_events(now, events);
        self.tell_loss(0, events);
    }

    /// Why, of what the lane has lost.
    pub(crate) fn why_lost(&self) -> Option<Reason> {
        self.full.or(self.tasks.each.why_lost())
    }

    /// So much more was lost: the part hears of it now and then.
    pub(crate) fn tell_loss(&mut self, chunks: u64, events: u64) {
        self.unreported_loss.0 += chunks;
        self.unreported_loss.1 += events;
        if self.unreported_loss.0 + self.unreported_loss.1 >= TELL_LOST {
            part::tell_lost(self);
        }
    }
}
