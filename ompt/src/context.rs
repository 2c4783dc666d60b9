//! What a callback may ask.

use core::ffi::c_int;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::arena::{Arena, Ref};
use crate::raw::{Data, LOOP_START_KNOWN, LOOP_STEP_KNOWN};
use crate::tool::Active;
use crate::{Loop, Runtime, Tool};

/// Who and where, while a callback lasts. Not every event has every datum, and not every runtime every entry point.
pub struct Context<'a, T: Tool> {
    active: &'static Active<T>,
    data: EventData,
    callback: PhantomData<&'a ()>,
}

/// Where the runtime keeps what belongs to an event; null where it says nothing of it.
#[derive(Clone, Copy)]
pub(crate) struct EventData {
    pub(crate) thread: *mut Data,
    pub(crate) parallel: *mut Data,
    pub(crate) task: *mut Data,
    pub(crate) other_task: *mut Data,
}

impl EventData {
    pub(crate) const NOWHERE: EventData = EventData {
        thread: ptr::null_mut(),
        parallel: ptr::null_mut(),
        task: ptr::null_mut(),
        other_task: ptr::null_mut(),
    };

    pub(crate) fn from_data(parallel: *mut Data, task: *mut Data) -> Self {
        EventData { parallel, task, ..EventData::NOWHERE }
    }
}

impl<'a, T: Tool> Context<'a, T> {
    /// Safety: what `data` points to is the runtime's and lasts as long as the callback, which lasts longer than `'a`.
    pub(crate) unsafe fn new(active: &'static Active<T>, data: EventData) -> Self {
        Context { active, data, callback: PhantomData }
    }

    /// The tool.
    pub fn tool(&self) -> &'a T {
        &self.active.tool
    }

    /// The runtime.
    pub fn runtime(&self) -> &'a Runtime {
        self.active.runtime
    }

    /// The tool's value of the calling thread.
    pub fn thread(&self) -> Option<Ref<T::Thread>> {
        let data = if self.data.thread.is_null() {
            // SAFETY: callable from a callback.
            unsafe { self.active.entries.get_thread_data?() }
        } else {
            self.data.thread
        };
        // SAFETY: the runtime's, of this thread.
        unsafe { find(&self.active.threads, data) }
    }

    /// The tool's value of the parallel region that the event belongs to.
    pub fn parallel(&self) -> Option<Ref<T::Parallel>> {
        // SAFETY: see `new`.
        unsafe { find(&self.active.parallels, self.data.parallel) }
    }

    /// The tool's value of the event's task: the one that creates, or the one that the thread leaves for another.
    pub fn task(&self) -> Option<Ref<T::Task>> {
        // SAFETY: see `new`.
        unsafe { find(&self.active.tasks, self.data.task) }
    }

    /// That of the other task: the new one in `on_task_creation` until it ends; the next one in [`Start::tasks`](crate::Start::tasks).
    pub fn other_task(&self) -> Option<Ref<T::Task>> {
        // SAFETY: see `new`.
        unsafe { find(&self.active.tasks, self.data.other_task) }
    }

    /// The calling thread's number in its team.
    pub fn thread_number(&self) -> Option<i32> {
        let get = self.active.entries.get_task_info?;
        let mut number: c_int = 0;
        // SAFETY: callable from a callback; null where no answer is wanted, and `number` outlives the call.
        let known = unsafe { get(0, ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), &mut number) };
        (known != 0).then_some(number)
    }

    /// How many threads the calling thread's team has.
    pub fn team_size(&self) -> Option<i32> {
        let get = self.active.entries.get_parallel_info?;
        let (mut size, mut data) = (0, ptr::null_mut());
        // SAFETY: callable from a callback; both outlive the call.
        let known = unsafe { get(0, &mut data, &mut size) };
        (known != 0).then_some(size)
    }

    /// The processor that the calling thread runs on.
    pub fn processor(&self) -> Option<i32> {
        // SAFETY: callable from a callback.
        let number = unsafe { self.active.entries.get_proc_id?() };
        (number >= 0).then_some(number)
    }

    /// How many processors there are.
    pub fn processors(&self) -> Option<i32> {
        // SAFETY: callable from a callback.
        Some(unsafe { self.active.entries.get_num_procs?() })
    }

    /// A number that nobody else in this process was given.
    pub fn unique_number(&self) -> Option<u64> {
        // SAFETY: callable from a callback.
        Some(unsafe { self.active.entries.get_unique_id?() })
    }

    /// The innermost loop that the calling thread is in and that ompchunk's plugin instrumented.
    pub fn current_loop(&self) -> Option<Loop<'a>> {
        // SAFETY: callable from a callback, in which the record stays, and so does the number of the other.
        unsafe {
            let record = self.active.entries.get_loop?();
            let met = self.active.entries.get_met.map(|get| get());
            Loop::new(record, met.unwrap_or(ptr::null()))
        }
    }

    /// First value and step of that loop's own variable, as far as they are known: constants, and what they are in this execution.
    pub fn loop_variable(&self) -> (Option<i64>, Option<i64>) {
        let Some(get) = self.active.entries.get_variable else {
            return (None, None);
        };
        let (mut start, mut step) = (0, 0);
        // SAFETY: callable from a callback; both outlive the call.
        let known = unsafe { get(&mut start, &mut step) } as u32;
        ((known & LOOP_START_KNOWN != 0).then_some(start), (known & LOOP_STEP_KNOWN != 0).then_some(step))
    }

    /// That loop's schedule, an `enum sched_type` with its modifiers, and its chunk size (0: none, or not constant).
    pub fn loop_schedule(&self) -> Option<(u32, i64)> {
        let get = self.active.entries.get_schedule?;
        let (mut schedule, mut chunk) = (0, 0);
        // SAFETY: callable from a callback; both outlive the call.
        let known = unsafe { get(&mut schedule, &mut chunk) };
        (known != 0).then_some((schedule, chunk))
    }
}

impl<T: Tool> core::fmt::Debug for Context<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

/// Safety: `data` is null or the runtime's memory for a tool, which lasts as long as the callback.
unsafe fn number<'a>(data: *mut Data) -> Option<&'a AtomicU64> {
    // SAFETY: says the caller; only this crate writes to it, atomically: a runtime may end a region while a thread is still in it.
    (!data.is_null()).then(|| unsafe { AtomicU64::from_ptr(data.cast()) })
}

/// Safety: see [`number`].
unsafe fn find<T>(arena: &'static Arena<T>, data: *mut Data) -> Option<Ref<T>> {
    // SAFETY: says the caller.
    arena.get(unsafe { number(data) }?.load(Relaxed))
}

/// What the runtime has not told the end of, loses its old value. Safety: see [`number`].
pub(crate) unsafe fn put<T>(arena: &'static Arena<T>, data: *mut Data, value: T) {
    // SAFETY: says the caller.
    if let Some(number) = unsafe { number(data) } {
        drop(arena.remove(number.swap(arena.insert(value), Relaxed)));
    }
}

/// A number that is nobody's stays. Safety: see [`number`].
pub(crate) unsafe fn take<T>(arena: &'static Arena<T>, data: *mut Data) {
    // SAFETY: says the caller.
    let Some(number) = (unsafe { number(data) }) else { return };
    if let Some(value) = arena.remove(number.load(Relaxed)) {
        number.store(0, Relaxed);
        drop(value);
    }
}
