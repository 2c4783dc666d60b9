//! The functions that a runtime calls, one per event and tool function: from C's arguments to values, and to the tool. Each is made for
//! one function of the tool's, which has no size, so that the runtime's pointer is all that it needs.

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

/// Safety: somebody has, or had, a value of `F`.
unsafe fn callback_value<F: Callback>() -> F {
    const {
        assert!(
            size_of::<F>() == 0,
            "a callback is a function or a closure that captures nothing: put what it needs into the tool"
        );
    }
    // SAFETY: a value without size, of a type that has values; it can be copied, so one more is nothing new.
    unsafe { NonNull::<F>::dangling().read() }
}

/// For each event an `extern "C"` function, and one that gives its address to whoever has a tool's function for it. `puts`: what the
/// function returns becomes the tool's value; `takes`: the tool's value goes, also when the tool has ended.
macro_rules! callbacks {
    ($(
        $name:ident as $type:ident($($of:ty)?) $(-> $made:ty)? $(, puts $to:ident $new:ident)?
            $(, takes $from:ident $old:ident $(if $is_end:expr)?)? $(, answers $answer:ty, else $otherwise:expr)? =>
        |$($argument:ident: $argument_type:ty),*| $place:expr $(, $event:expr)?;
    )*) => { $(
        pub(crate) fn $name<T: Tool, F: Fn(&Context<'_, T> $(, $of)?) $(-> $made)? + Callback>(_: F) -> AnyFn {
            unsafe extern "C" fn called<T: Tool, F: Fn(&Context<'_, T> $(, $of)?) $(-> $made)? + Callback>(
                $($argument: $argument_type),*
            ) $(-> $answer)? {
                let answer = told::<T, _>(|active| {
                    // SAFETY: what the runtime's arguments point to is there while it calls.
                    let context = unsafe { Context::new(active, $place) };
                    // SAFETY: `called` is made from a value of `F` only.
                    let made = unsafe { callback_value::<F>() }(&context $(, $event)?);
                    callbacks!(@keep made $(, active.$to, $new)?)
                });
                $(
                    if true $(&& $is_end)? {
                        // SAFETY: the runtime's data, which is there while it calls.
                        told_always::<T>(|active| unsafe { take(&active.$from, $old) });
                    }
                )?
                callbacks!(@answer answer $(, $otherwise)?)
            }
            let typed: raw::$type = called::<T, F>;
            // SAFETY: a function of any type may travel as any function.
            unsafe { transmute::<raw::$type, AnyFn>(typed) }
        }
    )* };
    (@keep $made:ident) => { $made };
    // SAFETY: the runtime's data, which is there while it calls.
    (@keep $made:ident, $active:ident.$to:ident, $new:ident) => { unsafe { put(&$active.$to, $new, $made) } };
    (@answer $answer:ident) => { $answer.unwrap_or_default() };
    (@answer $answer:ident, $otherwise:expr) => { $answer.unwrap_or($otherwise) };
}

callbacks! {
    thread_begin as ThreadBeginFn(raw::ThreadType) -> T::Thread, puts threads thread =>
        |kind: c_uint, thread: *mut Data| EventData { thread, ..EventData::NOWHERE }, kind;
    thread_end as ThreadEndFn(), takes threads thread =>
        |thread: *mut Data| EventData { thread, ..EventData::NOWHERE };
    parallel_begin as ParallelBeginFn(ParallelBegin) -> T::Parallel, puts parallels parallel =>
        |task: *mut Data, _frame: *const Frame, parallel: *mut Data, requested: c_uint, flags: c_int, code: *const c_void|
        EventData::from_data(parallel, task), ParallelBegin { requested, flags, code: code.addr() };
    parallel_end as ParallelEndFn(ParallelEnd), takes parallels parallel =>
        |parallel: *mut Data, task: *mut Data, flags: c_int, code: *const c_void|
        EventData::from_data(parallel, task), ParallelEnd { flags, code: code.addr() };
    task_create as TaskCreateFn(TaskCreate) -> T::Task, puts tasks new =>
        |task: *mut Data, _frame: *const Frame, new: *mut Data, flags: c_int, has_dependences: c_int, code: *const c_void|
        EventData { task, ..EventData::NOWHERE },
        TaskCreate { flags, has_dependences: has_dependences != 0, code: code.addr() };
    task_schedule as TaskScheduleFn(TaskSchedule), takes tasks task if (TaskSchedule { status }).is_end() =>
        |task: *mut Data, status: c_uint, other_task: *mut Data|
        EventData { task, other_task, ..EventData::NOWHERE }, TaskSchedule { status };
    work as WorkFn(Work) =>
        |kind: c_uint, endpoint: c_uint, parallel: *mut Data, task: *mut Data, count: u64, code: *const c_void|
        EventData::from_data(parallel, task), Work { kind, endpoint: endpoint.into(), count, code: code.addr() };
    dispatch as DispatchFn(Dispatch) =>
        |parallel: *mut Data, task: *mut Data, kind: c_uint, instance: Data| EventData::from_data(parallel, task),
        // SAFETY: what the specification says of this kind.
        unsafe { dispatched(kind, instance) };
    sync_region as SyncRegionFn(SyncRegion) =>
        |kind: c_uint, endpoint: c_uint, parallel: *mut Data, task: *mut Data, code: *const c_void|
        EventData::from_data(parallel, task), SyncRegion { kind, endpoint: endpoint.into(), code: code.addr() };
    masked as MaskedFn(Masked) =>
        |endpoint: c_uint, parallel: *mut Data, task: *mut Data, code: *const c_void|
        EventData::from_data(parallel, task), Masked { endpoint: endpoint.into(), code: code.addr() };
    mutex_acquire as MutexAcquireFn(Mutex) =>
        |kind: c_uint, _hint: c_uint, _implementation: c_uint, wait_id: u64, code: *const c_void|
        EventData::NOWHERE, Mutex { kind, wait_id, code: code.addr() };
    mutex as MutexFn(Mutex) =>
        |kind: c_uint, wait_id: u64, code: *const c_void|
        EventData::NOWHERE, Mutex { kind, wait_id, code: code.addr() };
    control_tool as ControlToolFn(Control) -> c_int, answers c_int, else IGNORED =>
        |command: u64, modifier: u64, argument: *mut c_void, code: *const c_void|
        EventData::NOWHERE, Control { command, modifier, argument: argument.addr(), code: code.addr() };
    loop_event as LoopFn(LoopEvent) =>
        |schedule: c_uint, endpoint: c_uint, parallel: *mut Data, task: *mut Data, is_signed: c_int, step: i64, code: *const c_void|
        EventData::from_data(parallel, task),
        LoopEvent {
            schedule,
            endpoint: endpoint.into(),
            is_signed: is_signed != 0,
            step: (step != 0).then_some(step),
            code: code.addr(),
        };
    chunk as ChunkFn(Chunk) =>
        |task: *mut Data, lower: i64, upper: i64, bookkeeping: f64, is_last: c_int|
        EventData { task, ..EventData::NOWHERE }, Chunk { lower, upper, bookkeeping, is_last: is_last != 0 };
    sub_block as SubBlockFn(SubBlock) =>
        |parallel: *mut Data, task: *mut Data, lower: u64, iterations: u64, flags: c_uint, code: *const c_void|
        EventData::from_data(parallel, task),
        SubBlock {
            lower,
            iterations,
            is_first: flags & raw::SUB_BLOCK_FIRST != 0,
            is_last: flags & raw::SUB_BLOCK_LAST != 0,
            code: code.addr(),
        };
    task_creation as TaskCreationFn(TaskCreation) =>
        |task: *mut Data, _frame: *const Frame, other_task: *mut Data, flags: c_int, has_dependences: c_int, duration: f64,
            code: *const c_void|
        EventData { task, other_task, ..EventData::NOWHERE },
        TaskCreation { create: TaskCreate { flags, has_dependences: has_dependences != 0, code: code.addr() }, duration };
}

/// `omp_control_tool_ignored`
const IGNORED: c_int = 1;

/// Safety: `instance` of a chunk points to one, or is null.
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
        told::<T, _>(|_| unsafe { callback_value::<F>() }()).unwrap_or(0.0)
    }
    let typed: raw::ToolTimeFn = called::<T, F>;
    // SAFETY: a function of any type may travel as any function.
    unsafe { transmute::<raw::ToolTimeFn, AnyFn>(typed) }
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
            // SAFETY: what the runtime's arguments point to is there while it calls, and `called` is made from a `B` and an `E` only.
            unsafe {
                if endpoint == Endpoint::End {
                    callback_value::<E>()(&Context::new(active, place), event);
                } else {
                    let value = callback_value::<B>()(&Context::new(active, place), event);
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
