//! What is known of a task that lives, in the runtime's word for it, where an implicit task has its lane.

use std::cell::Cell;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use ompt::raw::{Data, TASK_UNTIED};

use super::order::{Order, OrderIfAny};

/// In place of an address that a lane has.
const MARK: usize = usize::MAX;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Part {
    #[default]
    Other,
    /// One of its tasks, as far as is known.
    Task,
    /// One that the runtime made to create some of them.
    Creator,
}

/// A task, or a taskgroup. Who runs it has it alone, but for what is atomic: the runtime hands it from thread to thread.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Record {
    /// No thread's, so that no event takes it for the lane of an implicit task.
    owner: usize,
    mark: usize,
    pub(crate) next: Cell<*mut Record>,
    pub(crate) created: Cell<u64>,
    /// The task itself and those that it created, until they end; parts of an untied one that threads have not left.
    users: AtomicU32,
    /// Explicit tasks around it, and itself.
    pub(crate) depth: Cell<u32>,
    pub(crate) thread: Cell<u32>,
    pub(crate) flags: Cell<i32>,
    /// Its construct, by the return address of a call in the program; likewise for a taskgroup.
    pub(crate) code: Cell<u64>,
    pub(crate) call: Cell<u64>,
    /// Who created it; of a taskgroup the one around. Null: nobody that is known.
    pub(crate) parent: Cell<*mut Record>,
    /// The taskgroup that it was created in, or null.
    pub(crate) group: Cell<*mut Record>,
    /// The innermost that it is in by now, whose task it is or its creator's.
    pub(crate) inner: Cell<*mut Record>,
    /// It runs, or has run; of a taskgroup: a task was created in it.
    pub(crate) begun: Cell<bool>,
    /// `taskloop` constructs that it is in the middle of.
    pub(crate) taskloops: Cell<u32>,
    /// The last of them by a call in the program, and the one that created its tasks.
    pub(crate) taskloop: Cell<(u64, u64)>,
    /// One of a `taskloop`, and what is known of it.
    pub(crate) part: Cell<Part>,
    /// What dependences order of it and of what it creates.
    pub(crate) order: OrderIfAny,
    pub(crate) number: Cell<u32>,
    /// Ticks of the longest chain of work from the beginning of the region to where it is.
    path: AtomicU64,
    work: AtomicU64,
    /// The longest chain that led to the end of a task that it created; of a taskgroup, of a task in it.
    ends: AtomicU64,
}

impl Record {
    pub(crate) const MARK_AT: usize = offset_of!(Record, mark);
    pub(crate) const OWNER_AT: usize = offset_of!(Record, owner);

    pub(crate) fn new() -> Record {
        Record { mark: MARK, ..Record::default() }
    }

    /// A task, or a taskgroup, begins to be, where a chain of that length has led to.
    pub(crate) fn begin(&self, path: u64) {
        self.users.store(1, Ordering::Relaxed);
        self.depth.set(0);
        self.flags.set(0);
        self.parent.set(ptr::null_mut());
        self.group.set(ptr::null_mut());
        self.inner.set(ptr::null_mut());
        self.begun.set(false);
        self.taskloops.set(0);
        self.taskloop.set((0, 0));
        self.part.set(Part::Other);
        self.code.set(0);
        self.order.clear();
        self.path.store(path, Ordering::Relaxed);
        self.work.store(0, Ordering::Relaxed);
        self.ends.store(0, Ordering::Relaxed);
    }

    /// Whether a `taskloop` does. Tasks that a runtime makes for it to create the program's create one like themselves.
    pub(crate) fn creates(&self, created: &Record) {
        let call = created.call.get();
        if self.taskloops.get() > 0 {
            let (code, _) = self.taskloop.get();
            self.taskloop.set((code, call));
            created.part.set(Part::Task);
            created.code.set(code);
        } else if self.part.get() != Part::Other && self.call.get() == call {
            self.part.set(Part::Creator);
            created.code.set(self.code.get());
            created.part.set(Part::Task);
            created.depth.set(self.depth.get());
        }
    }

    pub(crate) fn is_explicit(&self) -> bool {
        self.depth.get() != 0
    }

    /// The number of an explicit task that is told, else 0. Only where tasks are told one by one.
    pub(crate) fn number(&self) -> u32 {
        if self.is_explicit() { self.number.get() } else { 0 }
    }

    pub(crate) fn is_untied(&self) -> bool {
        self.flags.get() & TASK_UNTIED != 0
    }

    /// It begins behind what it depends on, or goes on. False: that is not known.
    pub(crate) fn begins_in_order(&self) -> bool {
        if !self.order.is_any() || self.begun.get() {
            return true;
        }
        let path = self.order.change(Order::begins);
        self.waits_for(path.unwrap_or(0));
        path.is_some()
    }

    /// It is over: what depends on it comes behind it.
    pub(crate) fn ends_in_order(&self) {
        if self.order.is_any() {
            let path = self.path();
            self.order.change(|order| order.ends(path));
            self.order.clear();
        }
    }

    pub(crate) fn children_are_over(&self) {
        if self.order.is_any() {
            self.order.change(Order::all_are_over);
        }
    }

    pub(crate) fn path(&self) -> u64 {
        self.path.load(Ordering::Relaxed)
    }

    pub(crate) fn work(&self) -> u64 {
        self.work.load(Ordering::Relaxed)
    }

    pub(crate) fn take_work(&self) -> u64 {
        let work = self.work();
        self.work.store(0, Ordering::Relaxed);
        work
    }

    pub(crate) fn ends(&self) -> u64 {
        self.ends.load(Ordering::Relaxed)
    }

    pub(crate) fn child_ends(&self, path: u64) {
        raise(&self.ends, path);
    }

    pub(crate) fn works(&self, ticks: u64) {
        if self.is_untied() {
            // Another thread may run its next part before this one has told that it left it.
            self.path.fetch_add(ticks, Ordering::Relaxed);
            self.work.fetch_add(ticks, Ordering::Relaxed);
            return;
        }
        self.path.store(self.path().wrapping_add(ticks), Ordering::Relaxed);
        self.work.store(self.work().wrapping_add(ticks), Ordering::Relaxed);
    }

    /// It goes on where a chain of that length leads to, if its own is not longer.
    pub(crate) fn waits_for(&self, path: u64) {
        if path > self.path() {
            self.path.store(path, Ordering::Relaxed);
        }
    }

    pub(crate) fn goes_through(&self, span: u64) {
        self.path.store(self.path().wrapping_add(span), Ordering::Relaxed);
    }

    pub(crate) fn join(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    /// One less. True: nobody needs it any more.
    pub(crate) fn leave(&self) -> bool {
        // Who is the only one can be joined by nobody.
        self.users.load(Ordering::Acquire) == 1 || self.users.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    /// An implicit task's, or none at all.
    Other,
    /// An explicit task's, by the word's address, and its record: null where the recorder did not see it created.
    Task(usize, *mut Record),
}

/// Safety: null, or the runtime's: zero, or what the recorder stored, a lane or a record. Neither is ever freed.
pub(crate) unsafe fn word_of(task: *mut Data) -> Word {
    if task.is_null() {
        return Word::Other;
    }
    // SAFETY: the caller's promise; both have such a word, and that of a lane is never the mark.
    unsafe {
        let stored = (*task).ptr;
        if stored.is_null() {
            return Word::Task(task as usize, ptr::null_mut());
        }
        if ptr::addr_of!((*stored.cast::<Record>()).mark).read() == MARK {
            Word::Task(task as usize, stored.cast())
        } else {
            Word::Other
        }
    }
}

impl Word {
    pub(crate) fn task(self) -> Option<usize> {
        match self {
            Word::Task(task, _) => Some(task),
            Word::Other => None,
        }
    }
}

#[derive(Default)]
pub(crate) struct Team {
    /// Ticks of the longest chain that has ended before each barrier, in turn: a thread may leave the barrier late.
    ends: [AtomicU64; 2],
    has_tasks: AtomicBool,
    /// Something orders its tasks of which nothing is known.
    is_unknown: AtomicBool,
    /// Threads, as the first of them says.
    size: AtomicU32,
    /// The return address of the call that began the outermost region around, or this one.
    root: AtomicU64,
}

impl Team {
    pub(crate) fn begin(&self, root: u64) {
        self.ends.iter().for_each(|end| end.store(0, Ordering::Relaxed));
        self.has_tasks.store(false, Ordering::Relaxed);
        self.is_unknown.store(false, Ordering::Relaxed);
        self.root.store(root, Ordering::Relaxed);
    }

    pub(crate) fn root(&self) -> u64 {
        self.root.load(Ordering::Relaxed)
    }

    pub(crate) fn has_size(&self, size: u32) {
        self.size.store(size, Ordering::Relaxed);
    }

    pub(crate) fn size(&self) -> u32 {
        self.size.load(Ordering::Relaxed)
    }

    pub(crate) fn reaches(&self, barriers: u32, path: u64) {
        raise(&self.ends[barriers as usize & 1], path);
    }

    /// The longest of them. To be asked when that barrier is over.
    pub(crate) fn longest(&self, barriers: u32) -> u64 {
        self.ends[barriers as usize & 1].load(Ordering::Relaxed)
    }

    /// The longest of all. To be asked when the region is over.
    pub(crate) fn span(&self) -> u64 {
        self.longest(0).max(self.longest(1))
    }

    pub(crate) fn gets_task(&self) {
        if !self.has_tasks() {
            self.has_tasks.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.has_tasks.load(Ordering::Relaxed)
    }

    pub(crate) fn is_lost(&self) {
        self.is_unknown.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.is_unknown.load(Ordering::Relaxed)
    }
}

fn raise(number: &AtomicU64, least: u64) {
    // Most ends are not the last: they only look.
    if number.load(Ordering::Relaxed) < least {
        number.fetch_max(least, Ordering::Relaxed);
    }
}
