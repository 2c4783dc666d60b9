//! The creation of a task that is in progress on a thread, and the time that counts for it.
//!
//! It is kept per thread and needs no memory of the program's. It knows its place on the stack only to be told from
//! others: nothing is read there.

use core::cell::Cell;
use core::ffi::{c_int, c_void};
use core::ptr;

use crate::runtime::RUNTIME;
use ompt::raw::{Data, Frame, ToolTimeFn};

/// What the thread does.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    /// It creates no task.
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
    created: Cell<bool>,
    pub(crate) flags: Cell<c_int>,
    pub(crate) has_dependences: Cell<c_int>,
    /// Where the stack of the code that creates ends: the same when it begins and when it ends. One more if it is
    /// inside another one, which is put aside; so one comparison asks for both.
    pub(crate) place: Cell<*const c_void>,
    /// Without one, every duration is 0.
    pub(crate) clock: Cell<Option<ToolTimeFn>>,
    since: Cell<f64>,
    pub(crate) spent: Cell<f64>,
    /// The datum of the task that creates. Null until an event tells it, which is so only where that event
    /// cannot be another's.
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
    /// Of a thread that creates nothing.
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    pub(crate) const NONE: Creation = Creation {
        state: Cell::new(State::Idle),
        created: Cell::new(false),
        flags: Cell::new(0),
        has_dependences: Cell::new(0),
        place: Cell::new(ptr::null()),
        clock: Cell::new(None),
        since: Cell::new(0.0),
        spent: Cell::new(0.0),
        parent: Cell::new(ptr::null_mut()),
        only: Cell::new(ptr::null_mut()),
        frame: Cell::new(ptr::null()),
        data: Cell::new(Data { value: 0 }),
        codeptr: Cell::new(ptr::null()),
    };

    #[inline]
    pub(crate) fn state(&self) -> State {
        self.state.get()
    }

    /// Whether it began at this place, and none is around it.
    #[inline]
    pub(crate) fn is_outermost_at(&self, place: *const c_void) -> bool {
        ptr::eq(self.place.get(), place)
    }

    /// Where it began.
    pub(crate) fn place(&self) -> *const c_void {
        self.place.get().map_addr(|address| address & !1)
    }

    /// Whether another one is put aside while this one is in progress.
    pub(crate) fn is_inside(&self) -> bool {
        self.place.get().addr() & 1 != 0
    }

    /// The place of a creation inside another one.
    pub(crate) fn inside(place: *const c_void) -> *const c_void {
        place.map_addr(|address| address | 1)
    }

    /// By the tool's clock; without one it is always 0.
    #[inline]
    fn now(&self) -> f64 {
        // SAFETY: a `ToolTimeFn` as its slot states.
        self.clock.get().map_or(0.0, |clock| unsafe { clock() })
    }

    /// Time counts from now on.
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

    /// A task was created and not reported yet.
    pub(crate) fn is_created(&self) -> bool {
        self.created.get()
    }

    /// The runtime has told of a task; `only` if no other can follow.
    ///
    /// # Safety
    ///
    /// `created.task` is null or the new task's datum.
    #[inline(always)]
    pub(crate) unsafe fn note(&self, created: Created, only: bool) {
        self.only.set(match only {
            true => created.task,
            false => ptr::null_mut(),
        });
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

    /// Whether this is the one task that this creation creates.
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

    /// A wait for dependences begins or ends.
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
        let Some(around) = around else {
            self.state.set(State::Idle);
            return;
        };
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
