//! Sub-blocks of loops of 8 bits, all of which can be tried.

use core::cell::RefCell;
use core::ffi::{c_uint, c_void};
use core::mem::MaybeUninit;
use core::ptr;

use super::*;
use crate::static_override::stride::{Whole, tests::given};
use crate::thread::thread_storage;
use ompchunk_abi::sched_type::{STATIC, STATIC_CHUNKED};
use ompchunk_abi::{LOOP_SIGNED, LoopRecord};
use ompt::raw::Data;

thread_local! {
    static TOLD: RefCell<Vec<(u64, u64, c_uint)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn tell(_: *mut Data, _: *mut Data, lower: u64, iterations: u64, flags: c_uint, _: *const c_void) {
    TOLD.with_borrow_mut(|told| told.push((lower, iterations, flags)));
}

/// A thread of a program: what it runs, in order.
struct Program {
    frame: MaybeUninit<Frame>,
    record: LoopRecord,
    task: Data,
    bounds: [u8; 3],
}

impl Program {
    fn new(whole: Whole<u8>, is_only: bool, bounds: [u8; 3]) -> Box<Program> {
        // SAFETY: a record of numbers, for which 0 is a value.
        let mut record: LoopRecord = unsafe { core::mem::zeroed() };
        record.flags = if whole.is_signed { LOOP_SIGNED } else { 0 };
        let mut made = Box::new(Program { frame: MaybeUninit::uninit(), record, task: Data { value: 0 }, bounds });
        let frame = made.frame.as_mut_ptr();
        let this = execution(frame);
        // SAFETY: memory of the box, all of which is written that is read.
        unsafe {
            (&raw mut (*frame).bookkeeping).write(no_bookkeeping);
            (&raw mut (*frame).loop_record).write(&raw const made.record);
            (&raw mut (*frame).next).write(ptr::without_provenance(whole.first.into()));
            (&raw mut (*frame).size_then_last).write(whole.last.into());
            (&raw mut (*frame).schedule).write(if is_only { STATIC } else { STATIC_CHUNKED });
            (&raw mut (*this).timed).write(false);
            (&raw mut (*this).sizes).write(sizes::place(&raw const made.record, thread_storage::thread()));
        }
        made
    }

    fn ask(&mut self, steps: StepsFn) -> bool {
        let frame = self.frame.as_mut_ptr();
        // SAFETY: the frame is filled in, and these are its loop's variables.
        unsafe {
            let variables = bounds::<u8>(frame);
            (0..3).for_each(|number| variables[number].write(self.bounds[number]));
            let goes_on = steps(frame) != 0;
            self.bounds = variables.map(|variable| variable.read());
            goes_on
        }
    }

    fn next(&mut self) -> bool {
        // SAFETY: the shim put a `StepsFn` there.
        let next: StepsFn = unsafe { core::mem::transmute((*self.frame.as_mut_ptr()).next) };
        self.ask(next)
    }

    fn run(&mut self, runs: &mut [u8; 256]) {
        let [lower, upper, _] = self.bounds;
        let frame = self.frame.as_mut_ptr();
        let wide = |bound: u8| match self.record.flags & LOOP_SIGNED {
            0 => bound.into(),
            _ => bound as i8 as u64,
        };
        // SAFETY: the frame is filled in.
        unsafe { ((*frame).chunk)(frame, wide(lower), wide(upper), 0) };
        for iteration in 0..=upper.wrapping_sub(lower) {
            runs[usize::from(lower.wrapping_add(iteration))] += 1;
        }
    }

    /// From here on somebody is told.
    fn has_a_task(&mut self) {
        let this = execution(self.frame.as_mut_ptr());
        // SAFETY: the frame is filled in.
        unsafe {
            (*this).task_data = &raw mut self.task;
            (*this).parallel_data = &raw mut self.task;
        }
    }
}

fn begins(is_only: bool) -> StepsFn {
    if is_only { first_step::<u8, true> } else { first_step::<u8, false> }
}

#[test]
fn sub_blocks_are_all_of_each_chunk_wherever_the_loop_lies() {
    CALLBACKS.set_sub_blocks(Some(tell));
    let mut cuts = 0;
    for size in [1, 2, 3, 7, 64, 200] {
        sizes::fix(size);
        for (is_signed, from) in (0..=255_u8).map(|from| (from % 2 == 0, from)) {
            for trips in [1, 2, 3, 7, 16, 100, 127, 128, 254, 255] {
                let last = from.wrapping_add(trips - 1);
                for is_signed in [is_signed, !is_signed] {
                    let whole = Whole { first: from, last, is_signed };
                    if whole.is_empty() {
                        continue;
                    }
                    for (chunk, threads) in [(0, 1), (0, 3), (2, 5), (7, 4), (127, 2), (255, 1)] {
                        cuts += team(whole, chunk, threads, size);
                    }
                }
            }
        }
    }
    assert!(cuts > 100_000, "{cuts}");
    stale();
    sizes::fix(0);
    CALLBACKS.set_sub_blocks(None);
}

/// A team's threads, one after the other; chunk 0 is one range for each. Gives how many sub-blocks there were.
fn team(whole: Whole<u8>, chunk: u8, threads: u8, size: u64) -> usize {
    let trips = whole.last.wrapping_sub(whole.first).wrapping_add(1);
    let (is_only, chunk) = match chunk {
        0 => (true, trips.div_ceil(threads)),
        chunk => (false, chunk),
    };
    let (mut runs, mut right) = ([0; 256], [0; 256]);
    let mut cuts = 0;
    for iteration in 0..trips {
        right[usize::from(whole.first.wrapping_add(iteration))] = 1;
    }
    for thread in 0..threads {
        let (lower, mut upper, stride) = given(whole, chunk, thread, threads, true);
        // With `static`, the runtime gives nothing beyond the loop's end.
        if is_only && whole.last.wrapping_sub(lower) < chunk - 1 {
            upper = whole.last;
        }
        let mut program = Program::new(whole, is_only, [lower, upper, stride]);
        let mut more = program.ask(begins(is_only));
        program.has_a_task();
        TOLD.with_borrow_mut(Vec::clear);
        while more {
            program.run(&mut runs);
            more = program.next();
        }
        assert!(!program.next(), "after the last there is another");
        cuts += TOLD.with_borrow(|told| told_right(told, chunk, size));
    }
    assert!(runs == right, "{whole:?}, {chunk}, {threads}, {size}: {runs:?}");
    cuts
}

/// Firsts and lasts alternate, and sizes are as wanted.
fn told_right(told: &[(u64, u64, c_uint)], chunk: u8, size: u64) -> usize {
    let mut of_chunk = 0;
    for (number, &(lower, iterations, flags)) in told.iter().enumerate() {
        let before = number.checked_sub(1).map(|number| told[number]);
        let begins = before.is_none_or(|(.., flags)| flags & SUB_BLOCK_LAST != 0);
        assert_eq!(flags & SUB_BLOCK_FIRST != 0, begins, "{told:?}");
        if let Some((before, many, _)) = before.filter(|_| !begins) {
            assert_eq!(lower as u8, (before as u8).wrapping_add(many as u8), "{told:?}");
        }
        of_chunk = if begins { iterations } else { of_chunk + iterations };
        assert!(of_chunk <= chunk.into(), "{told:?}");
        let whole = begins && flags & SUB_BLOCK_LAST != 0;
        assert!(iterations < 2 * size || iterations == size || whole && iterations < 3 * size, "{told:?}");
        assert!(iterations >= size || whole, "{told:?}");
    }
    assert!(told.last().is_none_or(|(.., flags)| flags & SUB_BLOCK_LAST != 0));
    told.len()
}

/// What an exception leaves behind, and another execution that nobody asked about comes to: it runs what it would run.
fn stale() {
    let whole = Whole { first: 0, last: 99, is_signed: false };
    sizes::fix(10);
    let mut runs = [0; 256];
    let left_behind = || {
        let mut program = Program::new(whole, true, [0, 99, 100]);
        assert!(program.ask(begins(true)));
        program.has_a_task();
        program.run(&mut [0; 256]);
        TOLD.with_borrow_mut(Vec::clear);
        program
    };
    // It says of a chunk that it runs it, or has none and says nothing. The last looks like what was left.
    for (bounds, speaks) in [([20, 39], true), ([5, 4], false), ([1, 0], false), ([0, 0], true)] {
        let mut program = left_behind();
        let was = program.bounds;
        program.bounds = match bounds {
            [0, 0] => was,
            [lower, upper] => [lower, upper, 100],
        };
        if speaks {
            program.run(&mut runs);
        }
        assert!(!program.next(), "{bounds:?}");
        assert!(TOLD.with_borrow(Vec::is_empty), "{bounds:?}");
    }
}
