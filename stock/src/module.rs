//! The module record of this library, by which the shim knows it as it knows images of instrumented code.

use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use ompchunk_abi::{
    BeginFn, Frame, LISTENING, LISTENING_SCHEDULES, LoopRecord, MAGIC, ModuleRecord, RuntimeFunctions, StartFn, VERSION,
};

const NONE: RuntimeFunctions =
    RuntimeFunctions { static_init: ptr::null(), dispatch_init: ptr::null(), dispatch_next: ptr::null() };

/// The record, which is written before the program begins, but for its atomics.
#[repr(transparent)]
struct Module(UnsafeCell<ModuleRecord>);
// SAFETY: see above.
unsafe impl Sync for Module {}

static MODULE: Module = Module(UnsafeCell::new(ModuleRecord {
    magic: MAGIC,
    abi_version: VERSION,
    size: size_of::<ModuleRecord>() as u32,
    state: AtomicPtr::new(ptr::null_mut()),
    begin: AtomicPtr::new(ptr::null_mut()),
    unresolved: AtomicU32::new(LISTENING),
    nobody: AtomicU32::new(0),
    runtime: [NONE; 4],
    deinit: ptr::null(),
    entries: [const { AtomicPtr::new(ptr::null_mut()) }; 4],
    enter: [ptr::null(); 4],
    begin_trampoline: AtomicPtr::new(ptr::null_mut()),
}));

// By which the shim finds the record, as in images of the plugin's (`ompchunk_abi::Note`).
core::arch::global_asm!(
    ".pushsection .note.ompchunk,\"aR\",@note",
    ".balign 8",
    ".long 9, 8, 1",
    ".asciz \"ompchunk\"",
    ".balign 4",
    ".quad {module} - .",
    ".popsection",
    module = sym MODULE,
);

pub(crate) fn record() -> *mut ModuleRecord {
    MODULE.0.get()
}

/// Before the program begins: the runtime's functions, of loops of 32 bits, signed and not, and of 64 bits likewise.
pub(crate) fn begin(static_init: [usize; 4]) {
    let module = record();
    // SAFETY: there is no other thread yet, or none that knows the record.
    unsafe {
        for (kind, function) in static_init.into_iter().enumerate() {
            (*module).runtime[kind].static_init = ptr::with_exposed_provenance(function);
        }
        (*module).begin.store(unresolved as BeginFn as *mut (), Ordering::Release);
        (*module).state.store((&raw const (*module).unresolved).cast_mut(), Ordering::Release);
    }
}

/// What loops are entered by, if any may be changed.
pub(crate) fn entry() -> Option<BeginFn> {
    // SAFETY: atomics of a record that stays; the word is the shim's, whose library stays, too, or in the record.
    unsafe {
        let module = &*record();
        let word = module.state.load(Ordering::Relaxed).as_ref()?;
        if word.load(Ordering::Relaxed) & LISTENING_SCHEDULES == 0 {
            return None;
        }
        Some(core::mem::transmute::<*mut (), BeginFn>(module.begin.load(Ordering::Acquire)))
    }
}

/// `BeginFn` until a shim meets this library: loops run as compiled, and a shim that comes late knows that they have.
unsafe extern "C" fn unresolved(_: *mut Frame, _: *const LoopRecord, _: *const (), _: i32) -> Option<StartFn> {
    // SAFETY: as in `entry`.
    let module = unsafe { &*record() };
    let word = |word: &AtomicU32| ptr::from_ref(word).cast_mut();
    let (first, nobody) = (word(&module.unresolved), word(&module.nobody));
    let _ = module.state.compare_exchange(first, nobody, Ordering::AcqRel, Ordering::Acquire);
    None
}
