//! Everything the shim says, on stderr, one line each, prefixed `ompchunk: `.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use ompchunk_guest::door;

use crate::start::environment;

/// Says what went wrong, why, and what to do next.
pub(crate) fn complain(message: fmt::Arguments<'_>) {
    door::write_line(&message.to_string());
}

/// Says what was found and done, if the user asked for it.
pub(crate) fn explain(message: fmt::Arguments<'_>) {
    if verbose() {
        complain(message);
    }
}

/// Whether `OMPCHUNK_VERBOSE` is set to anything but nothing and 0. Looked at once.
#[inline]
pub(crate) fn verbose() -> bool {
    const UNKNOWN: u8 = 0;
    const QUIET: u8 = 1;
    const VERBOSE: u8 = 2;
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    fn look() -> u8 {
        let answer = if environment::is_on(ompchunk_abi::VERBOSE_ENV) { VERBOSE } else { QUIET };
        ANSWER.store(answer, Ordering::Relaxed);
        answer
    }

    // Hooks ask this before each loop and task, and the answer is no: one test.
    match ANSWER.load(Ordering::Relaxed) {
        QUIET => false,
        UNKNOWN => look() == VERBOSE,
        _ => true,
    }
}

// Counts for the summary that `OMPCHUNK_VERBOSE` prints at the end.

static MODULES: AtomicU32 = AtomicU32::new(0);
static LOOPS: AtomicU64 = AtomicU64::new(0);
static CREATIONS: AtomicU64 = AtomicU64::new(0);
static WANTED: AtomicBool = AtomicBool::new(false);

pub(crate) fn begin_counts() {
    MODULES.store(0, Ordering::Relaxed);
    LOOPS.store(0, Ordering::Relaxed);
    CREATIONS.store(0, Ordering::Relaxed);
    WANTED.store(false, Ordering::Relaxed);
}

pub(crate) fn count_module() {
    MODULES.fetch_add(1, Ordering::Relaxed);
}

/// A thread entered a loop. Counted for the summary only: threads would fight over the word.
#[inline]
pub(crate) fn count_execution() {
    if verbose() {
        LOOPS.fetch_add(1, Ordering::Relaxed);
    }
}

/// A thread creates tasks. Counted for the summary only, by an entry of its own (`begin::create_counted`).
pub(crate) fn count_creation() {
    CREATIONS.fetch_add(1, Ordering::Relaxed);
}

/// The tool registered a callback that wants chunks, loops or tasks.
pub(crate) fn set_registered() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Says what came of it all, and if nothing did, why.
pub(crate) fn summarise() {
    let modules = MODULES.load(Ordering::Relaxed);
    let loops = LOOPS.load(Ordering::Relaxed);
    if modules == 0 {
        explain(format_args!(
            "no events: no loop of an instrumented object ran. Compile the program with \
             `clang -fopenmp -fpass-plugin=<dir>/libompchunk.so` (README: troubleshooting)"
        ));
    } else if !WANTED.load(Ordering::Relaxed) {
        explain(format_args!(
            "no events: {modules} instrumented module(s) connected, but the tool registered none of \
             ompt_callback_dispatch and the extension events"
        ));
    } else {
        let tasks = match CREATIONS.load(Ordering::Relaxed) {
            0 => String::new(),
            creations => format!(", {creations} task creation(s)"),
        };
        explain(format_args!(
            "{modules} instrumented module(s) connected, {loops} loop execution(s) reported, one \
             per thread and loop{tasks}"
        ));
    }
}
