//! The entry points of a runtime, and of ompchunk's shim in front of it, under their types.

use core::ffi::CStr;
use core::mem::{size_of, transmute_copy};

use crate::raw::{self, AnyFn, LookupFn, SetCallbackFn};

macro_rules! entries {
    ($($field:ident: $type:ident = $name:literal;)*) => {
        pub(crate) struct Entries {
            pub(crate) set_callback: SetCallbackFn,
            $( pub(crate) $field: Option<raw::$type>, )*
        }

        impl Entries {
            /// None of a runtime that cannot register callbacks. Safety: `lookup` is what a runtime, or a shim, gave to `initialize`.
            pub(crate) unsafe fn look_up(lookup: LookupFn) -> Option<Self> {
                // SAFETY: each name is a string, and its function has the type that the specification or `ompt-chunk.h` gives to it.
                unsafe {
                    let set_callback = entry(lookup, c"ompt_set_callback")?;
                    Some(Entries { set_callback, $( $field: entry(lookup, $name), )* })
                }
            }
        }
    };
}

entries! {
    get_thread_data: GetThreadDataFn = c"ompt_get_thread_data";
    get_task_info: GetTaskInfoFn = c"ompt_get_task_info";
    get_parallel_info: GetParallelInfoFn = c"ompt_get_parallel_info";
    get_proc_id: GetProcIdFn = c"ompt_get_proc_id";
    get_num_procs: GetNumProcsFn = c"ompt_get_num_procs";
    get_unique_id: GetUniqueIdFn = c"ompt_get_unique_id";
    get_loop: GetLoopFn = c"ompt_chunk_get_loop";
    get_variable: GetVariableFn = c"ompt_chunk_get_variable";
    get_schedule: GetScheduleFn = c"ompt_chunk_get_schedule";
    get_met: GetMetFn = c"ompt_chunk_get_met";
}

/// Safety: what `lookup` finds under the name is an `F`, a type of functions.
unsafe fn entry<F: Copy>(lookup: LookupFn, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<AnyFn>()) };
    // SAFETY: the name is a string.
    let found = unsafe { lookup(name.as_ptr()) }?;
    // SAFETY: an `F`, says the caller, of the size of a function pointer.
    Some(unsafe { transmute_copy::<AnyFn, F>(&found) })
}
