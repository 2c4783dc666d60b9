//! The timers' signal: one that nobody uses. If the program takes it, the program has it.

use std::mem::{MaybeUninit, zeroed};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::stacks::handler::handle;

/// 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The signal's number; 0: none.
pub(crate) fn number() -> i32 {
    SIGNAL.load(Ordering::Relaxed)
}

/// Takes a signal: one that only the C library can block, as long as that itself has no use for it, else a real-time one.
/// Libraries count from the first real-time signal on, so the last ones are free as a rule. The error is for the user.
pub(crate) fn take() -> Result<(), String> {
    for signal in (libc::SIGRTMIN()..=libc::SIGRTMAX() - 1).rev() {
        if handler(signal) == Some(libc::SIG_DFL) && install(signal) {
            let hidden = hide(signal);
            SIGNAL.store(hidden.unwrap_or(signal), Ordering::Release);
            return Ok(());
        }
    }
    Err("stacks are not sampled: the program uses every real-time signal, and the timers need one. The rest is \
         recorded"
        .into())
}

/// Moves the handler to the signal by which the C library cancels threads, if none is cancelled yet. Its functions neither block
/// that one nor wait for it, so a program that waits for any signal finds none of the timers'. If a thread is cancelled later, the
/// library installs its own handler, which leaves signals of timers alone.
fn hide(signal: i32) -> Option<i32> {
    // Who is started by glibc's `posix_spawn` has its own signals ignored.
    let is_free = matches!(handler(OF_THE_LIBRARY), Some(libc::SIG_DFL | libc::SIG_IGN));
    if !cfg!(target_env = "gnu") || !is_free {
        return None;
    }
    // As the library has made it: it knows how the kernel wants handlers to return.
    let ours = change(signal, None)?;
    change(OF_THE_LIBRARY, Some(&ours))?;
    let free = Action { handler: libc::SIG_DFL, ..ours };
    change(signal, Some(&free))?;
    Some(OF_THE_LIBRARY)
}

/// glibc's `SIGCANCEL`.
const OF_THE_LIBRARY: i32 = 32;

/// Signals, as the kernel has a set of them.
type Set = u64;

/// What is done at a signal, as the kernel has it on x86-64 and AArch64: the C library's functions hide its own signals.
#[repr(C)]
#[derive(Clone, Copy)]
struct Action {
    handler: usize,
    flags: libc::c_ulong,
    restorer: usize,
    mask: Set,
}

/// Gives what is done at a signal, and makes it another.
fn change(signal: i32, new: Option<&Action>) -> Option<Action> {
    let mut old = MaybeUninit::<Action>::zeroed();
    let new = new.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: both are there for the call, as the kernel has them; a handler stays as long as the timers.
    let answer = unsafe {
        let size = size_of::<Set>();
        libc::syscall(libc::SYS_rt_sigaction, signal, new, old.as_mut_ptr(), size)
    };
    // SAFETY: all zeros is a valid value, and the kernel has filled it in.
    (answer == 0).then(|| unsafe { old.assume_init() })
}

fn handler(signal: i32) -> Option<usize> {
    change(signal, None).map(|change| change.handler)
}

/// Whether the program has left it alone.
pub(crate) fn is_ours() -> bool {
    handler(number()) == Some(handle as *const () as usize)
}

/// The signal alone.
fn only() -> Set {
    1 << (number() - 1)
}

/// Whether the calling thread has blocked it.
pub(crate) fn is_blocked() -> bool {
    let mut mask: Set = 0;
    // SAFETY: asks, and changes nothing; the set outlives the call.
    let asked = unsafe {
        let (how, none) = (libc::SIG_BLOCK, std::ptr::null::<Set>());
        libc::syscall(libc::SYS_rt_sigprocmask, how, none, &raw mut mask, size_of::<Set>())
    };
    asked != 0 || mask & only() != 0
}

/// Takes back what waits to be delivered to the calling thread, which has blocked it.
pub(crate) fn take_waiting() {
    let (set, none) = (only(), std::ptr::null_mut::<libc::siginfo_t>());
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let signal = libc::c_long::from(number());
    // SAFETY: the set and the time outlive the calls.
    let next = || unsafe {
        let size = size_of::<Set>();
        libc::syscall(libc::SYS_rt_sigtimedwait, &raw const set, none, &raw const now, size)
    };
    while next() == signal {}
}

/// No timer is left: what still waits to be delivered is dropped, and the signal is as it was.
pub(crate) fn give_back() {
    if !is_ours() {
        return;
    }
    let Some(ours) = change(number(), None) else {
        return;
    };
    for handler in [libc::SIG_IGN, libc::SIG_DFL] {
        change(number(), Some(&Action { handler, ..ours }));
    }
}

fn install(signal: i32) -> bool {
    // SAFETY: all zeros is a valid value. The handler stays as long as the timers. It does what a handler may. `SA_RESTART`: system
    // calls go on; those that do not are never interrupted, since the timers count what a thread does and not what it sleeps. All
    // signals are blocked meanwhile, so that no handler of the program's comes between, or leaves by a jump.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigfillset(&mut action.sa_mask);
        let faults = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];
        for fault in faults {
            libc::sigdelset(&mut action.sa_mask, fault);
        }
        libc::sigaction(signal, &action, std::ptr::null_mut()) == 0
    }
}
