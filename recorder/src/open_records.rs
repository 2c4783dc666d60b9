//! Begins records that stay where they are in the lane's block while their numbers grow.

use std::ptr::NonNull;

use ompchunk_trace_format::sum::aggregate;
use ompchunk_trace_format::{Aggregate, Event, Histogram};

use crate::cells::Cells;
use crate::lane::Lane;

const BUCKETS: usize = 64;

impl Lane {
    /// A record whose numbers are to grow where it is; `None`: there is no room. It has the time of the record before: what
    /// is around it may yet be told, and began earlier.
    pub(crate) fn in_place(&mut self, event: &Event<'_>) -> Option<Cells> {
        let ticks = self.last;
        let mut words = Vec::new();
        event.encode(ticks, &mut words);
        if self.full.is_some() || !self.append(ticks, &words) {
            return None;
        }
        if !self.slot.as_ref().is_some_and(|slot| slot.changes()) {
            return None;
        }
        self.added.is_in_block = true;
        Some(Cells { at: NonNull::new(self.cursor.wrapping_sub(words.len()))?, is_fresh: true })
    }

    /// An execution begins that is not told chunk by chunk.
    pub(crate) fn count_execution(&mut self, the_loop: u32) {
        let at = the_loop as usize;
        if self.tallies[at].cells.is_none() {
            let zero = Event::Aggregate(Aggregate {
                the_loop,
                thread: self.thread,
                histogram: Histogram::from(&[0; 8 * BUCKETS][..]),
                ..Aggregate::default()
            });
            self.tallies[at].cells = self.in_place(&zero);
        }
        if let Some(cells) = &mut self.tallies[at].cells {
            cells.add(aggregate::EXECUTIONS, 1);
        }
    }
}
