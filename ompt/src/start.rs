//! A tool says which events it wants, and with which functions.

use crate::callbacks as c;
use crate::raw::{self, AnyFn, Event};
use crate::tool::{Callback, Start};
use crate::{
    Chunk, Context, Control, Delivery, Dispatch, ImplicitTask, LoopEvent, Masked, Mutex, ParallelBegin, ParallelEnd,
    Runtime, SubBlock, SyncRegion, TaskCreate, TaskCreation, TaskSchedule, Tool, Work,
};

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($($of:ty),*) $(-> $result:ty)?: $event:ident, $callback:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<F: Fn(&Context<'_, T>, $($of),*) $(-> $result)? + Callback>(&mut self, callback: F) -> Delivery {
            self.set(raw::$event, c::$callback::<T, F>(callback))
        }
    )*};
}

impl<'a, T: Tool> Start<'a, T> {
    /// The runtime that asks.
    pub fn runtime(&self) -> &Runtime {
        self.runtime
    }

    /// Whether ompchunk's shim stands before the tool, so that events of chunks and [`Context::current_loop`] can come.
    pub fn has_chunks(&self) -> bool {
        self.entries.get_loop.is_some()
    }

    fn set(&mut self, event: Event, callback: AnyFn) -> Delivery {
        // SAFETY: the runtime's own; each function of `callbacks` has the type of the event that it is registered for here.
        unsafe { (self.entries.set_callback)(event, Some(callback)) }.into()
    }

    /// Both or none: what begins would never end.
    fn set_pair(&mut self, begin: (Event, AnyFn), end: (Event, AnyFn)) -> Delivery {
        let ends = self.set(end.0, end.1);
        if !ends.is_told() {
            return ends;
        }
        let begins = self.set(begin.0, begin.1);
        if !begins.is_told() {
            // SAFETY: the runtime's own; takes the callback away.
            unsafe { (self.entries.set_callback)(end.0, None) };
        }
        begins.min(ends)
    }

    /// Threads. `begin` makes the tool's value of a new one, `end` sees it for the last time; both run on that thread.
    pub fn threads<B, E>(&mut self, begin: B, end: E) -> Delivery
    where
        B: Fn(&Context<'_, T>, raw::ThreadType) -> T::Thread + Callback,
        E: Fn(&Context<'_, T>) + Callback,
    {
        self.set_pair(
            (raw::EVENT_THREAD_BEGIN, c::thread_begin::<T, B>(begin)),
            (raw::EVENT_THREAD_END, c::thread_end::<T, E>(end)),
        )
    }

    /// Parallel regions, on the thread that meets them. Where regions of several threads meet, libomp and libiomp5 now and then end one
    /// with the data of another: its value is then another region's, or is not there.
    pub fn parallels<B, E>(&mut self, begin: B, end: E) -> Delivery
    where
        B: Fn(&Context<'_, T>, ParallelBegin) -> T::Parallel + Callback,
        E: Fn(&Context<'_, T>, ParallelEnd) + Callback,
    {
        self.set_pair(
            (raw::EVENT_PARALLEL_BEGIN, c::parallel_begin::<T, B>(begin)),
            (raw::EVENT_PARALLEL_END, c::parallel_end::<T, E>(end)),
        )
    }

    /// Implicit tasks: each thread's part of a region. Also the initial tasks.
    pub fn implicit_tasks<B, E>(&mut self, begin: B, end: E) -> Delivery
    where
        B: Fn(&Context<'_, T>, ImplicitTask) -> T::Task + Callback,
        E: Fn(&Context<'_, T>, ImplicitTask) + Callback,
    {
        let callback = c::implicit_task::<T, B, E>(begin, end);
        self.set(raw::EVENT_IMPLICIT_TASK, callback)
    }

    /// Explicit tasks: `create` makes the value of a new one, `schedule` sees each change from one to another. The value goes after the
    /// change that [ends](TaskSchedule::is_end) its task.
    pub fn tasks<C, S>(&mut self, create: C, schedule: S) -> Delivery
    where
        C: Fn(&Context<'_, T>, TaskCreate) -> T::Task + Callback,
        S: Fn(&Context<'_, T>, TaskSchedule) + Callback,
    {
        self.set_pair(
            (raw::EVENT_TASK_CREATE, c::task_create::<T, C>(create)),
            (raw::EVENT_TASK_SCHEDULE, c::task_schedule::<T, S>(schedule)),
        )
    }

    events! {
        /// A thread begins or ends a worksharing construct.
        on_work(Work): EVENT_WORK, work;
        /// A thread begins a chunk, a section or an iteration.
        on_dispatch(Dispatch): EVENT_DISPATCH, dispatch;
        /// A thread comes to a barrier or another point of synchronisation, or leaves it.
        on_sync_region(SyncRegion): EVENT_SYNC_REGION, sync_region;
        /// A thread waits there.
        on_sync_region_wait(SyncRegion): EVENT_SYNC_REGION_WAIT, sync_region;
        /// A thread reduces.
        on_reduction(SyncRegion): EVENT_REDUCTION, sync_region;
        /// A `masked` region.
        on_masked(Masked): EVENT_MASKED, masked;
        /// A thread wants a lock, or to enter a critical, atomic or ordered region.
        on_mutex_acquire(Mutex): EVENT_MUTEX_ACQUIRE, mutex_acquire;
        /// It has it.
        on_mutex_acquired(Mutex): EVENT_MUTEX_ACQUIRED, mutex;
        /// It gives it back.
        on_mutex_released(Mutex): EVENT_MUTEX_RELEASED, mutex;
        /// The program calls `omp_control_tool`, which returns the callback's result, 0 for done; 1, ignored, if it panics.
        on_control_tool(Control) -> i32: EVENT_CONTROL_TOOL, control_tool;
        /// An event of ompchunk: a thread begins or ends an instrumented loop.
        on_loop(LoopEvent): EVENT_LOOP, loop_event;
        /// An event of ompchunk: a thread begins a chunk of an instrumented loop.
        on_chunk(Chunk): EVENT_CHUNK, chunk;
        /// An event of ompchunk: a thread has created a task. [`Context::other_task`] is the new one.
        on_task_creation(TaskCreation): EVENT_TASK_CREATION, task_creation;
        /// An event of ompchunk: a thread begins a part of its own chunk.
        on_sub_block(SubBlock): EVENT_SUB_BLOCK, sub_block;
    }

    /// The clock by which ompchunk measures for [`Chunk::bookkeeping`] and [`TaskCreation::duration`], in any unit.
    pub fn clock<F: Fn() -> f64 + Callback>(&mut self, clock: F) -> Delivery {
        self.set(raw::EVENT_TOOL_TIME, c::tool_time::<T, F>(clock))
    }

    /// An event that has no function here.
    ///
    /// # Safety
    /// `callback` has the event's type in [`raw`], can be called from every thread until the process ends, and does not unwind. The
    /// tool's data of threads, regions and tasks are numbers of this crate's, and not to be written.
    pub unsafe fn on_other(&mut self, event: Event, callback: AnyFn) -> Delivery {
        self.set(event, callback)
    }
}

impl<T: Tool> core::fmt::Debug for Start<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Start").field("runtime", self.runtime).finish_non_exhaustive()
    }
}
