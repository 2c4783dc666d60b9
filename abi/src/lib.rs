//! What the compiler plugin emits and the shim reads: symbol names, record layouts, versions;
//! and the text of `OMPCHUNK_SCHEDULE` ([`overrides`]).
//!
//! Compiled programs read every structure here, so a change of size, offset, meaning or signature is a change of [`VERSION`];
//! the asserts beside each structure make a silent one fail to build.
//!
//! Life of a loop execution, in the words of these modules:
//!
//! 1. the program loads [`ModuleRecord::state`] and the word it points to; without
//!    [`LISTENING_LOOPS`] or [`LISTENING_SCHEDULES`] in it nobody listens, and the loop runs as the compiler wrote it;
//! 2. otherwise it calls [`ModuleRecord::begin`] with its [`LoopRecord`] and a [`Frame`] on its stack, with the loop's bounds, before
//!    `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`; if nobody is interested in this loop, it goes on as in 1;
//! 3. otherwise the runtime initialises the loop: by a [`StartFn`], of a static loop whose schedule can be changed, else by
//!    the program's own call; then the program calls [`Frame::advance`];
//! 4. per chunk of a loop over chunks it calls [`Frame::chunk`], and [`Frame::bookkeeping`] where the bookkeeping for one begins;
//! 5. before `__kmpc_for_static_fini`, or where control leaves a loop whose chunks the runtime deals in the source, if [`Frame::on`]
//!    is not 0, it calls [`Frame::leave`], or, at the one end of a loop that can be changed, [`Frame::advance`] once more: that says whether
//!    the bounds have more for it to run, and both whether fini is skipped.
//!
//! The creation of a task needs no frame, only its place on the stack: see [`BeginFn`].

/// A silent change of where fields are fails to build.
macro_rules! offsets {
    ($record:ident: $($field:ident $offset:literal),+) => {
        const _: () = { $(assert!(core::mem::offset_of!($record, $field) == $offset);)+ };
    };
}

mod frame;
mod module_record;
mod note;
pub mod overrides;
pub mod run;
pub mod stock;

pub use frame::{
    AdvanceFn, BookkeepingFn, ChunkFn, ENDS, FRAME_ALIGN, FRAME_SIZE, Frame, HAS_ENDED, LoopIdent, RUNS_MORE,
};
pub use module_record::{
    BeginFn, CONNECTED, CREATED, CREATES_ANY, CREATES_ONE, ConnectFn, LISTENING, LISTENING_LOOPS, LISTENING_SCHEDULES,
    LISTENING_TASKS, MAGIC, ModuleRecord, ON_CHANGED, ON_LISTENING, ON_TIMED, REFUSED, REFUSED_MARK, RuntimeFunctions,
    START_ROOM, StartFn, WAITS,
};
pub use note::{NOTE_MODULE, NOTE_NAME, NOTE_SECTION, Note};
pub use ompt::raw::{
    CONSTRUCT_DISTRIBUTE, CONSTRUCT_FOR, CONSTRUCT_SECTIONS, CONSTRUCT_TEXT, GroupLoop, LOOP_CHANGEABLE,
    LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT, LOOP_DIVISIBLE, LOOP_FREE, LOOP_FROM_ONE, LOOP_LAST_READ, LOOP_MAPPED,
    LOOP_NO_BARRIER, LOOP_REASSOCIATED, LOOP_SIGNED, LOOP_START_KNOWN, LOOP_START_PASSED, LOOP_STEP_KNOWN,
    LOOP_STEP_PASSED, LOOP_STOCK, LOOP_TOLD, LoopRecord, bound, fixed, loop_text,
};
pub use ompt::sched_type;

/// Bytes of the number that a group of loops begins with, a `u32`.
pub const GROUP_HEAD: usize = 4;

/// Bytes of the head of a text record, a [`LoopRecord`]'s with the construct 0. Loops of one function or file share it.
pub const TEXT_HEAD: usize = 8;
const _: () = assert!(core::mem::offset_of!(LoopRecord, flags) == TEXT_HEAD);
offsets!(
    LoopRecord: size 0, abi_version 4, construct 6, bits 7, flags 8, schedule 12, chunk 16, start 20, step 24, line 28, function 32, file 36,
    column 40, variable_bits 42, fixed 43, bound 44, reserved 45, group 46
);

/// Version of everything here that compiled programs read.
pub const VERSION: u32 = 4;

// Tools know the loop record by the same number.
const _: () = assert!(VERSION == ompt::raw::CHUNK_ABI_VERSION);

/// The module record's symbol: hidden and `linkonce_odr`, one per linked image. Versioned, as objects of two
/// versions may meet in a link.
pub const MODULE_SYMBOL: &str = "__ompchunk_module_v4";

/// The resolver stub's symbol, the first value of [`ModuleRecord::begin`]; hidden, `linkonce_odr`.
pub const RESOLVER_SYMBOL: &str = "__ompchunk_resolve_v4";

/// What loops call: puts the image's record into the frame and goes on in [`ModuleRecord::begin`]; hidden, `linkonce_odr`.
pub const BEGIN_SYMBOL: &str = "__ompchunk_begin_v4";

/// What static loops that can be changed call as `__kmpc_for_static_init_*`, with a [`LoopIdent`] and the bounds in the frame: go on in the
/// runtime as compiled, if nobody listens; hidden, `linkonce_odr`, and weak where a module has no such loop.
pub const ENTER_SYMBOLS: [&str; 4] =
    ["__ompchunk_enter_4_v4", "__ompchunk_enter_4u_v4", "__ompchunk_enter_8_v4", "__ompchunk_enter_8u_v4"];

/// The first value of [`ModuleRecord::begin_trampoline`]: asks `begin`, and goes on in the runtime by its [`StartFn`] or as compiled.
pub const ENTER_ASKING_SYMBOL: &str = "__ompchunk_enter_asking_v4";

/// The shim's one entry point, a [`ConnectFn`]. Not versioned: the shim says so when a program's version does not fit.
pub const CONNECT_SYMBOL: &str = "__ompchunk_connect";

/// What a program has inside that was linked with its schedules: text as in `OMPCHUNK_SCHEDULE`, which a zero ends.
pub const SCHEDULES_SYMBOL: &str = "__ompchunk_schedules";

/// ELF section of an image's [`LoopRecord`]s. A C identifier: linkers provide `__start_` and `__stop_`, and AddressSanitizer
/// leaves it without red zones.
pub const LOOPS_SECTION: &str = "ompchunk_loops";

/// Environment variable that makes the shim explain itself on stderr.
pub const VERBOSE_ENV: &str = "OMPCHUNK_VERBOSE";

/// A file in which the shim keeps for the next run what it learned of loops under `balanced` and `adaptive`.
pub const LEARNED_ENV: &str = "OMPCHUNK_LEARNED";
