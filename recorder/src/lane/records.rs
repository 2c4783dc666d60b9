//! Events without a record of their own: they go into that of the event before, or into one that stays in the block
//! while its numbers grow; what there is no room for is counted by loop, and told now and then.

use std::ptr::{self, NonNull};

use ompchunk_trace_format::layout::kind;
use ompchunk_trace_format::sum::aggregate;
use ompchunk_trace_format::{Aggregate, Event, Histogram, Reason, joint};

use crate::cells::Cells;
use crate::lane::{Joint, Lane, word_at};
use crate::{lane::unit, part};

const BUCKETS: usize = 64;

const TELL_LOST: u64 = 256;

impl Lane {
    pub(crate) fn note_joint(&mut self, ticks: u64, event: &Event<'_>, words: usize) {
        let opened = Joint { at: self.block.cursor.wrapping_sub(words), end: self.block.cursor, ticks };
        self.block.joint = if joint::opens(event) { opened } else { Joint::default() };
    }

    pub(crate) fn join(&mut self, ticks: u64, event: &Event<'_>) -> bool {
        let Joint { at, end, ticks: before } = std::mem::take(&mut self.block.joint);
        if at.is_null() || end != self.block.cursor {
            return false;
        }
        // The first word comes last: until then the record is that of the first event alone.
        // SAFETY: a record of the block that `cursor` is in, of one unit or, of this kind, of two.
        unsafe {
            let [first, second] = [at.read(), at.add(1).read()].map(u64::from_le);
            let region = first as u8 == kind::PARALLEL_BEGIN;
            let region = region.then(|| u64::from_le(at.add(2).read()));
            let apart = ticks.wrapping_sub(before);
            let Some([first, second]) = joint::join([first, second], region, apart, event) else { return false };
            unit::join([word_at(at), word_at(at.add(1))], [first, second]);
        }
        self.block.open = ptr::null_mut();
        self.last = ticks;
        true
    }

    /// `None`: there is no room. Its time is the record's before: what is around it began earlier, and may be told yet.
    pub(crate) fn in_place(&mut self, event: &Event<'_>) -> Option<Cells> {
        let ticks = self.last;
        let mut words = Vec::new();
        event.encode(ticks, &mut words);
        let is_stored = self.block.full.is_none() && self.append(ticks, &words);
        if !is_stored || !self.block.slot.as_ref().is_some_and(|slot| slot.changes()) {
            return None;
        }
        self.sums.is_in_block = true;
        Some(Cells { at: NonNull::new(self.block.cursor.wrapping_sub(words.len()))?, is_fresh: true })
    }

    pub(crate) fn count_execution(&mut self, the_loop: u32) {
        let at = the_loop as usize;
        if self.sums.tallies[at].cells.is_none() {
            let zero = Event::Aggregate(Aggregate {
                the_loop,
                thread: self.holder.thread,
                histogram: Histogram::from(&[0; 8 * BUCKETS][..]),
                ..Aggregate::default()
            });
            self.sums.tallies[at].cells = self.in_place(&zero);
        }
        if let Some(cells) = &mut self.sums.tallies[at].cells {
            cells.add(aggregate::EXECUTIONS, 1);
        }
    }

    pub(crate) fn lose(&mut self, ticks: u64, event: &Event<'_>) {
        let the_loop = self.running();
        let tally = the_loop
            .and_then(|the_loop| self.sums.tallies.get_mut(the_loop as usize))
            .unwrap_or(&mut self.sums.unplaced);
        if let Event::Chunk(chunk) = event {
            tally.lost_chunk(ticks, chunk.iterations);
            self.tell_loss(1, 0);
        } else {
            tally.lost_events(ticks, 1);
            self.tell_loss(0, 1);
        }
    }

    pub(crate) fn lose_events(&mut self, now: u64, events: u64) {
        self.sums.unplaced.lost_events(now, events);
        self.tell_loss(0, events);
    }

    pub(crate) fn why_lost(&self) -> Option<Reason> {
        self.block.full.or(self.each.why_lost())
    }

    pub(crate) fn tell_loss(&mut self, chunks: u64, events: u64) {
        self.sums.unreported_loss.0 += chunks;
        self.sums.unreported_loss.1 += events;
        if self.sums.unreported_loss.0 + self.sums.unreported_loss.1 >= TELL_LOST {
            part::tell_lost(self);
        }
    }
}
