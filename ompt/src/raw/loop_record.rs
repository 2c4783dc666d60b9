//! The loop record: what is known of a loop at compile time, readable from the file on disk.

use core::ffi::CStr;
use core::mem::{align_of, size_of};

use super::constants;

/// `OMPT_CHUNK_ABI_VERSION`: version of the layout and meaning of [`LoopRecord`].
pub const CHUNK_ABI_VERSION: u32 = 4;

constants! {
    u8 {
        ompt_chunk_text: CONSTRUCT_TEXT = 0, "no loop but a text: eight bytes of head, as in [`LoopRecord`], and a NUL-terminated string \
            that loop records lead to";
        ompt_chunk_for: CONSTRUCT_FOR = 1, "a worksharing loop (OpenMP 5.2, section 11.5.1)";
        ompt_chunk_distribute: CONSTRUCT_DISTRIBUTE = 2, "a `distribute` loop (OpenMP 5.2, section 11.6)";
        ompt_chunk_sections: CONSTRUCT_SECTIONS = 3, "a `sections` construct (OpenMP 5.2, section 11.3): each section is a chunk";
    }
    u32 {
        ompt_chunk_signed: LOOP_SIGNED = 1 << 0, "the logical iteration variable is signed; bounds are sign-extended";
        ompt_chunk_chunked: LOOP_CHUNKED = 1 << 1, "the schedule has a chunk size, so a thread may run several chunks";
        ompt_chunk_chunk_known: LOOP_CHUNK_KNOWN = 1 << 2, "`chunk` holds the chunk size in logical iterations";
        ompt_chunk_start_known: LOOP_START_KNOWN = 1 << 3, "`start` holds the value of the user's variable in logical iteration 0";
        ompt_chunk_step_known: LOOP_STEP_KNOWN = 1 << 4, "`step` holds the user's step";
        ompt_chunk_start_passed: LOOP_START_PASSED = 1 << 5, "the start is a run-time value, which the program passes to `enter`";
        ompt_chunk_step_passed: LOOP_STEP_PASSED = 1 << 6, "the step is a run-time value, which the program passes to `enter`";
        ompt_chunk_dealt: LOOP_DEALT = 1 << 7, "the runtime deals the chunks, through `__kmpc_dispatch_next_*`, and reports them itself in \
            dispatch events. `is_last` then means the chunk that holds the loop's last iteration";
        ompt_chunk_changeable: LOOP_CHANGEABLE = 1 << 8, "the loop can run under another schedule; else `fixed` says why it cannot";
        ompt_chunk_no_barrier: LOOP_NO_BARRIER = 1 << 9, "no barrier follows the loop: what comes after may rely on which thread ran which \
            iteration (OpenMP 5.2, 11.5.3)";
        ompt_chunk_last_read: LOOP_LAST_READ = 1 << 10,
            "something reads which thread ran the last iteration (`lastprivate`, `linear`)";
        ompt_chunk_divisible: LOOP_DIVISIBLE = 1 << 11, "cut into sub-blocks, the loop gives the same results, bit for bit";
        ompt_chunk_reassociated: LOOP_REASSOCIATED = 1 << 12, "cut into sub-blocks, its results may differ in their last bits, because the \
            compiler may reorder its floating-point operations. Neither this nor [`LOOP_DIVISIBLE`]: nobody looked";
        ompt_chunk_free: LOOP_FREE = 1 << 13, "no code of the program may rely on which thread runs which iteration: barriers stand before \
            and behind the loop";
        ompt_chunk_mapped: LOOP_MAPPED = 1 << 14, "the loop is one of a group whose loops give a thread the same iterations (OpenMP 5.2, \
            11.5.3): they may run under another static schedule only together. `group` says which they are";
        ompt_chunk_from_one: LOOP_FROM_ONE = 1 << 15, "the program asks the runtime for the iterations 1 to n of a loop with [`LOOP_DEALT`] \
            (flang, OpenMPIRBuilder): the runtime's dispatch events count from 1; chunk events from 0, as those of all loops";
        ompt_chunk_stock: LOOP_STOCK = 1 << 16, "the loop was compiled without the plugin: a thread runs the bounds that it gets when the \
            loop begins, and no others";
        ompt_chunk_told: LOOP_TOLD = 1 << 17, "the program tells ompchunk the variables that the runtime fills in";
    }
}

/// Numbers of reasons, and what says to a user which one it is.
macro_rules! reasons {
    ($( $(#[$about:meta])* $c:ident: $name:ident = $value:literal $(, $words:literal)?; )*) => {
        $(
            #[doc = concat!("`", stringify!($c), "`" $(, ": ", $words, ".")?)]
            $(#[doc = ""] #[$about])*
            pub const $name: u8 = $value;
        )*

        const fn words(number: u8) -> Option<&'static str> {
            match number {
                $( $( $name => Some($words), )? )*
                _ => None,
            }
        }
    };
}

/// What may rely on which thread runs which iteration of a loop that is not free.
pub mod bound {
    reasons! {
        /// A plugin without this knowledge made the record.
        ompt_chunk_bound_unknown: UNKNOWN = 0;
        ompt_chunk_bound_orphaned: ORPHANED = 1, "its function's callers may rely on who runs which iteration";
        ompt_chunk_bound_threadprivate: THREADPRIVATE = 2, "its region uses what each thread has of its own: threadprivate or \
            thread-local data, errno, the floating-point environment or its locale";
        ompt_chunk_bound_order: ORDER = 3, "an order clause may promise the same threads to another loop";
        ompt_chunk_bound_nowait: NOWAIT = 4, "code behind it, without a barrier, may rely on who ran which iteration";
        ompt_chunk_bound_pair: PAIR = 5, "another loop, without a barrier in between, may rely on the same threads";
        ompt_chunk_bound_thread_number: THREAD_NUMBER = 6, "its region asks for the thread's number";
        ompt_chunk_bound_own_memory: OWN_MEMORY = 7, "its region keeps results in memory of each thread's own";
        ompt_chunk_bound_call: CALL = 8, "its region calls functions that may rely on who runs which iteration";
        /// Threads of one team may run what several objects have of it, of which only some can run it under another schedule.
        ompt_chunk_bound_inline: INLINE = 9,
            "other objects may have its inline function without ompchunk, and a team run both";
        ompt_chunk_bound_stock: STOCK = 10,
            "it is not instrumented, so nothing shows what relies on who runs which iteration";
        ompt_chunk_bound_waiting: WAITING = 11,
            "an iteration may wait for another one, and so for the thread that runs it";
    }

    /// For the user: why the loop is not free.
    pub const fn sentence(bound: u8) -> &'static str {
        match words(bound) {
            Some(words) => words,
            None => "it was compiled by a plugin that did not look for what relies on who runs which iteration",
        }
    }
}

/// `ompt_chunk_group_loop_t`: a loop of a group, all in one function. `group` of a record leads to their number, four bytes, and to them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupLoop {
    /// Source line, 0 when compiled without line information.
    pub line: u32,
    /// Source column, 0 when unknown.
    pub column: u32,
    /// 1 if its schedule can be changed.
    pub changeable: u32,
}

const _: () = assert!(size_of::<GroupLoop>() == 12 && align_of::<GroupLoop>() == 4);

/// Why the schedule of a loop cannot be changed at run time.
pub mod fixed {
    reasons! {
        /// A plugin without this knowledge made the record.
        ompt_chunk_fixed_unknown: UNKNOWN = 0;
        ompt_chunk_fixed_distribute: DISTRIBUTE = 1, "it deals to the teams of a league";
        ompt_chunk_fixed_combined: COMBINED = 2, "it deals to teams and threads at once";
        ompt_chunk_fixed_ordered: ORDERED = 3, "its iterations take turns (ordered)";
        ompt_chunk_fixed_doacross: DOACROSS = 4, "its iterations wait for earlier ones (ordered with a parameter)";
        ompt_chunk_fixed_end: END = 5, "it is not clear where control leaves it after its last iteration";
        ompt_chunk_fixed_counted: COUNTED = 6, "it is compiled for coverage";
        ompt_chunk_fixed_strided: STRIDED = 7, "its steps are those from chunk to chunk";
        /// The user wanted the smallest code.
        ompt_chunk_fixed_unwanted: UNWANTED = 8, "it was compiled with OMPCHUNK_COPIES=report";
        ompt_chunk_fixed_shared: SHARED = 9, "its function has so many loops that they share their code";
        ompt_chunk_fixed_sections: SECTIONS = 10, "its iterations are sections";
        ompt_chunk_fixed_carried: CARRIED = 11, "a register carries a value from one iteration to the next";
        ompt_chunk_fixed_steps: STEPS = 12,
            "it is not instrumented, and its file may have loops that do not step from chunk to chunk";
    }

    /// For the user; none where there is nothing to say.
    pub const fn sentence(fixed: u8) -> Option<&'static str> {
        words(fixed)
    }
}

/// `ompt_chunk_loop_t`: the head of a record. Its strings stand in the same section, at a distance: nothing is relocated at load.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy)]
pub struct LoopRecord {
    /// Size of head and strings in bytes, a multiple of 8: the next record begins there.
    pub size: u32,
    /// [`CHUNK_ABI_VERSION`] of the plugin that emitted the record.
    pub abi_version: u16,
    /// [`CONSTRUCT_FOR`], [`CONSTRUCT_DISTRIBUTE`], [`CONSTRUCT_SECTIONS`] or [`CONSTRUCT_TEXT`].
    pub construct: u8,
    /// Width of the logical iteration variable, 32 or 64.
    pub bits: u8,
    /// `LOOP_*` flags.
    pub flags: u32,
    /// The `enum sched_type` that the compiler passes to `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`, with its modifiers.
    pub schedule: u32,
    /// Chunk size in logical iterations, if `LOOP_CHUNK_KNOWN`; else 0. What does not fit here, and in the next two, the program passes.
    pub chunk: i32,
    /// The user's first value, if `LOOP_START_KNOWN`; else 0. Of `variable_bits`, sign-extended: the IR does not tell its sign.
    pub start: i32,
    /// The user's step, if `LOOP_STEP_KNOWN`; else 0. Iteration `k` is `start + k * step`, modulo 2 to the power of `variable_bits`.
    pub step: i32,
    /// Source line, 0 when compiled without line information.
    pub line: u32,
    /// Distance of the function's name from the start of the record.
    pub function: i32,
    /// Distance of the source file's path from the start of the record; an empty string when unknown.
    pub file: i32,
    /// Source column, 0 when unknown.
    pub column: u16,
    /// Width of the user's variable, if anything is known of it; else 0.
    pub variable_bits: u8,
    /// Why the schedule cannot be changed, one of [`fixed`]; 0 if it can.
    pub fixed: u8,
    /// Why it is not free, one of [`bound`]; 0 if it is.
    pub bound: u8,
    /// Zero; for versions to come.
    pub reserved: u8,
    /// Offset of its group from the start of the record, if `LOOP_MAPPED`; else 0. A multiple of 4.
    pub group: u16,
}

/// The text that a record's `function` or `file` leads to; empty where the head stands.
///
/// # Safety
/// `record` is a loop record in its section, no copy, which stays as long as `'a`, and `distance` one of the two.
pub unsafe fn loop_text<'a>(record: *const LoopRecord, distance: i32) -> &'a CStr {
    if (0..size_of::<LoopRecord>() as i32).contains(&distance) {
        return c"";
    }
    // SAFETY: a terminated string of the same section, as the caller promises.
    unsafe { CStr::from_ptr(record.byte_offset(distance as isize).cast()) }
}

// Where its fields are, the crate of the ABI holds.
const _: () = assert!(size_of::<LoopRecord>() == 48 && align_of::<LoopRecord>() == 8);
