//! Everything the shim says, on stderr, one line each, prefixed `ompchunk: `.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use ompchunk_guest::door;

use crate::environment;

/// Says what went wrong, why, and what to do next.
pub(crate) fn complain(message: fmt::Arguments<'_>) {
    door::say(&message.to_string());
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
