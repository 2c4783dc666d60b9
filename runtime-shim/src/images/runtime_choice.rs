//! Which runtime the shim serves, and which runtime an image of instrumented code belongs to.
//! One tool serves one runtime at a time, the first that asks; another one and the code that calls it stay exactly as they are.
//! When a runtime has ended, the next that asks is served, also if it is the same one, loaded again.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::images::Calls;
use crate::{images, start::environment, start::report};

/// No runtime has a tool from us: none asked, none accepted, or the life of that runtime is over.
pub(crate) const FREE: u32 = 0;
pub(crate) const SEARCHING: u32 = 1;
pub(crate) const SERVING: u32 = 2;

pub(crate) static STATE: AtomicU32 = AtomicU32::new(FREE);

/// Does a runtime have a tool from us, or is one about to?
pub(crate) fn may_listen() -> bool {
    STATE.load(Ordering::Acquire) != FREE
}

/// Where the runtime begins that is served; 0: none yet, or it is not known which.
static SERVED: AtomicUsize = AtomicUsize::new(0);
/// How many times a runtime was served, which is 0 until the first asks.
static LIVES: AtomicU32 = AtomicU32::new(0);
/// A tool accepted, and has not ended.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// Where the runtime begins that a string or function belongs to; 0: not known, as of a string that no runtime holds.
pub(crate) fn runtime_of(address: *const c_void) -> usize {
    images::start_of(address).filter(|start| images::is_runtime(*start)).unwrap_or(0)
}

/// A runtime is served from now on. True: the first in this process.
pub(crate) fn begin(runtime: usize) -> bool {
    SERVED.store(runtime, Ordering::Release);
    ACTIVE.store(false, Ordering::Release);
    LIVES.fetch_add(1, Ordering::AcqRel) == 0
}

/// Its lookup function, which it hands over later, tells what its name did not. True: that is news.
pub(crate) fn learn(lookup: *const c_void) -> bool {
    if SERVED.load(Ordering::Acquire) != 0 {
        return false;
    }
    let runtime = runtime_of(lookup);
    SERVED.store(runtime, Ordering::Release);
    runtime != 0
}

pub(crate) fn set_active(active: bool) {
    ACTIVE.store(active, Ordering::Release);
}

/// Whether a runtime, as [`runtime_of`] has it, is another one than the one that is served.
pub(crate) fn is_another(runtime: usize) -> bool {
    let served = SERVED.load(Ordering::Acquire);
    runtime != 0 && served != 0 && runtime != served
}

/// Whether the runtime that is served is not loaded any more.
pub(crate) fn is_gone() -> bool {
    let served = SERVED.load(Ordering::Acquire);
    // Something else may have been loaded to the same place.
    served != 0 && !images::is_runtime(served)
}

#[derive(Clone, Copy)]
pub(crate) enum Home {
    /// To the runtime that is served alone.
    Here,
    Unknown,
    /// To the runtime that begins there.
    Elsewhere(usize),
}

/// Finds out for the image around `address`, by what its own calls of a runtime are bound to: where two libraries
/// export the same names, what counts is which the dynamic linker has chosen for this image.
pub(crate) fn home(address: *const c_void) -> Home {
    let served = SERVED.load(Ordering::Acquire);
    if served == 0 {
        return Home::Unknown;
    }
    let candidates = match images::calls_of(address) {
        Calls::Unbound => return Home::Unknown,
        // A runtime that is part of the image.
        Calls::None => images::start_of(address).into_iter().collect(),
        Calls::Bound(starts) => starts,
    };
    let is_here = candidates.contains(&served);
    // What stands between the image and its runtime is none, and says nothing.
    let another = candidates.into_iter().find(|start| *start != served && images::is_runtime(*start));
    match (is_here, another) {
        (true, None) => Home::Here,
        (false, Some(runtime)) => Home::Elsewhere(runtime),
        // Some of its calls go to one runtime, and some to the other.
        (true, Some(_)) | (false, None) => Home::Unknown,
    }
}

/// One of the two messages about two runtimes was said.
static SAID_TWO: AtomicBool = AtomicBool::new(false);

fn name(start: usize) -> String {
    images::path_of(start).unwrap_or_else(|| "another library".to_owned())
}

/// A runtime asked for the tool while one was served.
static HAS_SECOND: AtomicBool = AtomicBool::new(false);

/// May an image of which is not known where it belongs be another runtime's?
pub(crate) fn has_second() -> bool {
    HAS_SECOND.load(Ordering::Acquire)
}

/// A second runtime, or perhaps the one that is served, asks for the tool.
pub(crate) fn note_second() {
    HAS_SECOND.store(true, Ordering::Release);
}

pub(crate) fn say_second(runtime: usize) {
    if SAID_TWO.swap(true, Ordering::Relaxed) {
        return;
    }
    report::complain(format_args!(
        "two OpenMP runtimes are in this process: the tool hears of {}, which came first. {} runs without a tool, and \
         code that calls it as without ompchunk. To see all of it, have the whole program use one runtime",
        name(SERVED.load(Ordering::Acquire)),
        name(runtime),
    ));
}

/// Says once that there is code of another runtime, if a tool misses it.
pub(crate) fn say_elsewhere(path: &str, runtime: usize) {
    if !ACTIVE.load(Ordering::Acquire) || SAID_TWO.swap(true, Ordering::Relaxed) {
        return;
    }
    report::complain(format_args!(
        "two OpenMP runtimes are in this process: the tool hears of {}, and {path} calls {}. Its loops, and those of \
         others that do so, run as without ompchunk. To see all of it, have the whole program use one runtime",
        name(SERVED.load(Ordering::Acquire)),
        name(runtime),
    ));
}

/// Says once that instrumented code runs and no runtime ever asked for a tool, unless the user has switched tools off.
pub(crate) fn say_if_never_asked(path: impl FnOnce() -> String) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if LIVES.load(Ordering::Acquire) != 0 || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let switch = environment::variable("OMP_TOOL");
    if switch.is_some_and(|value| value.eq_ignore_ascii_case("disabled")) {
        return report::explain(format_args!("no events: OMP_TOOL=disabled, so no OpenMP runtime asks for a tool"));
    }
    if environment::is_ignored() {
        return;
    }
    let here = images::here().unwrap_or(0);
    let shim = images::path_of(here).unwrap_or_else(|| "libompchunk_rt".to_owned());
    let path = path();
    match images::first_tool() {
        Some((start, _)) if Some(start) == images::program() => report::complain(format_args!(
            "no events: {path} has instrumented loops, but the OpenMP runtime has not asked {shim} for a tool, since \
             the program defines ompt_start_tool itself. Link the program's tool as a shared library"
        )),
        Some((start, tool)) if start != here => report::complain(format_args!(
            "no events: {path} has instrumented loops, but the OpenMP runtime has not asked {shim} for a tool, since \
             {tool} comes before it. Put the shim first: LD_PRELOAD=\"{shim} {tool}\""
        )),
        _ => report::complain(format_args!(
            "no events: {path} has instrumented loops, but no OpenMP runtime has asked {shim} for a tool. It was \
             loaded too late, or the runtime has no tools interface, or none for what is preloaded (Ubuntu's before LLVM 20): attach it \
             by OMP_TOOL_LIBRARIES or else LD_PRELOAD, and link with LLVM's or Intel's runtime"
        )),
    }
}
