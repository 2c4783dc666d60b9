//! The entry points of a runtime, and of ompchunk's shim in front of it, under their types.

use core::ffi::CStr;
use core::mem::{size_of, transmute_copy};

use crate::raw::{
    AnyFn, GetLoopFn, GetMetFn, GetNumProcsFn, GetParallelInfoFn, GetProcIdFn, GetScheduleFn, GetTaskInfoFn,
    GetThreadDataFn, GetUniqueIdFn, GetVariableFn, LookupFn, SetCallbackFn,
};

pub(crate) struct Entries {
    pub(crate) set_callback: SetCallbackFn,
    pub(crate) get_thread_data: Option<GetThreadDataFn>,
    pub(crate) get_task_info: Option<GetTaskInfoFn>,
    pub(crate) get_parallel_info: Option<GetParallelInfoFn>,
    pub(crate) get_proc_id: Option<GetProcIdFn>,
    pub(crate) get_num_procs: Option<GetNumProcsFn>,
    pub(crate) get_unique_id: Option<GetUniqueIdFn>,
    pub(crate) get_loop: Option<GetLoopFn>,
    pub(crate) get_variable: Option<GetVariableFn>,
    pub(crate) get_schedule: Option<GetScheduleFn>,
    pub(crate) get_met: Option<GetMetFn>,
}

impl Entries {
    /// None of a runtime that cannot register callbacks.
    ///
    /// # Safety
    ///
    /// `lookup` is the function that a runtime, or a shim, gave to the tool's `initialize`.
    pub(crate) unsafe fn look_up(lookup: LookupFn) -> Option<Self> {
        // SAFETY: each name is a string, and what is found under it has the type that the specification or `ompt-chunk.h`
        // gives to that name.
        unsafe {
            Some(Entries {
                set_callback: entry(lookup, c"ompt_set_callback")?,
                get_thread_data: entry(lookup, c"ompt_get_thread_data"),
                get_task_info: entry(lookup, c"ompt_get_task_info"),
                get_parallel_info: entry(lookup, c"ompt_get_parallel_info"),
                get_proc_id: entry(lookup, c"ompt_get_proc_id"),
                get_num_procs: entry(lookup, c"ompt_get_num_procs"),
                get_unique_id: entry(lookup, c"ompt_get_unique_id"),
                get_loop: entry(lookup, c"ompt_chunk_get_loop"),
                get_variable: entry(lookup, c"ompt_chunk_get_variable"),
                get_schedule: entry(lookup, c"ompt_chunk_get_schedule"),
                get_met: entry(lookup, c"ompt_chunk_get_met"),
            })
        }
    }
}

/// # Safety
///
/// What `lookup` finds under the name is an `F`, a type of functions.
unsafe fn entry<F: Copy>(lookup: LookupFn, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<AnyFn>()) };
    // SAFETY: the name is a string.
    let found = unsafe { lookup(name.as_ptr()) }?;
    // SAFETY: an `F`, says the caller, of the size of a function pointer.
    Some(unsafe { transmute_copy::<AnyFn, F>(&found) })
}
