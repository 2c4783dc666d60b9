//! `__ompchunk_connect`: a linked image of instrumented code meets the shim.
//!
//! Right at any time, also before or without a tool: the image then finds that nobody listens. Whenever a runtime looks
//! for a tool, [`adopt`] has every image ask again, those too that asked before the shim was there.
//!
//! Instrumented code comes here from its first loop, on any thread, also while another runs a library's constructors:
//! see `loaded` for what that forbids.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::panic::catch_unwind;

use ompchunk_abi::{
    CONNECTED, EnterFn, Frame, LISTENING_SCHEDULES, LoopRecord, MAGIC, ModuleRecord, REFUSED,
    REFUSED_MARK, VERSION,
};

use crate::changed::{enter_changed, enter_elsewhere};
use crate::hooks::{self, enter, enter_counted};
use crate::served::{self, Home};
use crate::table::TABLE;
use crate::{loaded, met, record, report, schedules, tally};

/// The entry point that instrumented code looks up: a `ConnectFn`.
///
/// # Safety
///
/// `module` is null or points to the module record of an image that stays loaded while its loops
/// run. Of a record of a foreign version only the first 16 bytes are read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ompchunk_connect(module: *mut ModuleRecord) -> u32 {
    // SAFETY: passed on.
    catch_unwind(|| unsafe { connect(module) }).unwrap_or(REFUSED)
}

/// # Safety
///
/// As for [`__ompchunk_connect`].
unsafe fn connect(module: *mut ModuleRecord) -> u32 {
    if module.is_null() {
        return REFUSED;
    }
    // SAFETY: passed on.
    let (magic, version, size) = unsafe { head(module) };
    if !is_ours(magic, version, size) {
        refuse(&path_of(module), magic, version, size);
        return REFUSED;
    }
    // Before its loops are entered: they may stand where those of an image stood that is gone.
    met::another();
    let address = module.cast::<c_void>().cast_const();
    // SAFETY: a record of our version, all of whose other fields are atomic.
    let module = unsafe { &*module };
    schedules::settle();
    if let Home::Elsewhere(other) = served::home(address) {
        served::say_elsewhere(&path_of(module), other);
        // Which runtime is served may change in the middle of a loop, what becomes of the loop must not.
        let (word, entry) = match schedules::any() {
            true => (TABLE.listening(), enter_elsewhere as EnterFn),
            false => (&module.nobody, stay as EnterFn),
        };
        let word = ptr::from_ref(word).cast_mut();
        record::publish(&module.state, &module.enter, word, entry as *mut ());
        return CONNECTED;
    }
    let entry = match schedules::any() {
        true => enter_changed,
        false => hooks::usual(),
    };
    let word = ptr::from_ref(TABLE.listening()).cast_mut();
    if record::publish(&module.state, &module.enter, word, entry as *mut ()) {
        tally::module();
        if report::verbose() {
            report::explain(format_args!(
                "instrumented code in {} connected",
                path_of(module)
            ));
        }
        served::say_if_never_asked(|| path_of(module));
    }
    CONNECTED
}

/// `EnterFn` of an image that another runtime runs: as compiled.
unsafe extern "C" fn stay(
    _: *const ModuleRecord,
    _: *const LoopRecord,
    _: *mut Frame,
    _: i64,
    _: i64,
) -> u32 {
    0
}

/// `EnterFn` of an image that shall ask: it connects, and goes on as whatever it has become.
///
/// # Safety
///
/// As for `hooks::enter`; `module` is a record of our version.
unsafe extern "C" fn meet(
    module: *const ModuleRecord,
    the_loop: *const LoopRecord,
    frame: *mut Frame,
    start: i64,
    step: i64,
) -> u32 {
    // SAFETY: passed on; the record is writable, whatever it is passed as.
    if unsafe { __ompchunk_connect(module.cast_mut()) } != CONNECTED {
        return 0;
    }
    // SAFETY: a record of our version, which has just been filled in.
    let entry = unsafe { &*module }.enter.load(Ordering::Acquire);
    for ours in [
        enter as EnterFn,
        enter_counted,
        enter_changed,
        enter_elsewhere,
    ] {
        if entry == ours as *mut () {
            // SAFETY: passed on.
            return unsafe { ours(module, the_loop, frame, start, step) };
        }
    }
    // Just now it was told to ask again. A changed loop must not wait for that: the rest of the team may run it already.
    match schedules::any() {
        // SAFETY: passed on.
        true => unsafe { enter_changed(module, the_loop, frame, start, step) },
        false => 0,
    }
}

/// Has every instrumented image that is loaded ask at its next loop, whatever it was told before.
pub(crate) fn adopt() {
    loaded::records(|module, image| {
        // SAFETY: the image's note leads there, to memory of the image's.
        let (magic, version, size) = unsafe { head(module) };
        if magic != MAGIC {
            return;
        }
        if !is_ours(magic, version, size) {
            refuse(&image.path(), magic, version, size);
            // SAFETY: `size` stays where it is in every version, aligned, in memory that the image writes too.
            let size = unsafe { AtomicU32::from_ptr(&raw mut (*module).size) };
            size.fetch_or(REFUSED_MARK, Ordering::Relaxed);
            return;
        }
        // SAFETY: a record of our version, all of whose other fields are atomic. The image stays loaded meanwhile.
        let module = unsafe { &*module };
        if is_changed_by_another(module) {
            return;
        }
        let unresolved = (&raw const module.unresolved).cast_mut();
        let entry = meet as EnterFn as *mut ();
        record::ask_again(&module.state, &module.enter, unresolved, entry);
    });
}

/// Does another copy of this library change the schedules of the image's loops? Then it keeps the image, whose threads may be
/// in the middle of such a loop.
fn is_changed_by_another(module: &ModuleRecord) -> bool {
    let word = module.state.load(Ordering::Acquire).cast_const();
    let own = [
        ptr::from_ref(TABLE.listening()),
        &raw const module.nobody,
        &raw const module.unresolved,
    ];
    // SAFETY: null, or a word of a shim that is connected: such a library stays loaded.
    !own.contains(&word)
        && unsafe { word.as_ref() }
            .is_some_and(|word| word.load(Ordering::Acquire) & LISTENING_SCHEDULES != 0)
}

/// A shim that the program brings, or that comes late, adopts what is there.
extern "C" fn at_load() {
    let _ = catch_unwind(adopt);
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

/// Magic, version and size: these three stay where they are in every version, and never change.
///
/// # Safety
///
/// `module` points to a module record of any version.
unsafe fn head(module: *const ModuleRecord) -> (u64, u32, u32) {
    // SAFETY: see the caller's obligation.
    unsafe {
        (
            (&raw const (*module).magic).read(),
            (&raw const (*module).abi_version).read(),
            (&raw const (*module).size).read() & !REFUSED_MARK,
        )
    }
}

fn is_ours(magic: u64, version: u32, size: u32) -> bool {
    magic == MAGIC && version == VERSION && size as usize == size_of::<ModuleRecord>()
}

fn refuse(path: &str, magic: u64, version: u32, size: u32) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let ours = loaded::here().and_then(loaded::path_of);
    let ours = ours.map_or_else(String::new, |path| format!(" ({path})"));
    if magic == MAGIC && version != VERSION {
        report::complain(format_args!(
            "{path} was compiled by an ompchunk plugin with ABI version {version}, this shim{ours} \
             speaks version {VERSION}; its loops run without events. Rebuild it with the plugin of \
             this shim, or install the shim of that plugin"
        ));
    } else {
        report::complain(format_args!(
            "{path} offers a module record that is none of ABI version {VERSION} (magic {magic:#x}, \
             {size} bytes), this shim{ours} ignores it; its loops run without events. Rebuild it \
             with the plugin of this shim"
        ));
    }
}

fn path_of(module: *const ModuleRecord) -> String {
    loaded::start_of(module.cast::<c_void>())
        .and_then(loaded::path_of)
        .unwrap_or_else(|| "the program".to_owned())
}
