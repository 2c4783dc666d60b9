//! The creation of a task that is in progress on a thread, and the time that counts for it.
//!
//! It is kept per thread and needs no memory of the program's. It knows its place on the stack only to be told from
//! others: nothing is read there.

use core::cell::{Cell, RefCell};
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use ompt::raw::{Data, Frame, ToolTimeFn};

use crate::runtime::RUNTIME;
use crate::start::report;

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    Idle = 0,
    /// It creates one: time passes that counts.
    Running,
    /// It runs other tasks meanwhile, or creates one inside.
    Elsewhere,
    /// The program waits for dependences.
    Waiting,
    /// The task runs at once, which ends its creation.
    Begun,
    /// It has run, and the thread is back.
    Over,
}

/// A creation. All bits 0 is that of a thread that creates nothing.
#[derive(Clone)]
pub(crate) struct Creation {
    state: Cell<State>,
    /// What `frame` and the following say is of a task that was created. False when a creation begins.
    pub(crate) created: Cell<bool>,
    pub(crate) flags: Cell<c_int>,
    pub(crate) has_dependences: Cell<c_int>,
    /// Where the stack of the code that creates ends, and one more if the creation is inside another: one test asks for both.
    pub(crate) place: Cell<*const c_void>,
    /// Without one, every duration is 0.
    pub(crate) clock: Cell<Option<ToolTimeFn>>,
    since: Cell<f64>,
    pub(crate) spent: Cell<f64>,
    /// The datum of the task that creates. Null until an event tells it, where that event cannot be another's.
    pub(crate) parent: Cell<*mut Data>,
    /// Then the datum of the task created, else null. To be compared, not to be read: that task may be gone.
    only: Cell<*mut Data>,
    pub(crate) frame: Cell<*const Frame>,
    /// The tool's value as its own callback left it.
    pub(crate) data: Cell<Data>,
    pub(crate) codeptr: Cell<*const c_void>,
}

/// The arguments of `ompt_callback_task_create`.
#[derive(Clone, Copy)]
pub(crate) struct Created {
    pub(crate) parent: *mut Data,
    pub(crate) frame: *const Frame,
    pub(crate) task: *mut Data,
    pub(crate) flags: c_int,
    pub(crate) has_dependences: c_int,
    pub(crate) codeptr: *const c_void,
}

impl Creation {
    #[inline]
    pub(crate) fn state(&self) -> State {
        self.state.get()
    }

    pub(crate) fn place(&self) -> *const c_void {
        self.place.get().map_addr(|address| address & !1)
    }

    /// Whether another one is put aside while this one is in progress.
    pub(crate) fn is_inside(&self) -> bool {
        self.place.get().addr() & 1 != 0
    }

    pub(crate) fn inside(place: *const c_void) -> *const c_void {
        place.map_addr(|address| address | 1)
    }

    /// By the tool's clock; without one it is always 0.
    #[inline]
    fn now(&self) -> f64 {
        // SAFETY: a `ToolTimeFn` as its slot states.
        self.clock.get().map_or(0.0, |clock| unsafe { clock() })
    }

    #[inline]
    pub(crate) fn start(&self) {
        self.state.set(State::Running);
        self.since.set(self.now());
    }

    /// What counts until now.
    #[inline]
    fn total(&self) -> f64 {
        if self.state() != State::Running {
            return self.spent.get();
        }
        let now = self.now();
        self.spent.get() + (now - self.since.get())
    }

    /// Time that counts ends here, if it did count.
    #[inline]
    pub(crate) fn stop(&self, state: State) {
        if self.state() == State::Running {
            self.spent.set(self.total());
            self.state.set(state);
        }
    }

    /// Whether a task that is created now is the one that this creation creates, and needs no other test.
    #[inline]
    pub(crate) fn creates_one(&self) -> bool {
        self.state() == State::Running && self.parent.get().is_null()
    }

    /// Whether a task that this task creates now is what this creation creates.
    pub(crate) fn is_of(&self, parent: *mut Data) -> bool {
        self.creates_one() || (self.state() == State::Running && ptr::eq(self.parent.get(), parent))
    }

    /// The runtime has told of a task; `only` if no other can follow.
    /// Safety: `created.task` is null or the new task's datum.
    #[inline(always)]
    pub(crate) unsafe fn store_created(&self, created: Created, only: bool) {
        self.only.set(if only { created.task } else { ptr::null_mut() });
        self.parent.set(created.parent);
        self.frame.set(created.frame);
        // SAFETY: alive during the event.
        let data = unsafe { created.task.as_ref() };
        self.data.set(data.map_or(Data { value: 0 }, |data| *data));
        self.codeptr.set(created.codeptr);
        self.flags.set(created.flags);
        self.has_dependences.set(created.has_dependences);
        self.created.set(true);
    }

    #[inline]
    pub(crate) fn is_only(&self, task: *mut Data) -> bool {
        self.created.get() && ptr::eq(task, self.only.get()) && !task.is_null()
    }

    /// The thread goes on with another task.
    #[inline]
    pub(crate) fn goes_from(&self, prior: *mut Data, next: *mut Data) {
        if self.is_only(next) {
            self.begun();
        } else {
            self.goes_elsewhere(prior, next);
        }
    }

    #[inline(never)]
    extern "C" fn begun(&self) {
        self.stop(State::Begun);
    }

    #[inline(never)]
    extern "C" fn goes_elsewhere(&self, prior: *mut Data, next: *mut Data) {
        if self.state() != State::Running || next.is_null() || ptr::eq(next, self.parent.get()) {
            return;
        }
        if self.parent.get().is_null() {
            self.parent.set(prior);
        }
        self.stop(State::Elsewhere);
    }

    /// It has gone there.
    #[inline]
    pub(crate) fn comes_to(&self, next: *mut Data) {
        if ptr::eq(next, self.parent.get()) {
            match self.state() {
                State::Begun => self.state.set(State::Over),
                State::Elsewhere => self.start_again(),
                _ => {}
            }
        }
    }

    #[inline(never)]
    extern "C" fn start_again(&self) {
        self.start();
    }

    pub(crate) fn wait(&self) {
        match self.state() {
            State::Waiting => self.start(),
            _ => self.stop(State::Waiting),
        }
    }

    /// Puts a creation aside while the thread creates a task inside.
    pub(crate) fn put_aside(&self) -> Creation {
        let aside = self.clone();
        // With the time until now, but in its old state.
        aside.spent.set(self.total());
        self.created.set(false);
        aside
    }

    /// Goes on with the one around when this one is left, whose task may just have begun to run.
    pub(crate) fn put_back(&self, around: Option<Creation>) {
        let begun = matches!(self.state(), State::Begun | State::Elsewhere);
        let Some(around) = around else { return self.state.set(State::Idle) };
        let counts = around.state() == State::Running;
        // SAFETY: cells of one thread, to none of which a reference exists.
        unsafe { ptr::from_ref(self).cast_mut().write(around) };
        match (counts, begun) {
            (true, false) => self.start(),
            (true, true) => self.state.set(State::Elsewhere),
            (false, _) => {}
        }
    }

    /// The program has left it by other means than its end. What was created is reported.
    pub(crate) fn give_up(&self) {
        self.stop(State::Over);
        // The parent may be over, and its datum gone.
        let runs = RUNTIME.current_task().map(|(task, _)| task);
        if runs.is_some_and(|task| ptr::eq(task, self.parent.get())) {
            self.report();
        }
        self.created.set(false);
        self.state.set(State::Idle);
    }

    /// The creation is over, and none was around it.
    #[inline]
    pub(crate) fn end(&self) {
        let spent = self.total();
        self.state.set(State::Idle);
        if self.created.replace(false) {
            self.send(spent);
        }
    }

    /// Reports the task created last; what is spent from now on is the next one's.
    pub(crate) fn report(&self) {
        let spent = self.spent.replace(0.0);
        if self.created.replace(false) {
            self.send(spent);
        }
    }
}

// Creations of tasks around the one in progress, put aside: per thread, the innermost last. A program says where on the stack
// a creation began. Code that is called has its place further down, so one whose place lies below that of a new creation, or of
// the end of an earlier one, was left by an exception or a jump. It is given up: reported if its task was created, and
// forgotten. Thus what is kept is never more than what nests.
// Where a program changes stacks within a creation, one in progress may seem left: its event comes early, its end is ignored.

/// Code that was inlined begins at the same place as the code around it. No more than this many do.
const AT_ONE_PLACE: usize = 8;
/// Memory for more than these is given back when the last is.
const KEPT: usize = 1024;

thread_local! {
    static ASIDE: RefCell<Vec<Creation>> = const { RefCell::new(Vec::new()) };
}

/// Runs `change` on the creations put aside; none after the thread has freed them.
fn aside<T>(change: impl FnOnce(&mut Vec<Creation>) -> T) -> Option<T> {
    let changed = ASIDE.try_with(|aside| Some(change(&mut *aside.try_borrow_mut().ok()?)));
    changed.ok().flatten()
}

/// Makes room for a creation at `place` within one in progress. Gives the place to keep; null: it is not reported.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn make_room(here: &Creation, place: *const c_void) -> *const c_void {
    give_up_below(here, place);
    while here.state() != State::Idle && is_crowded(here, place) {
        give_up(here);
    }
    if here.state() == State::Idle {
        return place;
    }
    let has_room = aside(|creations| creations.try_reserve(1).is_ok());
    if has_room != Some(true) {
        complain();
        return ptr::null();
    }
    let around = here.put_aside();
    aside(|creations| creations.push(around));
    Creation::inside(place)
}

/// The program says that the creation at `place` is over, and it is not the only one.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn leave(here: &Creation, place: *const c_void) {
    give_up_below(here, place);
    if here.state() == State::Idle || here.place() != place {
        return;
    }
    here.stop(State::Over);
    here.report();
    go_back(here);
}

/// The runtime's event comes from code that a creation in progress has called, or that one was left.
pub(crate) fn give_up_dead(here: &Creation) {
    let of_this_call = 0_u8;
    give_up_below(here, (&raw const of_this_call).cast());
}

/// Gives up what began further down the stack than `place`.
fn give_up_below(here: &Creation, place: *const c_void) {
    while here.state() != State::Idle && here.place() < place {
        give_up(here);
    }
}

fn give_up(here: &Creation) {
    here.give_up();
    go_back(here);
}

/// Are there as many at this place as can be?
fn is_crowded(here: &Creation, place: *const c_void) -> bool {
    let behind = |creations: &mut Vec<Creation>| {
        let inward = creations.iter().rev();
        let there = inward.take_while(|creation| creation.place() == place);
        there.take(AT_ONE_PLACE).count()
    };
    here.place() == place && here.is_inside() && aside(behind).unwrap_or(0) + 1 >= AT_ONE_PLACE
}

/// Goes on with the creation around this one, if there is one.
fn go_back(here: &Creation) {
    let around = if here.is_inside() { aside(take_innermost).flatten() } else { None };
    here.put_back(around);
}

fn take_innermost(creations: &mut Vec<Creation>) -> Option<Creation> {
    let innermost = creations.pop();
    if creations.is_empty() && creations.capacity() > KEPT {
        *creations = Vec::new();
    }
    innermost
}

fn complain() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        report::complain(format_args!(
            "no memory for the creation of a task within that of another; some of these have no event. \
             Let fewer tasks run at once, as with a final or if clause that bounds their depth"
        ));
    }
}
