//! What the calling thread is doing: its loop with the values it was entered with, and whose the runtime's chunk events are.
//!
//! Cells without destructors, found by `thread_storage`. They hold values and the address of the loop's constant record, never
//! of a frame: a loop left without `leave` then misleads at worst, it leaves nothing dangling.
//!
//! A signal handler may ask at any instant ([`Thread::loop_record`]): the record's address is taken away before
//! the values behind it change, and put back when they are whole.

pub(crate) mod numbers;
pub(crate) mod region_cache;
pub(crate) mod thread_storage;

use core::cell::Cell;
use core::ffi::c_void;
#[cfg(target_arch = "x86_64")]
use core::mem::offset_of;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering, compiler_fence};

use ompchunk_abi::LoopRecord;

use crate::runtime::RUNTIME;
use ompt::raw::Data;

/// How far the loop events of an execution are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    #[default]
    Quiet = 0,
    Entered,
    Begun,
    Ended,
    /// None are wanted, and it is known until the runtime has told of its begin (`hooks/loop_event.rs`).
    Named,
}

/// A loop and the values of its execution. All bits 0 is none.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Running {
    pub(crate) loop_record: *const LoopRecord,
    /// The user's, as the program passed them. Of sections: the number of the one that runs, or [`NO_SECTION`].
    pub(crate) start: i64,
    pub(crate) step: i64,
    /// Null before anybody has told or asked whose the loop is.
    pub(crate) task_data: *mut Data,
    /// What the runtime's own event said of the loop; null and 0 before it came.
    pub(crate) codeptr: *const c_void,
    pub(crate) work: u8,
    pub(crate) phase: Phase,
    /// The time is taken in which the runtime deals a chunk and reports it.
    pub(crate) timed: bool,
    /// The schedule under which it runs instead of its own, [`packed`]; 0: its own.
    pub(crate) schedule: u8,
    /// And that schedule's chunk size.
    pub(crate) chunk: u32,
}

/// The same in cells, and what is no part of one execution. The four small ones are written in one store.
#[repr(C)]
pub(crate) struct Thread {
    loop_record: AtomicPtr<LoopRecord>,
    start: Cell<i64>,
    step: Cell<i64>,
    parallel_data: Cell<*mut Data>,
    task_data: Cell<*mut Data>,
    pub(crate) codeptr: Cell<*const c_void>,
    chunk: Cell<u32>,
    pub(crate) work: Cell<u8>,
    schedule: Cell<u8>,
    /// The thread is between entering an instrumented loop and that loop's first chunk: there the runtime reports the chunks it knows of.
    pub(crate) starting: Cell<bool>,
    pub(crate) timed: Cell<bool>,
    pub(crate) phase: Cell<Phase>,
    /// The same as a record that is not null, where no signal handler asks.
    pub(crate) inside: Cell<bool>,
    /// By which clock the bookkeeping for the next chunk is timed, as `chunk::mark` says; 0: it is not.
    pub(crate) clock: Cell<u32>,
    /// When that began. What the tool's own callback takes meanwhile is added.
    pub(crate) since: Cell<f64>,
    /// Where the program asks for the next chunk of a loop that the runtime deals instead, while the runtime is asked; else null.
    pub(crate) asks: Cell<*const c_void>,
}

pub(crate) const NO_SECTION: i64 = -1;

/// `enum sched_type` in 8 bits: kinds are below 64 where a loop can be changed.
pub(crate) const fn packed(schedule: u32) -> u8 {
    (schedule & 63) as u8 | (schedule >> 29 << 6) as u8
}

pub(crate) const fn unpacked(schedule: u8) -> u32 {
    (schedule as u32 & 63) | (schedule as u32 >> 6 << 29)
}

impl Running {
    pub(crate) fn new(loop_record: *const LoopRecord, start: i64, step: i64) -> Self {
        Self { loop_record, start, step, ..Self::default() }
    }
}

// For what does as [`Thread::enter_first`] in the processor's code.
#[cfg(target_arch = "x86_64")]
impl Thread {
    pub(crate) const LOOP_AT: usize = offset_of!(Thread, loop_record);
    pub(crate) const TASK_DATA_AT: usize = offset_of!(Thread, task_data);
    pub(crate) const INSIDE_AT: usize = offset_of!(Thread, inside);
    /// Of four bytes, which become [`Thread::FIRST`].
    pub(crate) const STARTING_AT: usize = offset_of!(Thread, starting);
    pub(crate) const FIRST: u32 = u32::from_le_bytes([true as u8, false as u8, Phase::Quiet as u8, true as u8]);
}
#[cfg(target_arch = "x86_64")]
const _: () = {
    let from = Thread::STARTING_AT;
    assert!(offset_of!(Thread, timed) == from + 1 && offset_of!(Thread, phase) == from + 2);
    assert!(Thread::INSIDE_AT == from + 3);
};

impl Thread {
    /// The innermost instrumented loop that the thread is in; its record is null outside one. Not for signal handlers.
    #[inline]
    pub(crate) fn running(&self) -> Running {
        Running {
            loop_record: self.loop_record.load(Ordering::Relaxed),
            start: self.start.get(),
            step: self.step.get(),
            task_data: self.task_data.get(),
            codeptr: self.codeptr.get(),
            work: self.work.get(),
            phase: self.phase.get(),
            timed: self.timed.get(),
            schedule: self.schedule.get(),
            chunk: self.chunk.get(),
        }
    }

    /// Puts another loop in its place. `starting`: until its first chunk, the runtime's chunk events are not what runs.
    pub(crate) fn replace(&self, running: &Running, starting: bool) {
        self.loop_record.store(ptr::null_mut(), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.start.set(running.start);
        self.step.set(running.step);
        // Asked again, where it is wanted.
        self.parallel_data.set(ptr::null_mut());
        self.task_data.set(running.task_data);
        self.codeptr.set(running.codeptr);
        self.work.set(running.work);
        self.schedule.set(running.schedule);
        self.chunk.set(running.chunk);
        self.starting.set(starting);
        self.timed.set(running.timed);
        self.phase.set(running.phase);
        self.inside.set(!running.loop_record.is_null());
        compiler_fence(Ordering::SeqCst);
        self.loop_record.store(running.loop_record.cast_mut(), Ordering::Relaxed);
    }

    /// What `replace` does on a thread that is in no loop, for one without loop events or times.
    #[inline(always)]
    pub(crate) fn enter_first(&self, loop_record: *const LoopRecord, start: i64, step: i64) {
        self.start.set(start);
        self.step.set(step);
        self.task_data.set(ptr::null_mut());
        self.starting.set(true);
        self.timed.set(false);
        self.phase.set(Phase::Quiet);
        self.inside.set(true);
        compiler_fence(Ordering::SeqCst);
        self.loop_record.store(loop_record.cast_mut(), Ordering::Relaxed);
    }

    /// The thread leaves a loop without loop events or times, around which there is none.
    #[inline(always)]
    pub(crate) fn leave_last(&self) {
        self.loop_record.store(ptr::null_mut(), Ordering::Relaxed);
        self.starting.set(false);
        self.timed.set(false);
        self.phase.set(Phase::Quiet);
        self.inside.set(false);
    }

    /// The runtime has said whose the loop is.
    #[inline(always)]
    pub(crate) fn set_parallel_and_task_data(&self, parallel_data: *mut Data, task_data: *mut Data) {
        self.parallel_data.set(parallel_data);
        self.task_data.set(task_data);
    }

    /// Whose it is, as told or asked, of use where [`knows`] says so.
    #[inline(always)]
    pub(crate) fn parallel_and_task_data(&self) -> (*mut Data, *mut Data) {
        (self.parallel_data.get(), self.task_data.get())
    }

    /// The same, asking the runtime if it did not say by itself. False if it does not know: the thread is none of
    /// OpenMP's, or the runtime is shutting down. To be called while the thread runs the loop's own task.
    #[inline]
    pub(crate) fn knows_task(&self) -> bool {
        if !knows(self.parallel_and_task_data()) {
            let Some((task_data, parallel_data)) = RUNTIME.current_task() else { return false };
            self.set_parallel_and_task_data(parallel_data, task_data);
        }
        true
    }

    /// The schedule under which it runs and its chunk size, if it is not its own.
    #[inline]
    pub(crate) fn schedule_instead(&self) -> Option<(u32, u32)> {
        let schedule = self.schedule.get();
        (schedule != 0).then(|| (unpacked(schedule), self.chunk.get()))
    }

    /// Its record, or null, with start and step as passed. For signal handlers, too: none while a loop is entered or left.
    #[inline]
    pub(crate) fn loop_record(&self) -> (*const LoopRecord, i64, i64) {
        let loop_record = self.loop_record.load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        (loop_record.cast_const(), self.start.get(), self.step.get())
    }

    /// The thread runs that section of the sections it is in.
    #[inline(always)]
    pub(crate) fn set_section(&self, number: u64) {
        self.start.set(number as i64);
    }

    #[inline]
    pub(crate) fn is_changed(&self) -> bool {
        self.schedule.get() != 0
    }
}

/// Whether parallel and task data say whose a loop is. Without task data nobody has told. libomp 19 looks both up as it begins a loop,
/// if somebody listens by then, and tells them later, if somebody listens by then: for who began to in between they are offsets from
/// null, and the first is 0.
#[inline(always)]
pub(crate) fn knows((parallel_data, task_data): (*mut Data, *mut Data)) -> bool {
    !task_data.is_null() && !parallel_data.is_null()
}
