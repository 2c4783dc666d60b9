//! `fork`: the child begins a part of its own with its first region or loop; without OpenMP it leaves none.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::part::SHARED;
use crate::stacks::control as stacks;
use crate::tasks::pool::SPARE;

static WRITER: AtomicU32 = AtomicU32::new(0);
static PARENT: AtomicU32 = AtomicU32::new(0);
static HELD: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_ours() {
    WRITER.store(std::process::id(), Ordering::Relaxed);
}

/// Whether it was this process, and no copy of it that was made without libc's knowledge.
pub(crate) fn is_writer() -> bool {
    WRITER.load(Ordering::Relaxed) == std::process::id()
}

static WATCHED: AtomicBool = AtomicBool::new(false);

pub(crate) fn watch() {
    if !WATCHED.swap(true, Ordering::AcqRel) {
        // SAFETY: the functions stay as long as this library, which is never unloaded before the process ends.
        unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    }
}

/// To be called before a lock is taken: a runtime that starts over in its own fork handler sends events before ours has run.
#[inline]
pub(crate) fn settle() {
    if HELD.load(Ordering::Acquire) && PARENT.load(Ordering::Relaxed) != std::process::id() {
        leave_parent();
    }
}

#[inline(always)]
pub(crate) fn is_settled() -> bool {
    !HELD.load(Ordering::Acquire)
}

unsafe extern "C" fn before() {
    SHARED.take();
    // SAFETY: taken.
    unsafe { SHARED.value() }.close_short_way();
    SPARE.take();
    stacks::hold();
    PARENT.store(std::process::id(), Ordering::Relaxed);
    HELD.store(true, Ordering::Release);
}

unsafe extern "C" fn in_parent() {
    HELD.store(false, Ordering::Release);
    stacks::let_go();
    SPARE.release();
    SHARED.release();
}

unsafe extern "C" fn in_child() {
    leave_parent();
}

fn leave_parent() {
    if !HELD.swap(false, Ordering::AcqRel) {
        return;
    }
    stacks::let_go();
    stacks::in_child();
    SPARE.release();
    // SAFETY: `before` has taken the lock, on this thread.
    let shared = unsafe { SHARED.value() };
    if !shared.finished {
        shared.forget_parent(PARENT.load(Ordering::Relaxed));
    }
    SHARED.release();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::tasks::pool::Pool;

    /// More records than one pool keeps.
    fn tasks(pool: &mut Pool) {
        let taken: Vec<_> = (0..1000).map(|_| pool.take(0)).collect();
        taken.into_iter().for_each(|record| pool.give(record));
    }

    /// Whatever other threads do with tasks at that moment.
    #[test]
    fn a_forked_process_can_begin_tasks() {
        const FORKS: usize = 300;
        const PATIENCE: u32 = 20;
        super::watch();
        let over = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| {
                    let mut pool = Pool::default();
                    while !over.load(Ordering::Relaxed) {
                        tasks(&mut pool);
                    }
                });
            }
            let mut stuck = 0;
            for _ in 0..FORKS {
                // SAFETY: the child calls what a child of many threads may, and tasks, which is what is tested.
                let status = unsafe {
                    let child = libc::fork();
                    if child == 0 {
                        // Who waits for ever is killed.
                        libc::alarm(PATIENCE);
                        tasks(&mut Pool::default());
                        libc::_exit(0);
                    }
                    let mut status = 0;
                    assert_eq!(libc::waitpid(child, &mut status, 0), child);
                    status
                };
                stuck += usize::from(status != 0);
                if stuck > 0 {
                    break;
                }
            }
            over.store(true, Ordering::Relaxed);
            assert_eq!(stuck, 0, "a child waits for a lock that nobody has");
        });
    }
}
