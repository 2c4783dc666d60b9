//! A thread's timer, and where its stack is.

use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::sync::atomic::{AtomicBool, Ordering};

use ompchunk_guest::memory;

use crate::clock::try_time;
use crate::stacks::thread::Timer;

/// Starts a timer of the calling thread's CPU time.
pub(crate) fn start(signal: i32, value: usize, first: u64, period: u64) -> io::Result<Timer> {
    // SAFETY: all zeros is a valid value.
    let mut event: libc::sigevent = unsafe { zeroed() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    // A number, not an address.
    event.sigev_value.sival_ptr = value as *mut libc::c_void;
    // SAFETY: takes nothing and cannot fail.
    event.sigev_notify_thread_id = unsafe { libc::gettid() };
    let mut timer = MaybeUninit::<libc::timer_t>::uninit();
    // SAFETY: both outlive the call.
    let made = unsafe { libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, timer.as_mut_ptr()) };
    if made != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: made just now.
    let timer = unsafe { timer.assume_init() };
    let times = libc::itimerspec { it_interval: timespec(period), it_value: timespec(first.max(1)) };
    // SAFETY: the timer was just made, and `times` outlives the call.
    if unsafe { libc::timer_settime(timer, 0, &times, std::ptr::null_mut()) } != 0 {
        let error = io::Error::last_os_error();
        // SAFETY: as above; nobody else has it.
        unsafe { libc::timer_delete(timer) };
        return Err(error);
    }
    Ok(Timer(timer))
}

fn timespec(ns: u64) -> libc::timespec {
    const SECOND: u64 = 1_000_000_000;
    libc::timespec { tv_sec: (ns / SECOND) as libc::time_t, tv_nsec: (ns % SECOND) as libc::c_long }
}

/// Begin and end of the calling thread's stack; nothing in between where that is not known.
pub(crate) fn stack() -> (u64, u64) {
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

/// The process's first stack becomes so much longer than it is in use.
const LONGER: usize = 256 << 10;

/// That stack grows as it is used, which a process that has used up its address space does not survive, and signals take some of it.
/// So it grows when its thread begins.
fn grow_first(begin: usize) {
    static DONE: AtomicBool = AtomicBool::new(false);
    // SAFETY: takes nothing and cannot fail.
    let is_first = unsafe { libc::gettid() } as u32 == std::process::id();
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

/// CPU time of another thread of this process, in nanoseconds.
pub(crate) fn cpu_of(os_thread: libc::pid_t) -> Option<u64> {
    /// As the kernel composes the clocks of threads: of one thread, by the scheduler.
    const OF_THREAD: libc::clockid_t = 0b110;
    let clock = (!os_thread << 3) | OF_THREAD;
    // A thread that is gone has none.
    try_time(clock)
}

/// Whether a thread of this process is running or could run.
pub(crate) fn is_runnable(os_thread: libc::pid_t) -> bool {
    let Ok(stat) = std::fs::read(format!("/proc/self/task/{os_thread}/stat")) else {
        return false;
    };
    // Behind the thread's name, which may hold anything.
    let name = stat.iter().rposition(|byte| *byte == b')');
    name.and_then(|at| stat.get(at + 2)) == Some(&b'R')
}
