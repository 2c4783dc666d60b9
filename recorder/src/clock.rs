//! The clock of the hot path: the processor's counter where it runs evenly, else `CLOCK_MONOTONIC`.

pub(crate) mod core_time;
pub(crate) mod own_time;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ompchunk_guest::memory;
use ompchunk_trace_format::{ClockMeta, OffCore};

use crate::registration::setup;

/// In nanoseconds.
const MEASURE: u64 = 2_000_000;

static COUNTER: AtomicBool = AtomicBool::new(false);

static CPU: AtomicBool = AtomicBool::new(false);

/// Ticks per second. Set once, before the first event.
static HERTZ: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    /// How often it was switched off a core: it gave it up, ...
    pub(crate) voluntary: u64,
    /// ... or it was taken from it.
    pub(crate) involuntary: u64,
    /// Page faults without reading a disk, ...
    pub(crate) minor: u64,
    /// ... and with.
    pub(crate) major: u64,
    pub(crate) kernel: Duration,
}

/// What lasts so many ticks, about 0.1 ms, goes a long way: it can afford to write its block and to read the thread's CPU clock.
pub(crate) const SHORT: u64 = 1 << 18;

/// When the thread was looked at last, and what was seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// In ticks; 0: never.
    pub(crate) at: u64,
    /// The thread's CPU clock, in nanoseconds.
    pub(crate) cpu: u64,
    pub(crate) usage: Option<Usage>,
    /// The processor that was told last, where that is asked for.
    pub(crate) recorded_cpu: Option<u32>,
    /// Ticks between the last event that took a long way and the event before.
    pub(crate) gap: u64,
    /// Time off a core that the callback at hand has found, and that has no record yet.
    pub(crate) off: Option<OffCore>,
}

#[inline(always)]
pub fn ticks() -> u64 {
    if COUNTER.load(Relaxed) { counter() } else { nanoseconds() }
}

pub(crate) fn set_rate(hertz: f64) {
    HERTZ.store(hertz as u64, Relaxed);
}

pub(crate) fn ticks_of(time: Duration) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    // Whole numbers: the program's threads have flags, and may have traps, for others.
    let hertz = HERTZ.load(Relaxed);
    let rest = hertz.saturating_mul(time.subsec_nanos().into()) / SECOND;
    hertz.saturating_mul(time.as_secs()).saturating_add(rest)
}

/// Whether [`ticks`] reads the processor's counter. Set before the first event.
pub(crate) fn is_counter() -> bool {
    COUNTER.load(Relaxed)
}

/// The same for who has asked [`is_counter`] before, and says what the answer was.
#[inline(always)]
pub(crate) fn ticks_by<const COUNTER: bool>() -> u64 {
    if COUNTER { counter() } else { nanoseconds() }
}

pub fn nanoseconds() -> u64 {
    time(libc::CLOCK_MONOTONIC)
}

pub(crate) fn time(clock: libc::clockid_t) -> u64 {
    try_time(clock).unwrap_or(0)
}

pub(crate) fn try_time(clock: libc::clockid_t) -> Option<u64> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // At the program's end a library that stands before libc's function, as one that fakes the time, may be finished before us. So where
    // it is not for each event, the kernel is asked: it is for this clock anyhow, or may be.
    let is_of_thread = clock == libc::CLOCK_THREAD_CPUTIME_ID || clock < 0;
    let is_rare = is_of_thread || is_counter() && setup::allows_rare_calls();
    // SAFETY: `now` outlives the call.
    let is_known = unsafe {
        if is_rare {
            libc::syscall(libc::SYS_clock_gettime, clock, &raw mut now) == 0
        } else {
            libc::clock_gettime(clock, &mut now) == 0
        }
    };
    is_known.then(|| now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// How long the calling thread has had a core, in nanoseconds. A system call. `None`: a sandbox does not allow it.
pub(crate) fn thread_cpu() -> Option<u64> {
    try_time(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of another thread of this process, in nanoseconds; `None`: it is gone, or a sandbox does not allow it.
pub(crate) fn cpu_of(os_thread: libc::pid_t) -> Option<u64> {
    /// As the kernel and `pthread_getcpuclockid` compose the clocks of threads: of one thread, by the scheduler.
    const OF_THREAD: libc::clockid_t = 0b110;
    try_time((!os_thread << 3) | OF_THREAD)
}

pub(crate) fn os_thread() -> libc::pid_t {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::gettid() }
}

pub(crate) fn is_first_thread() -> bool {
    os_thread() as u32 == std::process::id()
}

pub(crate) struct CpuOfThreads {
    /// Their numbers in the kernel, ...
    living: Vec<libc::pid_t>,
    /// ... and what those had that have ended, in nanoseconds.
    ended: u64,
}

impl CpuOfThreads {
    pub(crate) const fn none() -> CpuOfThreads {
        CpuOfThreads { living: Vec::new(), ended: 0 }
    }

    pub(crate) fn begins(&mut self) {
        memory::push(&mut self.living, os_thread());
    }

    pub(crate) fn ends(&mut self) {
        let me = os_thread();
        self.living.retain(|thread| *thread != me);
        self.ended += thread_cpu().unwrap_or(0);
    }

    /// How many there are and what they had, and of the process's other threads; `None`: a clock of one of them cannot be read.
    pub(crate) fn both(&self) -> Option<[(u64, u64); 2]> {
        if !has_cpu() || !setup::allows_rare_calls() {
            return None;
        }
        let own = self.living.iter().map(|thread| cpu_of(*thread)).sum::<Option<u64>>()? + self.ended;
        let all = try_time(libc::CLOCK_PROCESS_CPUTIME_ID)?;
        let living = self.living.len() as u64;
        let threads = std::fs::read_dir("/proc/self/task").ok()?.count() as u64;
        Some([(living, own), (threads.saturating_sub(living), all.saturating_sub(own))])
    }
}

pub(crate) fn has_cpu() -> bool {
    CPU.load(Relaxed)
}

pub(crate) fn forget_cpu() {
    CPU.store(false, Relaxed);
}

/// What the system has counted of the calling thread. `None`: times alone are wanted, or a filter might kill for this system call.
pub(crate) fn usage() -> Option<Usage> {
    if setup::times_alone() || !setup::allows_rare_calls() {
        return None;
    }
    // SAFETY: all zeros is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` outlives the call.
    let answer = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    let kernel = usage.ru_stime;
    (answer == 0).then_some(Usage {
        voluntary: usage.ru_nvcsw as u64,
        involuntary: usage.ru_nivcsw as u64,
        minor: usage.ru_minflt as u64,
        major: usage.ru_majflt as u64,
        kernel: Duration::from_secs(kernel.tv_sec as u64) + Duration::from_micros(kernel.tv_usec as u64),
    })
}

pub(crate) fn core() -> Option<u32> {
    // SAFETY: takes nothing.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: user code may read the counter (`counts_evenly` has seen that it is there).
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let now: u64;
    // SAFETY: Linux lets user code read the virtual counter.
    unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) now, options(nomem, nostack)) };
    now
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> u64 {
    nanoseconds()
}

/// Orders reading a clock with what is before and after it: processors read early or late. Not for each event.
#[inline]
pub(crate) fn settle() {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: barriers, which change nothing.
    unsafe {
        core::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags));
    }
}

#[cfg(target_arch = "x86_64")]
fn counts_evenly() -> bool {
    use core::arch::x86_64::__cpuid;
    const POWER: u32 = 0x8000_0007;
    // `__cpuid` is safe or unsafe depending on the compiler's version.
    #[allow(unused_unsafe, reason = "see above")]
    // SAFETY: every x86-64 processor has the instruction.
    let power = unsafe { (__cpuid(0x8000_0000).eax >= POWER).then(|| __cpuid(POWER)) };
    power.is_some_and(|power| power.edx & 1 << 8 != 0)
}

#[cfg(not(target_arch = "x86_64"))]
fn counts_evenly() -> bool {
    cfg!(target_arch = "aarch64")
}

/// One moment on both clocks. The closest of a few pairs: a reading may be interrupted.
pub fn both() -> (u64, u64) {
    let pair = |_| {
        let before = ticks();
        let ns = nanoseconds();
        let after = ticks();
        (after.wrapping_sub(before), (before + after.wrapping_sub(before) / 2, ns))
    };
    (0..3).map(pair).min_by_key(|(distance, _)| *distance).map_or((0, 0), |(_, pair)| pair)
}

/// Whether the processor's counter may be the clock; a test says no.
pub static MAY_COUNT: AtomicBool = AtomicBool::new(true);

pub fn start() -> ClockMeta {
    setup::look_for_filters();
    COUNTER.store(MAY_COUNT.load(Relaxed) && counts_evenly(), Relaxed);
    let first = both();
    while nanoseconds() - first.1 < MEASURE {
        std::hint::spin_loop();
    }
    let second = both();
    let elapsed = (second.1 - first.1) as f64;
    ClockMeta {
        source: match (COUNTER.load(Relaxed), cfg!(target_arch = "x86_64")) {
            (false, _) => "monotonic",
            (true, true) => "tsc",
            (true, false) => "cntvct",
        }
        .into(),
        hertz: second.0.wrapping_sub(first.0) as f64 * 1e9 / elapsed,
        read: cost(),
        step: step(),
        cpu_read: cpu_cost(),
        own_least: None,
    }
}

/// Ticks per reading of the thread's CPU clock: the shortest of several.
fn cpu_cost() -> Option<f64> {
    let each = |_| {
        let before = ticks();
        thread_cpu()?;
        Some(ticks().wrapping_sub(before))
    };
    let costs: Option<Vec<u64>> = (0..8).map(each).collect();
    let least = costs.and_then(|costs| costs.into_iter().min());
    CPU.store(least.is_some(), Relaxed);
    least.map(|ticks| ticks as f64)
}

fn step() -> Option<f64> {
    const READINGS: usize = 1 << 12;
    let mut before = ticks();
    let (mut still, mut least) = (false, u64::MAX);
    for _ in 0..READINGS {
        let now = ticks();
        match now.wrapping_sub(before) {
            0 => still = true,
            distance => least = least.min(distance),
        }
        before = now;
    }
    (still && least != u64::MAX).then_some(least as f64)
}

/// Ticks per reading: the shortest of several batches.
fn cost() -> f64 {
    const READINGS: u32 = 64;
    let batch = |_| {
        let before = ticks();
        for _ in 1..READINGS {
            std::hint::black_box(ticks());
        }
        ticks().wrapping_sub(before)
    };
    (0..16).map(batch).min().unwrap_or(0) as f64 / f64::from(READINGS)
}
