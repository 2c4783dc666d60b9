//! What is added up instead of told event by event: regions, tasks, worksharing, barriers, waits, loops.

use crate::layout::kind;
use crate::numbered::{event_fields, numbered};

/// [`Sum::of`] of [`SumOf::Cpu`]: of threads that are recorded, ...
pub const CPU_OWN: u32 = 0;
/// ... and of all others of the process.
pub const CPU_OTHERS: u32 = 1;

/// In [`Sum::of`] of a mutex: the thread was in a task, or waited for others, when it asked for it.
pub const MUTEX_IN_TASK: u32 = 1 << 8;
/// [`Sum::of`] of tasks: run where the thread would have waited, ...
pub const TASK_IN_WAIT: u32 = 1;
/// ... or what such a task waited for, in a `taskwait` or the like.
pub const TASK_WAITS: u32 = 2;

/// [`Sum::of`] of [`SumOf::Faults`]: page faults that read no disk, ...
pub const FAULTS_MINOR: u32 = 0;
/// ... that do, ...
pub const FAULTS_MAJOR: u32 = 1;
/// ... and ticks on a core in the system's kernel. With this bit they are of the thread's first execution of the loop.
pub const FAULTS_KERNEL: u32 = 2;
/// See [`FAULTS_KERNEL`].
pub const FAULTS_FIRST: u32 = 4;

/// What a mutex is, in words of the specification, by `ompt_mutex_t`: the lowest byte of its [`Sum::of`].
pub const fn mutex_name(kind: u32) -> &'static str {
    match kind {
        1 | 2 => "lock",
        3 | 4 => "nestable lock",
        5 => "critical section",
        6 => "atomic",
        7 => "ordered section",
        _ => "lock of an unknown kind",
    }
}

numbered! {
    pub fn from_number;
    /// What a [`Sum`] is of: the event that begins it. The number is the kind of that event's record, or one that no kind has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum SumOf {
        /// Parallel regions, by the thread that began them.
        Parallel = kind::PARALLEL_BEGIN as u32,
        /// Implicit tasks: a thread's parts of regions.
        ImplicitTask = kind::IMPLICIT_TASK_BEGIN as u32,
        /// Worksharing other than loops.
        Work = kind::WORK_BEGIN as u32,
        /// Barriers and other synchronization.
        Sync = kind::SYNC_BEGIN as u32,
        /// The waiting in it.
        Wait = kind::WAIT_BEGIN as u32,
        /// A thread's parts of executions of a loop, from begin to end.
        Loop = kind::LOOP_BEGIN as u32,
        /// Operations of OpenACC: the event is of what kind, the site's number stands for the code.
        OpenAcc = kind::ACC_BEGIN as u32,
        /// Operations of OpenMP's `target`: the event is of what kind.
        Target = kind::TARGET_BEGIN as u32,
        /// Until a thread had a lock, a critical section or its turn, also where nobody else had it. Added up in every recording.
        Mutex = 27,
        /// Explicit tasks that a thread ran, without what it ran or waited for meanwhile. Added up in every recording. An untied one counts
        /// where it ends; times are those of its parts, which several threads may run.
        Task = kind::TASK_SCHEDULE as u32,
        /// Page faults, and time in the kernel, in those parts of a loop's executions in which they were counted: one or several per thread.
        Faults = 28,
        /// Time that threads of the process had a core, and how many there were at the end. Added up in every recording, at its end.
        Cpu = 29,
        /// What the recorder's callbacks took that have no record of it ([`crate::Recorder`]) and are timed. Once or a few times per thread.
        Storing = kind::RECORDER as u32,
    }
}

event_fields! {
    /// What one thread did of one kind at one place, added up. Only what is not told event by event. Times are in ticks.
    Sum {
        thread: u32, "The thread.";
        what: SumOf, "What is added up.";
        of: u32, "`ompt_sync_region_t`, `ompt_work_t`; of regions 1 where inside another; of a mutex `ompt_mutex_t` and \
            [`MUTEX_IN_TASK`]; of tasks 0, [`TASK_IN_WAIT`] or [`TASK_WAITS`]; of page faults [`FAULTS_MINOR`] and the like.";
        code: u64, "Return address of the runtime call, or 0; of OpenACC the site.";
        the_loop: u32, "The loop; of barriers and waits the one right before, if nothing came between; of a mutex the one around; else \
            [`crate::NOBODY`].";
        count: u64, "How many have ended.";
        sum: u64, "What they took.";
        min: u64, "The shortest.";
        max: u64, "The longest.";
        from: u64, "When the first began.";
        to: u64, "When the last ended.";
    }
}

/// Words of a sum's record, where a writer changes them in place.
pub mod word {
    #![allow(missing_docs, reason = "the names are those of `Sum`")]
    crate::record_kinds::words!(4: COUNT SUM MIN MAX FROM TO);
}

/// Words of an [`crate::Aggregate`]'s record, likewise.
pub mod aggregate {
    #![allow(missing_docs, reason = "the names are those of `Aggregate`")]
    crate::record_kinds::words!(2: EXECUTIONS CHUNKS ITERATIONS SUM MIN MAX CREATE_DURATION);
    /// The first of the histogram's counts.
    pub const COUNTS: usize = 10;
}

/// Counts by powers of two, as they stand in the file.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
pub struct Histogram<'a>(pub(crate) &'a [u8]);

impl Histogram<'_> {
    /// Bucket 0 counts durations of 0 and 1 ticks, bucket k those from 2^k to 2^(k+1)-1.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The bucket of a duration.
    pub const fn bucket(ticks: u64) -> usize {
        63 - (ticks | 1).leading_zeros() as usize
    }
}

impl<'a> From<&'a [u8]> for Histogram<'a> {
    /// Little-endian counts.
    fn from(bytes: &'a [u8]) -> Self {
        Histogram(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    /// Files of all recorders have been counted like this.
    #[test]
    fn buckets_are_powers_of_two() {
        assert_eq!((Histogram::bucket(0), Histogram::bucket(1)), (0, 0));
        for bucket in 1..64 {
            let first = 1u64 << bucket;
            assert_eq!(Histogram::bucket(first), bucket);
            assert_eq!(Histogram::bucket(first - 1), bucket - 1);
        }
        assert_eq!(Histogram::bucket(u64::MAX), 63);
    }
}
