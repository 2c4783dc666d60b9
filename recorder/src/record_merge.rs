//! An event goes into the record of the one before, where they come together as a rule: half the bytes, and the block is
//! full half as often.

use std::ptr;

use ompchunk_trace_format::layout::kind;
use ompchunk_trace_format::{Event, joint};

use crate::lane::{Joint, Lane, word_at};
use crate::unit;

impl Lane {
    /// A record of this event was stored so many words before the cursor.
    pub(crate) fn note_joint(&mut self, ticks: u64, event: &Event<'_>, words: usize) {
        self.joint = Joint::default();
        if joint::opens(event) {
            self.joint = Joint { at: self.cursor.wrapping_sub(words), end: self.cursor, ticks };
        }
    }

    /// Puts an event into the record before, if it may go there.
    pub(crate) fn join(&mut self, ticks: u64, event: &Event<'_>) -> bool {
        let Joint { at, end, ticks: before } = std::mem::take(&mut self.joint);
        if at.is_null() || end != self.cursor {
            return false;
        }
        // The first word comes last: until then the record is that of the first event alone.
        // SAFETY: a record of the block that `cursor` is in, of one unit or, of this kind, of two.
        unsafe {
            let [first, second] = [at.read(), at.add(1).read()].map(u64::from_le);
            let region = first as u8 == kind::PARALLEL_BEGIN;
            let region = region.then(|| u64::from_le(at.add(2).read()));
            let apart = ticks.wrapping_sub(before);
            let Some([first, second]) = joint::join([first, second], region, apart, event) else {
                return false;
            };
            unit::join([word_at(at), word_at(at.add(1))], [first, second]);
        }
        self.open = ptr::null_mut();
        self.last = ticks;
        true
    }
}
