//! Counts for the summary that `OMPCHUNK_VERBOSE` prints at the end.

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::report;

static MODULES: AtomicU32 = AtomicU32::new(0);
static LOOPS: AtomicU64 = AtomicU64::new(0);
static CREATIONS: AtomicU64 = AtomicU64::new(0);
static WANTED: AtomicBool = AtomicBool::new(false);

/// Another life begins.
pub(crate) fn begin() {
    MODULES.store(0, Ordering::Relaxed);
    LOOPS.store(0, Ordering::Relaxed);
    CREATIONS.store(0, Ordering::Relaxed);
    WANTED.store(false, Ordering::Relaxed);
}

/// A module connected for the first time.
pub(crate) fn module() {
    MODULES.fetch_add(1, Ordering::Relaxed);
}

/// A thread entered a loop. Counted for the summary only: threads would fight over the word.
#[inline]
pub(crate) fn entered() {
    if report::verbose() {
        LOOPS.fetch_add(1, Ordering::Relaxed);
    }
}

/// A thread creates tasks. Counted for the summary only, by an entry of its own (`hooks::enter_counted`).
pub(crate) fn creating() {
    CREATIONS.fetch_add(1, Ordering::Relaxed);
}

/// The tool registered a callback that wants chunks, loops or tasks.
pub(crate) fn wanted() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Says what came of it all, and if nothing did, why.
pub(crate) fn summarise() {
    let modules = MODULES.load(Ordering::Relaxed);
    let loops = LOOPS.load(Ordering::Relaxed);
    if modules == 0 {
        report::explain(format_args!(
            "no events: no loop of an instrumented object ran. Compile the program with \
             `clang -fopenmp -fpass-plugin=<dir>/libompchunk.so` (README: troubleshooting)"
        ));
    } else if !WANTED.load(Ordering::Relaxed) {
        report::explain(format_args!(
            "no events: {modules} instrumented module(s) connected, but the tool registered none of \
             ompt_callback_dispatch and the extension events"
        ));
    } else {
        let creations = CREATIONS.load(Ordering::Relaxed);
        let tasks = match creations {
            0 => String::new(),
            _ => format!(", {creations} task creation(s)"),
        };
        report::explain(format_args!(
            "{modules} instrumented module(s) connected, {loops} loop execution(s) reported, one \
             per thread and loop{tasks}"
        ));
    }
}
