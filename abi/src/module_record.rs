//! The module record: where a linked image asks whether anybody listens.

use core::mem::{offset_of, size_of};
use core::sync::atomic::{AtomicPtr, AtomicU32};

use crate::{Frame, LoopRecord};

/// First word of every module record, `ompchunk` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"ompchunk");

/// Somebody listens to loops: a bit of the word that [`ModuleRecord::state`] points to.
pub const LISTENING_LOOPS: u32 = 1 << 0;
/// Somebody listens to the creation of tasks.
pub const LISTENING_TASKS: u32 = 1 << 1;
/// Some loops may run under another schedule than the one in the source. The shim sets it before the runtime has any team,
/// and never takes it away: all threads of a team see the same.
pub const LISTENING_SCHEDULES: u32 = 1 << 2;
/// All of them.
pub const LISTENING: u32 = LISTENING_LOOPS | LISTENING_TASKS | LISTENING_SCHEDULES;

/// `enter` was asked before `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`. Returns 0 to run the loop as compiled, else
/// a combination of [`ENTER_LISTENING`], [`ENTER_TIMED`], [`ENTER_DEALT`] and [`ENTER_STEPPED`] with the frame filled in.
///
/// `start` and `step` are the user's, as [`LoopRecord::start`] describes them, where the record's flags
/// say `LOOP_START_PASSED` and `LOOP_STEP_PASSED`; else 0.
///
/// In place of a loop record stands one of four small numbers where it is about a task: [`CREATES_ONE`] or
/// [`CREATES_ANY`] before the call that allocates it, [`CREATED`] after the call that hands it over, [`WAITS`] before and
/// after each wait for its dependences that the compiler puts in between. `frame` is then no frame but the value of the
/// stack pointer, the same in all these calls of one creation: a creation needs no memory of the program's. `start` and
/// `step` hold nothing, and the answer means nothing: what is said of a creation that did not begin, or was
/// given up, is ignored, so the program may look at the word anew each time.
pub type EnterFn = unsafe extern "C" fn(
    module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32;

/// The task is handed over, and perhaps has run.
pub const CREATED: usize = 0;
/// Until [`CREATED`] the program creates one task and runs nothing that could create or run another, but for
/// the waits for its dependences.
pub const CREATES_ONE: usize = 1;
/// Several tasks may be created, or others in between.
pub const CREATES_ANY: usize = 2;
/// A wait begins or ends.
pub const WAITS: usize = 3;

/// The program takes the instrumented loop and calls `chunk` and `leave`.
pub const ENTER_LISTENING: u32 = 1 << 0;
/// The program also calls `bookkeeping`. Never set without [`ENTER_LISTENING`].
pub const ENTER_TIMED: u32 = 1 << 1;

/// The runtime deals this execution under the schedule in [`Frame::schedule`] and [`Frame::size_then_last`]: the program calls
/// `__kmpc_dispatch_init_*` instead of the call that stands in the loop, runs the chunks that [`Frame::next`] gives, and
/// skips `__kmpc_for_static_fini`. Only for records with `LOOP_CHANGEABLE`, and for all threads of a team or none.
pub const ENTER_DEALT: u32 = 1 << 2;

/// The execution runs under `static` or `static,c`: likewise, but the program calls `__kmpc_for_static_init_*` with that
/// schedule, asks a [`crate::StepsFn`] for the first chunk, and calls `__kmpc_for_static_fini`. It asks for each further chunk, too,
/// but without [`ENTER_LISTENING`] steps itself: by the stride, as long as that does not lead behind [`Frame::size_then_last`].
/// Never together with [`ENTER_DEALT`], and not for records with `LOOP_DEALT`.
pub const ENTER_STEPPED: u32 = 1 << 3;

/// The shim's entry point [`crate::CONNECT_SYMBOL`]: fills in the record, or refuses it and leaves it
/// untouched. Returns [`CONNECTED`] or [`REFUSED`].
pub type ConnectFn = unsafe extern "C" fn(module: *mut ModuleRecord) -> u32;

/// `connect` filled in the record.
pub const CONNECTED: u32 = 0;
/// `connect` does not understand the record; it has told the user why.
pub const REFUSED: u32 = 1;

/// A bit of [`ModuleRecord::size`], which a shim sets that does not understand the record and has told the user why.
/// The stub then need not say that there is none.
pub const REFUSED_MARK: u32 = 1 << 31;

/// One per linked image, writable.
///
/// `state` is a pointer to the word to test rather than the word itself: the shim then switches
/// every image with one store, keeps no list of images, and an image that is `dlclose`d takes
/// nothing with it that the shim would write to.
///
/// `magic` to `size` stay where they are in every version: `connect` reads them first.
#[repr(C)]
#[derive(Debug)]
pub struct ModuleRecord {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`crate::VERSION`] of the plugin that emitted the record.
    pub abi_version: u32,
    /// Size of this record in bytes, and perhaps [`REFUSED_MARK`].
    pub size: u32,
    /// The word that says whether anybody listens, and to what (`LISTENING_*`). First `unresolved`; then a word of the shim's, of which
    /// some only have the image ask again; or `nobody`, when there is no shim or it does not serve the image.
    pub state: AtomicPtr<AtomicU32>,
    /// An [`EnterFn`]. First the resolver stub, then the shim's.
    pub enter: AtomicPtr<()>,
    /// Always [`LISTENING`]: somebody may listen, ask `enter`.
    pub unresolved: AtomicU32,
    /// Always 0: nobody listens, until `state` leads elsewhere.
    pub nobody: AtomicU32,
}

const _: () = {
    assert!(size_of::<usize>() != 8 || size_of::<ModuleRecord>() == 40);
    assert!(offset_of!(ModuleRecord, magic) == 0);
    assert!(offset_of!(ModuleRecord, abi_version) == 8);
    assert!(offset_of!(ModuleRecord, size) == 12);
    assert!(offset_of!(ModuleRecord, state) == 16);
    assert!(size_of::<usize>() != 8 || offset_of!(ModuleRecord, enter) == 24);
    assert!(size_of::<usize>() != 8 || offset_of!(ModuleRecord, unresolved) == 32);
    assert!(size_of::<usize>() != 8 || offset_of!(ModuleRecord, nobody) == 36);
};
