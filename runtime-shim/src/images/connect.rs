//! `__ompchunk_connect`: a linked image of instrumented code meets the shim.
//!
//! Right at any time, also before or without a tool: the image then finds that nobody listens. Whenever a runtime looks
//! for a tool, [`adopt`] has every image ask again, those too that asked before the shim was there.
//!
//! Instrumented code comes here from its first loop, on any thread, also while another runs a library's constructors:
//! see `images` for what that forbids.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::panic::catch_unwind;

use ompchunk_abi::{
    BeginFn, CONNECTED, Frame, LISTENING_LOOPS, LISTENING_SCHEDULES, LISTENING_TASKS, LoopRecord, MAGIC, ModuleRecord,
    REFUSED, REFUSED_MARK, StartFn, VERSION, WAITS,
};
use ompchunk_guest::door;

use crate::hooks::begin::{begin_changed, begin_elsewhere, begin_learned};
use crate::images::runtime_choice::Home;
use crate::record::{Known, Words};
use crate::registered_callbacks::CALLBACKS;
use crate::{hooks::begin, images, images::runtime_choice, overrides, record, start::report, thread::numbers};

/// What `state` leads to while an image shall ask: all that makes it ask.
static ASKS: AtomicU32 = AtomicU32::new(LISTENING_LOOPS | LISTENING_TASKS);
static ASKS_LATE: AtomicU32 = AtomicU32::new(LISTENING_LOOPS | LISTENING_TASKS);

/// There are orders for schedules. Another copy of this library leaves the images to this one that ask it.
pub(crate) fn promise() {
    for word in [&ASKS, &ASKS_LATE] {
        word.fetch_or(LISTENING_SCHEDULES, Ordering::Release);
    }
}

fn words(module: &ModuleRecord) -> Words<AtomicU32> {
    let of = |word: *const AtomicU32| word.cast_mut();
    Words {
        unresolved: of(&raw const module.unresolved),
        nobody: of(&raw const module.nobody),
        listening: of(CALLBACKS.listening()),
        asks: of(&raw const ASKS),
        asks_late: of(&raw const ASKS_LATE),
    }
}

/// The entry point that instrumented code looks up: a `ConnectFn`. Safety: `module` is null or the record of an image that
/// stays loaded while its loops run. Of a record of a foreign version only the first 16 bytes are read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ompchunk_connect(module: *mut ModuleRecord) -> u32 {
    // SAFETY: passed on.
    let begin = catch_unwind(|| unsafe { connect(module) });
    if let Ok(Some(_)) = begin { CONNECTED } else { REFUSED }
}

/// What the thread that asks goes on with; nothing, if the record is none. Safety: as for [`__ompchunk_connect`].
unsafe fn connect(module: *mut ModuleRecord) -> Option<BeginFn> {
    if module.is_null() {
        return None;
    }
    // SAFETY: passed on.
    let (magic, version, size) = unsafe { head(module) };
    if !is_ours(magic, version, size) {
        refuse(&path_of(module), magic, version, size);
        return None;
    }
    // Before its loops are entered: they may stand where those of an image stood that is gone.
    numbers::count_image();
    let address = module.cast::<c_void>().cast_const();
    // SAFETY: a record of our version, all of whose other fields are atomic.
    let module = unsafe { &*module };
    overrides::settle();
    let home = runtime_choice::home(address);
    if let Home::Elsewhere(runtime) = home {
        runtime_choice::say_elsewhere(&path_of(module), runtime);
    }
    let known = words(module).known(&module.state);
    if known == Known::Anothers {
        return Some(anothers(module));
    }
    let (word, entry) = word_and_entry(module, home, known);
    let before = module.begin.load(Ordering::Acquire);
    put_trampoline(module, entry);
    let has_new_word = record::publish(&module.state, &module.begin, word.cast_mut(), entry as *mut ());
    set_entries(module, word);
    // Where the word stays as it is, the entry is the news.
    let is_news = if ptr::eq(word, &raw const ASKS_LATE) { before != entry as *mut () } else { has_new_word };
    if is_news && !matches!(home, Home::Elsewhere(_)) {
        report::count_module();
        if report::verbose() {
            report::explain(format_args!("instrumented code in {} connected", path_of(module)));
        }
        runtime_choice::say_if_never_asked(|| path_of(module));
    }
    Some(entry)
}

/// What goes with an entry, before that.
fn put_trampoline(module: &ModuleRecord, entry: BeginFn) {
    #[cfg(target_arch = "x86_64")]
    module.begin_trampoline.store(crate::hooks::begin_trampolines::trampoline_of(entry), Ordering::Release);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (module, entry);
}

/// Has the image's static loops ask, or call the runtime where nobody can come to listen unless all images ask again.
fn set_entries(module: &ModuleRecord, word: *const AtomicU32) {
    let asks = runtime_choice::may_listen() || overrides::any();
    if !asks {
        record::set_entries(&module.entries, |kind| module.runtime[kind].static_init);
    }
    if asks || !record::still_leads(&module.state, word.cast_mut()) {
        record::set_entries(&module.entries, |kind| module.enter[kind]);
    }
}

/// The image's word and entry from now on. Which runtime is served may change within a loop, what becomes of it must not.
fn word_and_entry(module: &ModuleRecord, home: Home, known: Known) -> (*const AtomicU32, BeginFn) {
    let listening = ptr::from_ref(CALLBACKS.listening());
    match (home, overrides::any()) {
        // A runtime that looks for a tool has no team yet. Others may, a part of which runs a loop as compiled.
        (Home::Elsewhere(_) | Home::Unknown, true) if known == Known::Late => {
            overrides::say_late(|| path_of(module));
            match home {
                Home::Elsewhere(_) => (&raw const module.nobody, stay),
                // The word stays, so that this stays known.
                _ => (&raw const ASKS_LATE, begin::unchanged()),
            }
        }
        (Home::Elsewhere(_), true) => (listening, begin_elsewhere),
        // Its threads may be another runtime's: of those the one that is served knows no team.
        (Home::Unknown, true) if runtime_choice::has_second() => (listening, begin_elsewhere),
        (_, true) if overrides::learns() => (listening, begin_learned),
        (_, true) => (listening, begin_changed),
        (Home::Elsewhere(_), false) => (&raw const module.nobody, stay),
        (_, false) => (listening, begin::unchanged()),
    }
}

/// What a thread goes on with whose image another copy of this library has taken meanwhile: what the rest of its team does.
fn anothers(module: &ModuleRecord) -> BeginFn {
    let entry = module.begin.load(Ordering::Acquire);
    // It comes before the other's word: this is ours only while we have the image ask again.
    if entry == meet as BeginFn as *mut () {
        return stay;
    }
    // SAFETY: an entry of the ABI's version, whose library stays loaded, since the image's word leads there.
    unsafe { core::mem::transmute::<*mut (), BeginFn>(entry) }
}

/// `BeginFn` of an image that another runtime runs: as compiled. Safety: as for `begin::begin`.
unsafe extern "C" fn stay(_: *mut Frame, _: *const LoopRecord, _: *const (), _: i32) -> Option<StartFn> {
    None
}

/// `BeginFn` of an image that shall ask: it connects, and goes on as whatever it has become.
/// Safety: as for `begin::begin`.
unsafe extern "C" fn meet(
    frame: *mut Frame,
    loop_record: *const LoopRecord,
    ident: *const (),
    thread: i32,
) -> Option<StartFn> {
    let module = match loop_record.addr() <= WAITS {
        true => ident.cast::<ModuleRecord>(),
        // SAFETY: the caller's promise.
        false => unsafe { (&raw const (*frame).module).cast::<*const ModuleRecord>().read() },
    };
    // SAFETY: passed on; the record is writable, whatever it is passed as.
    let begin = match catch_unwind(|| unsafe { connect(module.cast_mut()) }) {
        // Not what the record now says: another copy of this library may just have it ask again, when the rest of the team
        // runs the loop as it was decided here.
        Ok(Some(begin)) => begin,
        _ => stay,
    };
    // SAFETY: passed on.
    unsafe { begin(frame, loop_record, ident, thread) }
}

/// Has every instrumented image that is loaded ask at its next loop, whatever it was told before.
pub(crate) fn adopt() {
    images::records(|module, image| {
        // SAFETY: the image's note leads there, to memory of the image's.
        let (magic, version, size) = unsafe { head(module) };
        if !is_ours(magic, version, size) {
            refuse(&image.path(), magic, version, size);
            if magic == MAGIC {
                // SAFETY: `size` stays where it is in every version, aligned, in memory that the image writes too.
                let size = unsafe { AtomicU32::from_ptr(&raw mut (*module).size) };
                size.fetch_or(REFUSED_MARK, Ordering::Relaxed);
            }
            return;
        }
        // SAFETY: a record of our version, all of whose other fields are atomic. The image stays loaded meanwhile.
        let module = unsafe { &*module };
        if is_changed_by_another(module) {
            return;
        }
        put_trampoline(module, meet);
        words(module).ask_again(&module.state, &module.begin, meet as BeginFn as *mut ());
        record::set_entries(&module.entries, |kind| module.enter[kind]);
    });
}

/// Does another copy of this library change the image's schedules? Then it keeps the image, whose threads may be in a loop.
fn is_changed_by_another(module: &ModuleRecord) -> bool {
    let word = module.state.load(Ordering::Acquire).cast_const();
    let own =
        [ptr::from_ref(CALLBACKS.listening()), &raw const module.unresolved, &raw const ASKS, &raw const ASKS_LATE];
    // SAFETY: null, or a word of a shim that is connected: such a library stays loaded.
    !own.contains(&word)
        && unsafe { word.as_ref() }.is_some_and(|word| word.load(Ordering::Acquire) & LISTENING_SCHEDULES != 0)
}

/// A shim that the program brings, or that comes late, adopts what is there.
extern "C" fn at_load() {
    let _ = catch_unwind(|| {
        door::begin();
        adopt();
    });
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = at_load;

/// Magic, version and size: these three stay where they are in every version, and never change.
/// Safety: `module` points to a module record of any version.
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
    let ours = images::here().and_then(images::path_of).map_or_else(String::new, |path| format!(" ({path})"));
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
    images::start_of(module.cast::<c_void>()).and_then(images::path_of).unwrap_or_else(|| "the program".to_owned())
}
