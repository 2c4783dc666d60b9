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
/// Some loops may run under another schedule. Set before the runtime has any team, and for good: all threads see the same.
pub const LISTENING_SCHEDULES: u32 = 1 << 2;
pub const LISTENING: u32 = LISTENING_LOOPS | LISTENING_TASKS | LISTENING_SCHEDULES;

/// A thread is about to run a loop: the program asks before `__kmpc_for_static_init_*` or `__kmpc_dispatch_init_*`, with the first two
/// arguments of that call. Returns null to run the loop as compiled, without another word of it: then [`Frame::on`] is 0. Else the frame
/// is filled in, and [`Frame::on`] a combination of [`ON_LISTENING`], [`ON_TIMED`] and [`ON_CHANGED`].
///
/// Of loops with [`crate::LOOP_TOLD`] the frame has the bounds. Then
///
/// - of a loop with [`crate::LOOP_CHANGEABLE`] that is not dealt in the source, the program calls what is returned in place of its own
///   call of the runtime, then [`Frame::advance`], runs what the bounds say, and calls that again;
/// - the shim itself reports the chunk of a loop without a chunk size.
///
/// Other loops call the runtime themselves, of those that are dealt in the source the changeable ones with the schedule and the
/// chunk size that the frame says, and then [`Frame::advance`], if they are not dealt in the source.
///
/// In place of a loop record stands one of four small numbers where it is about a task: [`CREATES_ONE`] or
/// [`CREATES_ANY`] before the call that allocates it, [`CREATED`] after the call that hands it over, [`WAITS`] before and
/// after each wait for its dependences that the compiler puts in between. `frame` is then no frame but the value of the
/// stack pointer, the same in all these calls of one creation: a creation needs no memory of the program's. `ident` is the image's
/// record; the arguments behind it hold nothing, and the answer means nothing: what is said of a creation that did not begin, or was
/// given up, is ignored, so the program may look at the word anew each time.
pub type BeginFn = unsafe extern "C" fn(
    frame: *mut Frame,
    loop_record: *const LoopRecord,
    ident: *const (),
    thread: i32,
) -> Option<StartFn>;

/// Goes on in the runtime's function that initialises the loop, with arguments that the shim knows, and returns from there to the program:
/// so tools are told the program's own address. Behind `frame` come [`START_ROOM`] pointers that hold nothing.
pub type StartFn = unsafe extern "C" fn(frame: *mut Frame);

/// With `frame`, as many arguments as `__kmpc_for_static_init_*` has.
pub const START_ROOM: usize = 8;

/// The task is handed over, and perhaps has run.
pub const CREATED: usize = 0;
/// Until [`CREATED`] the program creates one task, and runs no other but in the waits for its dependences.
pub const CREATES_ONE: usize = 1;
/// Several tasks may be created, or others in between.
pub const CREATES_ANY: usize = 2;
/// A wait begins or ends.
pub const WAITS: usize = 3;

/// Each chunk of a loop over chunks is reported.
pub const ON_LISTENING: u32 = 1 << 1;
/// The program also calls `bookkeeping`. Never set without [`ON_LISTENING`].
pub const ON_TIMED: u32 = 1 << 2;
/// The execution runs under another schedule: a loop over chunks is left after each chunk as after its last one, and ends where
/// [`Frame::advance`] says so. Only for records with `LOOP_CHANGEABLE`, and for all threads of a team or none.
pub const ON_CHANGED: u32 = 1 << 3 | 1 << 4;

/// [`crate::CONNECT_SYMBOL`]: fills in the record, or refuses it untouched. Returns [`CONNECTED`] or [`REFUSED`].
pub type ConnectFn = unsafe extern "C" fn(module: *mut ModuleRecord) -> u32;

pub const CONNECTED: u32 = 0;
/// `connect` does not understand the record; it has told the user why.
pub const REFUSED: u32 = 1;

/// A bit of [`ModuleRecord::size`]: a shim has refused the record, and said why, so stubs of version 3 do not miss one.
pub const REFUSED_MARK: u32 = 1 << 31;

/// One per linked image, writable. `state` is a pointer to the word to test: so the shim switches every image with one store,
/// keeps no list of images, and one that is `dlclose`d takes nothing with it that the shim would write to.
/// `magic` to `size` stay where they are in every version: `connect` reads them first.
#[repr(C)]
pub struct ModuleRecord {
    pub magic: u64,
    /// [`crate::VERSION`] of the plugin that emitted the record.
    pub abi_version: u32,
    /// Size of this record in bytes, and perhaps [`REFUSED_MARK`].
    pub size: u32,
    /// The word that says whether anybody listens, and to what (`LISTENING_*`). First `unresolved`; then a word of the shim's, of which
    /// some only have the image ask again; or `nobody`, when there is no shim or it does not serve the image.
    pub state: AtomicPtr<AtomicU32>,
    /// A [`BeginFn`]. First the resolver stub, then the shim's.
    pub begin: AtomicPtr<()>,
    /// Always [`LISTENING`]: somebody may listen, ask `begin`.
    pub unresolved: AtomicU32,
    /// Always 0: nobody listens, until `state` leads elsewhere.
    pub nobody: AtomicU32,
    /// The runtime's functions for loops of 32 bits, signed and not, and of 64 bits likewise. Null where the image's runtime has none.
    pub runtime: [RuntimeFunctions; 4],
    /// `__kmpc_dispatch_deinit`, or null.
    pub deinit: *const (),
    /// What static loops that can be changed call in place of [`RuntimeFunctions::static_init`], in the same order: `enter`, or the runtime's
    /// functions while nobody listens nor can before `state` leads elsewhere. Whoever leads it there puts `enter` back behind that.
    pub entries: [AtomicPtr<()>; 4],
    /// [`crate::ENTER_SYMBOLS`], null where the image has no such loop.
    pub enter: [*const (); 4],
    /// Where they go on if somebody listens, with the image's record in the frame and all else as they were called. First
    /// [`crate::ENTER_ASKING_SYMBOL`], which asks `begin`; then perhaps the shim's.
    pub begin_trampoline: AtomicPtr<()>,
}

// SAFETY: what is no atomic is constant.
unsafe impl Sync for ModuleRecord {}

impl ModuleRecord {
    /// Where the entry is for loops of one type, as [`ModuleRecord::runtime`] counts them.
    pub const fn entry_at(kind: usize) -> usize {
        offset_of!(ModuleRecord, entries) + kind * size_of::<*const ()>()
    }

    /// Where the runtime's function is that it stands for.
    pub const fn static_init_at(kind: usize) -> usize {
        let of_kind = kind * size_of::<RuntimeFunctions>();
        offset_of!(ModuleRecord, runtime) + of_kind + offset_of!(RuntimeFunctions, static_init)
    }
}

/// The runtime's functions for loops of one type, as the image's own calls are bound.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RuntimeFunctions {
    /// `__kmpc_for_static_init_*`
    pub static_init: *const (),
    /// `__kmpc_dispatch_init_*`
    pub dispatch_init: *const (),
    /// `__kmpc_dispatch_next_*`
    pub dispatch_next: *const (),
}

const _: () = assert!(size_of::<usize>() != 8 || size_of::<ModuleRecord>() == 216);
offsets!(ModuleRecord: magic 0, abi_version 8, size 12, state 16);
#[cfg(target_pointer_width = "64")]
offsets!(
    ModuleRecord: begin 24, unresolved 32, nobody 36, runtime 40, deinit 136, entries 144, enter 176, begin_trampoline 208
);
