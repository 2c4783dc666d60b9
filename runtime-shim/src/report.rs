//! Everything the shim says, on stderr, one line each, prefixed `ompchunk: `.
//!
//! A line is one `write`, so that lines of several threads and processes do not mix. Whatever
//! becomes of it is ignored: the program's stderr may be closed, or a pipe that nobody reads.

use core::fmt;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::environment;

/// Says what went wrong, why, and what to do next.
pub(crate) fn complain(message: fmt::Arguments<'_>) {
    write(format!("ompchunk: {message}\n").as_bytes());
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
        let answer = if environment::is_on(ompchunk_abi::VERBOSE_ENV) {
            VERBOSE
        } else {
            QUIET
        };
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

fn write(line: &[u8]) {
    with_sigpipe_held(|| {
        // SAFETY: pointer and length of a slice.
        let written = unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len()) };
        // SAFETY: `__errno_location` gives this thread's `errno`.
        written < 0 && unsafe { *libc::__errno_location() } == libc::EPIPE
    });
}

/// Runs `body` with SIGPIPE held back on this thread, and takes the one back that `body` says it
/// caused: a reader of stderr that has gone must not end the user's program because of us.
fn with_sigpipe_held(body: impl FnOnce() -> bool) {
    let mut pipe = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut pending = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: all sets are valid memory, initialised by zeroing and by the calls; a zero timeout
    // makes `sigtimedwait` return at once.
    unsafe {
        libc::sigemptyset(pipe.as_mut_ptr());
        libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE);
        libc::sigpending(pending.as_mut_ptr());
        let already = libc::sigismember(pending.as_ptr(), libc::SIGPIPE) == 1;
        let held = libc::pthread_sigmask(libc::SIG_BLOCK, pipe.as_ptr(), before.as_mut_ptr()) == 0;
        if body() && held && !already {
            let at_once = libc::timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            libc::sigtimedwait(pipe.as_ptr(), ptr::null_mut(), &at_once);
        }
        if held {
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        }
    }
}
