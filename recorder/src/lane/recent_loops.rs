//! Loops that a lane began last, and what their begins say each time.

use std::ptr;

use ompchunk_abi::{
    LOOP_CHANGEABLE, LOOP_FROM_ONE, LOOP_START_KNOWN, LOOP_START_PASSED, LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LoopRecord,
};
use ompchunk_trace_format::encode::{self, START_KNOWN, STEP_KNOWN, Unit};

/// Loops that the lane began last, by where they are called from: a small cache without collisions chains.
#[derive(Default)]
pub(crate) struct Recent([Known; ROOM]);

const ROOM: usize = 8;

#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    pub(crate) record: *const LoopRecord,
    /// 0: nothing is known here.
    pub(crate) code: usize,
    pub(crate) the_loop: u32,
    pub(crate) known: u32,
    /// What the runtime's dispatch events call iteration 0.
    pub(crate) first: u64,
    /// The runtime tells a thread's first chunk, which may be all. Never for a loop with a record.
    pub(crate) is_static: bool,
    pub(crate) may_change: bool,
    /// They are not constants, so the shim is to be asked.
    pub(crate) passed: bool,
    pub(crate) start: i64,
    pub(crate) step: i64,
    /// The begin's short form but for work, count and time; zero: it has none, or other values each time.
    pub(crate) short: Unit,
}

impl Recent {
    #[inline(always)]
    fn place(code: usize) -> usize {
        // Calls are longer than four bytes, and two in a row further apart than that.
        (code >> 4) % ROOM
    }

    #[inline(always)]
    pub(crate) fn find(&self, record: *const LoopRecord, code: usize) -> Option<&Known> {
        let known = &self.0[Recent::place(code)];
        (code != 0 && known.code == code && ptr::eq(known.record, record)).then_some(known)
    }

    pub(crate) fn forget(&mut self, code: usize) {
        let known = &mut self.0[Recent::place(code)];
        if known.code == code {
            known.code = 0;
        }
    }

    /// A loop has begun, with a record or without, that is not inside another with the same. `is_static`: as [`Known`] has it.
    pub(crate) fn note(&mut self, the_loop: u32, record: Option<&LoopRecord>, code: usize, is_static: bool) {
        let flags = record.map_or(0, |record| record.flags);
        let either = |constant: u32, passed: u32, bit| {
            if flags & (constant | passed) != 0 { bit } else { 0 }
        };
        let passed = |constant: u32, passed: u32| flags & (constant | passed) == passed;
        let known = either(LOOP_START_KNOWN, LOOP_START_PASSED, START_KNOWN)
            | either(LOOP_STEP_KNOWN, LOOP_STEP_PASSED, STEP_KNOWN);
        let passed = passed(LOOP_START_KNOWN, LOOP_START_PASSED) || passed(LOOP_STEP_KNOWN, LOOP_STEP_PASSED);
        let (start, step) = record.map_or((0, 0), |record| (record.start, record.step));
        let short = if !passed && encode::is_short(the_loop, 0, 0, start, step) {
            encode::loop_begin_short(0, the_loop, 0, 0, known, start, step)
        } else {
            [0; 2]
        };
        self.0[Recent::place(code)] = Known {
            record: record.map_or(ptr::null(), ptr::from_ref),
            code,
            the_loop,
            known,
            first: record.map_or(0, first_iteration),
            is_static,
            may_change: flags & LOOP_CHANGEABLE != 0,
            passed,
            start,
            step,
            short,
        };
    }
}

pub(crate) fn first_iteration(record: &LoopRecord) -> u64 {
    u64::from(record.flags & LOOP_FROM_ONE != 0)
}
