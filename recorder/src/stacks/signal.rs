//! The timers' signal: a real-time one that nobody uses. If the program takes it, the program has it.

use std::mem::{MaybeUninit, zeroed};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::stacks::handler::handle;

/// 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// The signal's number; 0: none.
pub(crate) fn number() -> i32 {
    SIGNAL.load(Ordering::Relaxed)
}

/// Takes a signal. Libraries count from the first real-time signal on, so the last ones are free as a rule. The error is for
/// the user.
pub(crate) fn take() -> Result<(), String> {
    for signal in (libc::SIGRTMIN()..=libc::SIGRTMAX() - 1).rev() {
        if action(signal) == Some(libc::SIG_DFL) && install(signal) {
            SIGNAL.store(signal, Ordering::Release);
            return Ok(());
        }
    }
    Err(
        "stacks are not sampled: the program uses every real-time signal, and the timers need one. The rest is \
         recorded"
            .into(),
    )
}

/// Whether the program has left it alone.
pub(crate) fn is_ours() -> bool {
    action(number()) == Some(handle as *const () as usize)
}

/// Whether the calling thread has blocked it.
pub(crate) fn is_blocked() -> bool {
    let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: asks, and changes nothing; the set outlives the call.
    unsafe {
        let asked = libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), mask.as_mut_ptr());
        asked != 0 || libc::sigismember(mask.as_ptr(), number()) == 1
    }
}

/// Takes back what waits to be delivered to the calling thread, which has blocked it.
pub(crate) fn take_waiting() {
    let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
    let now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the set and the time outlive the calls.
    unsafe {
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), number());
        while libc::sigtimedwait(mask.as_ptr(), std::ptr::null_mut(), &now) == number() {}
    }
}

/// No timer is left: what still waits to be delivered is dropped, and the signal is as it was.
pub(crate) fn give_back() {
    if !is_ours() {
        return;
    }
    for then in [libc::SIG_IGN, libc::SIG_DFL] {
        // SAFETY: all zeros is a valid value, whose handler is set.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = then;
            libc::sigaction(number(), &action, std::ptr::null_mut());
        }
    }
}

/// What is done at a signal.
fn action(signal: i32) -> Option<usize> {
    // SAFETY: all zeros is a valid value; asks, and changes nothing.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        let asked = libc::sigaction(signal, std::ptr::null(), &mut action);
        (asked == 0).then_some(action.sa_sigaction)
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
        let faults = [
            libc::SIGSEGV,
            libc::SIGBUS,
            libc::SIGILL,
            libc::SIGFPE,
            libc::SIGTRAP,
        ];
        for fault in faults {
            libc::sigdelset(&mut action.sa_mask, fault);
        }
        libc::sigaction(signal, &action, std::ptr::null_mut()) == 0
    }
}
