//! Which executions are recorded chunk by chunk: all, one of so many, or none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// One of so many executions is recorded chunk by chunk; 0: none.
static SAMPLE: AtomicU64 = AtomicU64::new(1);

/// One of so many from now on.
pub(crate) fn start(sample: u64) {
    SAMPLE.store(sample, Ordering::Relaxed);
}

/// Whether an execution is recorded chunk by chunk, after `seen` earlier ones.
pub(crate) fn is_recorded(seen: u64) -> bool {
    match SAMPLE.load(Ordering::Relaxed) {
        0 => false,
        1 => true,
        one_of => seen % one_of == 0,
    }
}

/// Whether some are and others are not.
pub(crate) fn records_some() -> bool {
    SAMPLE.load(Ordering::Relaxed) > 1
}

pub(crate) fn records_all() -> bool {
    SAMPLE.load(Ordering::Relaxed) == 1
}

/// Only when executions begin and end is wanted, of a program that is run for that.
static TIMES_ALONE: AtomicBool = AtomicBool::new(false);

/// From now on: nothing is asked of the system meanwhile, and what a killed program has recorded is not wanted.
pub(crate) fn start_times_alone() {
    TIMES_ALONE.store(true, Ordering::Relaxed);
}

/// Whether that is so: system calls in short executions would be measured as theirs.
pub(crate) fn times_alone() -> bool {
    TIMES_ALONE.load(Ordering::Relaxed)
}
