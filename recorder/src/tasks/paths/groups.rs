//! Taskgroups: each has a record of its own, for the ends of the tasks in it.

use crate::tasks::pool::Pool;
use crate::tasks::record::Record;

/// A taskgroup begins in this task, whose end is that of a wait.
pub(super) fn begins(record: &Record, code: u64, pool: &mut Pool) {
    let group = pool.take(0);
    // SAFETY: just taken.
    unsafe {
        (*group).parent.set(record.inner.get());
        (*group).code.set(code);
    }
    record.inner.set(group);
}

/// The innermost taskgroup that this task began is over.
pub(super) fn ends(record: &Record, pool: &mut Pool) {
    let over = record.inner.get();
    if over.is_null() || over == record.group.get() {
        // It is the one of the task's creator.
        return;
    }
    // SAFETY: a taskgroup that is not left yet, and nothing that is in it goes on.
    unsafe {
        record.waits_for((*over).ends());
        record.inner.set((*over).parent.get());
        pool.leave(over);
    }
}

/// Taskgroups of a task that is over, whose end was not told.
pub(super) fn leave_all(record: &Record, pool: &mut Pool) {
    while record.inner.get() != record.group.get() && !record.inner.get().is_null() {
        ends(record, pool);
    }
}
