//! Loops that a lane began last, what their begins say each time, and whether the next event may take the short way.

use std::ptr;

use ompchunk_abi::{LOOP_CHANGEABLE, LOOP_START_KNOWN, LOOP_START_PASSED, LOOP_STEP_KNOWN, LOOP_STEP_PASSED};
use ompchunk_trace_format::encode::{self, START_KNOWN, STEP_KNOWN, Unit};

use crate::callbacks::inquiry::INQUIRY;
use crate::scope::{AwaitedBlock, Running, Way};

/// Loops that the lane began last, by where they are called from: a small cache without collision chains.
pub(crate) struct Recent {
    /// The one that the thread is in, in the short way; null: it is in none, and may begin one; [`CLOSED`]: neither.
    pub(crate) at: *const Known,
    /// The one whose scope still is behind the lane's last one, as it begins; null: none, or something came in between.
    pub(crate) behind: *const Known,
    known: [Known; ROOM],
}

const ROOM: usize = 8;
const CLOSED: *const Known = ptr::dangling();

/// A loop, as it begins each time. No kind of work is 0, as where none is known.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Known {
    pub(crate) running: Running,
    /// The begin's short form but for count and time.
    pub(crate) short: Unit,
    /// That says all of executions with fewer iterations, and nothing is to be asked but whether it still is that loop.
    pub(crate) beyond: u64,
    /// The runtime tells a thread's first chunk, which may be all. Never for a loop with a record.
    pub(crate) is_static: bool,
    pub(crate) may_change: bool,
    /// They are not constants, so the shim is to be asked.
    pub(crate) passed: bool,
    pub(crate) known: u32,
    /// What the runtime's dispatch events call iteration 0.
    pub(crate) first: u64,
    pub(crate) start: i64,
    pub(crate) step: i64,
}

impl Known {
    #[inline(always)]
    pub(crate) fn is_of(&self, work: u32, code: usize) -> bool {
        self.running.code == code && self.running.work == work
    }
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { at: CLOSED, behind: ptr::null(), known: Default::default() }
    }
}

impl Recent {
    #[inline(always)]
    pub(crate) fn known(&self, code: usize) -> &Known {
        &self.known[place(code)]
    }

    /// No short way, until a scope begins or ends in the long one.
    pub(crate) fn close(&mut self) {
        self.behind = ptr::null();
        // Who has left the lane may read it while others write what they find there.
        if self.at != CLOSED {
            self.at = CLOSED;
        }
    }

    /// The innermost loop, which has begun in the short way, may end there if it still is known.
    pub(crate) fn return_to(&mut self, running: &Running) {
        let known = self.known(running.code);
        let is_known = known.is_of(running.work, running.code) && ptr::eq(known.running.record, running.record);
        self.at = if is_known { known } else { CLOSED };
    }

    /// The loop that the thread is in, in the short way.
    #[inline(always)]
    pub(crate) fn current(&self) -> Option<&Known> {
        // SAFETY: one of `known`, which stay where the lane is.
        (self.at.addr() > CLOSED.addr()).then(|| unsafe { &*self.at })
    }

    pub(crate) fn clear(&mut self) {
        self.close();
        self.known = Default::default();
    }

    pub(crate) fn forget(&mut self, code: usize) {
        if self.known(code).running.code == code {
            self.known[place(code)] = Known::default();
            self.close();
        }
    }

    /// A loop has begun that is not inside another with the same record. `is_static`: as [`Known`] has it.
    pub(crate) fn remember(&mut self, running: &Running, is_static: bool) {
        // SAFETY: null, or the constant record of the loop that this thread is entering.
        let record = unsafe { running.record.as_ref() };
        let Running { the_loop, work, code, .. } = *running;
        let flags = record.map_or(0, |record| record.flags);
        let either = |constant: u32, passed: u32, bit| {
            if flags & (constant | passed) != 0 { bit } else { 0 }
        };
        let passed = |constant: u32, passed: u32| flags & (constant | passed) == passed;
        let known = either(LOOP_START_KNOWN, LOOP_START_PASSED, START_KNOWN)
            | either(LOOP_STEP_KNOWN, LOOP_STEP_PASSED, STEP_KNOWN);
        let passed = passed(LOOP_START_KNOWN, LOOP_START_PASSED) || passed(LOOP_STEP_KNOWN, LOOP_STEP_PASSED);
        let (start, step) = record.map_or((0, 0), |record| (record.start.into(), record.step.into()));
        let may_change = flags & LOOP_CHANGEABLE != 0 && INQUIRY.tells_changes();
        let is_short = encode::is_short(the_loop, work, 0, start, step);
        let is_plain = record.is_some() && is_short && !passed && !may_change;
        self.known[place(code)] = Known {
            running: Running { way: Way::Short, block: AwaitedBlock::No, ..*running },
            short: encode::loop_begin_short(0, the_loop, work, 0, known, start, step),
            beyond: if is_plain { encode::BEYOND_SHORT } else { 0 },
            is_static,
            may_change,
            passed,
            known,
            first: running.first_iteration(),
            start,
            step,
        };
        self.close();
    }
}

#[inline(always)]
fn place(code: usize) -> usize {
    // Calls are longer than four bytes, and two in a row further apart than that.
    (code >> 4) % ROOM
}
