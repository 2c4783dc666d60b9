//! The functions that a runtime calls, one per event and tool function: from C's arguments to values, and to the tool.
//!
//! Each is made for one function of the tool's, which has no size, so that the runtime's pointer is all that it needs.

use core::ffi::{c_int, c_uint, c_void};
use core::mem::{size_of, transmute};
use core::ptr::NonNull;

use crate::context::{EventData, put, take};
use crate::life::{told, told_always};
use crate::raw::{self, AnyFn, Data, DispatchChunk, Frame};
use crate::tool::Callback;
use crate::{
    Chunk, Context, Control, Dispatch, Endpoint, ImplicitTask, LoopEvent, Masked, Mutex, ParallelBegin, ParallelEnd,
    SubBlock, SyncRegion, TaskCreate, TaskCreation, TaskSchedule, Tool, Work,
};

/// The function itself.
///
/// # Safety
///
/// Somebody has, or had, a value of `F`.
unsafe fn the<F: Callback>() -> F {
    const {
        assert!(
            size_of::<F>() == 0,
            "a callback is a function or a closure that captures nothing: put what it needs into the tool"
        );
    }
    // SAFETY: a value without size, of a type that has values; it can be copied, so one more is nothing new.
    unsafe { NonNull::<F>::dangling().read() }
}

/// An `extern "C"` function for an event, and a function that gives its address to whoever has a tool's function for it.
/// `$work` is what the event does: `tell` calls the tool's function with the context and what follows.
macro_rules! callback {
    ($name:ident as $type:ident ($of:ty) $(-> $result:ty)?,
     |$($argument:ident: $argument_type:ty),*| $place:expr, $event:expr $(, else $otherwise:expr)?) => {
        pub(crate) fn $name<T: Tool, F: Fn(&Context<'_, T>, $of) $(-> $result)? + Callback>(_: F) -> AnyFn {
            unsafe extern "C" fn called<T: Tool, F: Fn(&Context<'_, T>, $of) $(-> $result)? + Callback>(
                $($argument: $argument_type),*
            ) $(-> $result)? {
                let answer = told::<T, _>(|active| {
                    // SAFETY: what the runtime's arguments point to is there while it calls.
                    let context = unsafe { Context::new(active, $place) };
                    // SAFETY: `called` is made from a value of `F` only.
                    let function = unsafe { the::<F>() };
                    function(&context, $event)
                });
                callback!(@ answer $(, $otherwise)?)
            }
            let typed: raw::$type = called::<T, F>;
            // SAFETY: a function of any type may travel as any function.
            unsafe { transmute::<raw::$type, AnyFn>(typed) }
        }
    };
    (@ $answer:ident) => { $answer.unwrap_or_default() };
    (@ $answer:ident, $otherwise:expr) => { $answer.unwrap_or($otherwise) };
}

callback!(
    work as WorkFn(Work),
    |kind: c_uint, endpoint: c_uint, parallel: *mut Data, task: *mut Data, count: u64, code: *const c_void| {
        EventData::from_data(parallel, task)
    },
    Work { kind, endpoint: endpoint.into(), count, code: code.addr() }
);

callback!(
    dispatch as DispatchFn(Dispatch),
    |parallel: *mut Data, task: *mut Data, kind: c_uint, instance: Data| EventData::from_data(parallel, task),
    // SAFETY: what the specification says of this kind.
    unsafe { dispatched(kind, instance) }
);

callback!(
    sync_region as SyncRegionFn(SyncRegion),
    |kind: c_uint, endpoint: c_uint, parallel: *mut Data, task: *mut Data, code: *const c_void| {
        EventData::from_data(parallel, task)
    },
    SyncRegion { kind, endpoint: endpoint.into(), code: code.addr() }
);

callback!(
    masked as MaskedFn(Masked),
    |endpoint: c_uint, parallel: *mut Data, task: *mut Data, code: *const c_void| EventData::from_data(parallel, task),
    Masked { endpoint: endpoint.into(), code: code.addr() }
);

callback!(
    mutex_acquire as MutexAcquireFn(Mutex),
    |kind: c_uint, _hint: c_uint, _implementation: c_uint, wait_id: u64, code: *const c_void| EventData::NOWHERE,
    Mutex { kind, wait_id, code: code.addr() }
);

callback!(
    mutex as MutexFn(Mutex),
    |kind: c_uint, wait_id: u64, code: *const c_void| EventData::NOWHERE,
    Mutex { kind, wait_id, code: code.addr() }
);

callback!(control_tool as ControlToolFn (Control) -> c_int,
    |command: u64, modifier: u64, argument: *mut c_void, code: *const c_void|
    EventData::NOWHERE,
    Control { command, modifier, argument: argument.addr(), code: code.addr() },
    else IGNORED);

callback!(
    loop_event as LoopFn(LoopEvent),
    |schedule: c_uint,
     endpoint: c_uint,
     parallel: *mut Data,
     task: *mut Data,
     is_signed: c_int,
     step: i64,
     code: *const c_void| EventData::from_data(parallel, task),
    LoopEvent {
        schedule,
        endpoint: endpoint.into(),
        is_signed: is_signed != 0,
        step: (step != 0).then_some(step),
        code: code.addr(),
    }
);

callback!(
    chunk as ChunkFn(Chunk),
    |task: *mut Data, lower: i64, upper: i64, bookkeeping: f64, is_last: c_int| EventData {
        task,
        ..EventData::NOWHERE
    },
    Chunk { lower, upper, bookkeeping, is_last: is_last != 0 }
);

callback!(
    sub_block as SubBlockFn(SubBlock),
    |parallel: *mut Data, task: *mut Data, lower: u64, iterations: u64, flags: c_uint, code: *const c_void| {
        EventData::from_data(parallel, task)
    },
    SubBlock {
        lower,
        iterations,
        is_first: flags & raw::SUB_BLOCK_FIRST != 0,
        is_last: flags & raw::SUB_BLOCK_LAST != 0,
        code: code.addr(),
    }
);

callback!(
    task_creation as TaskCreationFn(TaskCreation),
    |task: *mut Data,
     _frame: *const Frame,
     other_task: *mut Data,
     flags: c_int,
     has_dependences: c_int,
     duration: f64,
     code: *const c_void| EventData { task, other_task, ..EventData::NOWHERE },
    TaskCreation { create: TaskCreate { flags, has_dependences: has_dependences != 0, code: code.addr() }, duration }
);

/// `omp_control_tool_ignored`
const IGNORED: c_int = 1;

/// # Safety
///
/// `instance` of a chunk points to one, or is null.
unsafe fn dispatched(kind: c_uint, instance: Data) -> Dispatch {
    let of_chunk =
        matches!(kind, raw::DISPATCH_WS_LOOP_CHUNK | raw::DISPATCH_TASKLOOP_CHUNK | raw::DISPATCH_DISTRIBUTE_CHUNK);
    // SAFETY: says the caller; and any bits are a number.
    let (chunk, instance) = unsafe {
        let chunk = instance.ptr.cast::<DispatchChunk>().cast_const();
        (of_chunk.then(|| chunk.as_ref().copied()).flatten(), instance.value)
    };
    Dispatch { kind, chunk, instance: if of_chunk { 0 } else { instance } }
}

pub(crate) fn tool_time<T: Tool, F: Fn() -> f64 + Callback>(_: F) -> AnyFn {
    unsafe extern "C" fn called<T: Tool, F: Fn() -> f64 + Callback>() -> f64 {
        // SAFETY: made from a value of `F` only.
        told::<T, _>(|_| unsafe { the::<F>() }()).unwrap_or(0.0)
    }
    let typed: raw::ToolTimeFn = called::<T, F>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ToolTimeFn, AnyFn>(typed) }
}

pub(crate) fn thread_begin<T: Tool, B>(_: B) -> AnyFn
where
    B: Fn(&Context<'_, T>, raw::ThreadType) -> T::Thread + Callback,
{
    unsafe extern "C" fn called<T: Tool, B>(kind: c_uint, thread: *mut Data)
    where
        B: Fn(&Context<'_, T>, raw::ThreadType) -> T::Thread + Callback,
    {
        told::<T, _>(|active| {
            let place = EventData { thread, ..EventData::NOWHERE };
            // SAFETY: the thread's data is there while the runtime calls, and `called` is made from a `B` only.
            unsafe {
                let value = the::<B>()(&Context::new(active, place), kind);
                put(&active.threads, thread, value);
            }
        });
    }
    let typed: raw::ThreadBeginFn = called::<T, B>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ThreadBeginFn, AnyFn>(typed) }
}

pub(crate) fn thread_end<T: Tool, E: Fn(&Context<'_, T>) + Callback>(_: E) -> AnyFn {
    unsafe extern "C" fn called<T: Tool, E: Fn(&Context<'_, T>) + Callback>(thread: *mut Data) {
        told::<T, _>(|active| {
            let place = EventData { thread, ..EventData::NOWHERE };
            // SAFETY: as in `thread_begin`.
            unsafe { the::<E>()(&Context::new(active, place)) };
        });
        // SAFETY: likewise.
        told_always::<T>(|active| unsafe { take(&active.threads, thread) });
    }
    let typed: raw::ThreadEndFn = called::<T, E>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ThreadEndFn, AnyFn>(typed) }
}

pub(crate) fn parallel_begin<T: Tool, B>(_: B) -> AnyFn
where
    B: Fn(&Context<'_, T>, ParallelBegin) -> T::Parallel + Callback,
{
    unsafe extern "C" fn called<T: Tool, B>(
        task: *mut Data,
        _: *const Frame,
        parallel: *mut Data,
        requested: c_uint,
        flags: c_int,
        code: *const c_void,
    ) where
        B: Fn(&Context<'_, T>, ParallelBegin) -> T::Parallel + Callback,
    {
        told::<T, _>(|active| {
            let event = ParallelBegin { requested, flags, code: code.addr() };
            // SAFETY: as in `thread_begin`.
            unsafe {
                let value = the::<B>()(&Context::new(active, EventData::from_data(parallel, task)), event);
                put(&active.parallels, parallel, value);
            }
        });
    }
    let typed: raw::ParallelBeginFn = called::<T, B>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ParallelBeginFn, AnyFn>(typed) }
}

pub(crate) fn parallel_end<T: Tool, E: Fn(&Context<'_, T>, ParallelEnd) + Callback>(_: E) -> AnyFn {
    unsafe extern "C" fn called<T: Tool, E: Fn(&Context<'_, T>, ParallelEnd) + Callback>(
        parallel: *mut Data,
        task: *mut Data,
        flags: c_int,
        code: *const c_void,
    ) {
        told::<T, _>(|active| {
            let event = ParallelEnd { flags, code: code.addr() };
            // SAFETY: as in `thread_begin`.
            unsafe { the::<E>()(&Context::new(active, EventData::from_data(parallel, task)), event) };
        });
        // SAFETY: likewise.
        told_always::<T>(|active| unsafe { take(&active.parallels, parallel) });
    }
    let typed: raw::ParallelEndFn = called::<T, E>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ParallelEndFn, AnyFn>(typed) }
}

pub(crate) fn implicit_task<T: Tool, B, E>(_: B, _: E) -> AnyFn
where
    B: Fn(&Context<'_, T>, ImplicitTask) -> T::Task + Callback,
    E: Fn(&Context<'_, T>, ImplicitTask) + Callback,
{
    unsafe extern "C" fn called<T: Tool, B, E>(
        endpoint: c_uint,
        parallel: *mut Data,
        task: *mut Data,
        team_size: c_uint,
        index: c_uint,
        flags: c_int,
    ) where
        B: Fn(&Context<'_, T>, ImplicitTask) -> T::Task + Callback,
        E: Fn(&Context<'_, T>, ImplicitTask) + Callback,
    {
        let (place, endpoint) = (EventData::from_data(parallel, task), Endpoint::from(endpoint));
        let event = ImplicitTask { team_size, index, flags };
        told::<T, _>(|active| {
            // SAFETY: as in `thread_begin`.
            unsafe {
                if endpoint == Endpoint::End {
                    the::<E>()(&Context::new(active, place), event);
                } else {
                    let value = the::<B>()(&Context::new(active, place), event);
                    put(&active.tasks, task, value);
                }
            }
        });
        if endpoint == Endpoint::End {
            // SAFETY: likewise.
            told_always::<T>(|active| unsafe { take(&active.tasks, task) });
        }
    }
    let typed: raw::ImplicitTaskFn = called::<T, B, E>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ImplicitTaskFn, AnyFn>(typed) }
}

pub(crate) fn task_create<T: Tool, C>(_: C) -> AnyFn
where
    C: Fn(&Context<'_, T>, TaskCreate) -> T::Task + Callback,
{
    unsafe extern "C" fn called<T: Tool, C>(
        task: *mut Data,
        _: *const Frame,
        new: *mut Data,
        flags: c_int,
        has_dependences: c_int,
        code: *const c_void,
    ) where
        C: Fn(&Context<'_, T>, TaskCreate) -> T::Task + Callback,
    {
        told::<T, _>(|active| {
            let event = TaskCreate { flags, has_dependences: has_dependences != 0, code: code.addr() };
            let place = EventData { task, ..EventData::NOWHERE };
            // SAFETY: as in `thread_begin`.
            unsafe {
                let value = the::<C>()(&Context::new(active, place), event);
                put(&active.tasks, new, value);
            }
        });
    }
    let typed: raw::TaskCreateFn = called::<T, C>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::TaskCreateFn, AnyFn>(typed) }
}

pub(crate) fn task_schedule<T: Tool, S: Fn(&Context<'_, T>, TaskSchedule) + Callback>(_: S) -> AnyFn {
    unsafe extern "C" fn called<T: Tool, S: Fn(&Context<'_, T>, TaskSchedule) + Callback>(
        task: *mut Data,
        status: c_uint,
        other_task: *mut Data,
    ) {
        let event = TaskSchedule { status };
        told::<T, _>(|active| {
            let place = EventData { task, other_task, ..EventData::NOWHERE };
            // SAFETY: as in `thread_begin`.
            unsafe { the::<S>()(&Context::new(active, place), event) };
        });
        if event.is_end() {
            // SAFETY: likewise.
            told_always::<T>(|active| unsafe { take(&active.tasks, task) });
        }
    }
    let typed: raw::TaskScheduleFn = called::<T, S>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::TaskScheduleFn, AnyFn>(typed) }
}
