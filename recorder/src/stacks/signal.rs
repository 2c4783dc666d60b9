//! The timers' signal: one that nobody uses. If the program takes it, the program has it.

use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use ompchunk_guest::memory;

use crate::clock::{is_first_thread, os_thread};
use crate::registration::setup::field_of_stat;
use crate::stacks::handler::handle;

static SIGNAL: AtomicI32 = AtomicI32::new(0);

pub(crate) fn number() -> i32 {
    SIGNAL.load(Ordering::Relaxed)
}

/// One that only the C library can block, if that does not use it, else a late real-time one: libraries take the first.
pub(crate) fn take() -> Result<(), String> {
    for signal in (libc::SIGRTMIN()..=libc::SIGRTMAX() - 1).rev() {
        if handler(signal) == Some(libc::SIG_DFL) && install(signal) {
            SIGNAL.store(hide(signal).unwrap_or(signal), Ordering::Release);
            return Ok(());
        }
    }
    Err("stacks are not sampled: the program uses every real-time signal, and the timers need one. The rest is \
         recorded"
        .into())
}

/// Moves the handler to the signal by which the C library cancels threads, if none is yet: its functions neither block
/// it nor wait for it. If a thread is cancelled later, the library installs its own handler, which ignores timers.
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

fn change(signal: i32, new: Option<&Action>) -> Option<Action> {
    let mut old = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };
    let new = new.map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: both are there for the call, as the kernel has them; a handler stays as long as the timers.
    let answer = unsafe {
        let size = size_of::<Set>();
        libc::syscall(libc::SYS_rt_sigaction, signal, new, &raw mut old, size)
    };
    (answer == 0).then_some(old)
}

fn handler(signal: i32) -> Option<usize> {
    change(signal, None).map(|change| change.handler)
}

pub(crate) fn is_ours() -> bool {
    handler(number()) == Some(handle as *const () as usize)
}

fn only() -> Set {
    1 << (number() - 1)
}

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
    let Some(ours) = change(number(), None) else { return };
    for handler in [libc::SIG_IGN, libc::SIG_DFL] {
        change(number(), Some(&Action { handler, ..ours }));
    }
}

fn install(signal: i32) -> bool {
    // SAFETY: all zeros is a valid value. The handler stays as long as the timers and does what one may. `SA_RESTART`:
    // system calls go on. All signals are blocked meanwhile: no handler of the program's comes between or jumps out.
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

pub(crate) fn start_timer(signal: i32, value: usize, first: u64, period: u64) -> io::Result<usize> {
    // SAFETY: all zeros is a valid value.
    let mut event: libc::sigevent = unsafe { zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    // A number, not an address.
    event.sigev_value.sival_ptr = value as *mut libc::c_void;
    event.sigev_notify_thread_id = os_thread();
    let mut timer: libc::timer_t = std::ptr::null_mut();
    // SAFETY: both outlive the call.
    if unsafe { libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let times = libc::itimerspec { it_interval: timespec(period), it_value: timespec(first.max(1)) };
    // SAFETY: the timer was just made, and `times` outlives the call.
    if unsafe { libc::timer_settime(timer, 0, &times, std::ptr::null_mut()) } != 0 {
        let error = io::Error::last_os_error();
        // SAFETY: as above; nobody else has it.
        unsafe { libc::timer_delete(timer) };
        return Err(error);
    }
    Ok(timer as usize)
}

fn timespec(ns: u64) -> libc::timespec {
    const SECOND: u64 = 1_000_000_000;
    libc::timespec { tv_sec: (ns / SECOND) as libc::time_t, tv_nsec: (ns % SECOND) as libc::c_long }
}

/// Begin and end of the calling thread's stack; nothing in between where that is not known.
pub(crate) fn stack_of_thread() -> (u64, u64) {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::zeroed();
    let (mut begin, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: fills in what is destroyed below; all outlive the calls.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return (0, 0);
        }
        let asked = libc::pthread_attr_getstack(attributes.as_ptr(), &mut begin, &mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        if asked != 0 {
            return (0, 0);
        }
    }
    grow_first(begin as usize);
    (begin as u64, (begin as u64).saturating_add(size as u64))
}

const LONGER: usize = 256 << 10;

/// Growing it later may kill a process that has used up its address space, and signals take some of it.
fn grow_first(begin: usize) {
    static DONE: AtomicBool = AtomicBool::new(false);
    let is_first = is_first_thread();
    let here = std::ptr::from_ref(&is_first) as usize;
    let has_room = here.saturating_sub(begin) > 2 * LONGER;
    if is_first && has_room && !memory::is_short() && !DONE.swap(true, Ordering::Relaxed) {
        use_stack();
    }
}

#[inline(never)]
fn use_stack() {
    // What is so large is touched page by page.
    std::hint::black_box([0_u8; LONGER]);
}

pub(crate) fn is_runnable(os_thread: libc::pid_t) -> bool {
    field_of_stat(&format!("/proc/self/task/{os_thread}/stat"), 0).as_deref() == Some("R")
}
