//! Tasks that are told one by one, where that was asked for: a number for each, and records of its creation, of where threads
//! begin, leave and end it, and of its dependences. They take at most a part of the room, so that what is around them, and all
//! sums, still have some.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ompchunk_trace_format::tasks::OF_CREATOR;
use ompchunk_trace_format::{Event, Reason};
use ompt::raw::{Data, Dependence, Frame, TASK_EXPLICIT, TaskStatus};

use super::events;
use super::record::{Part, Record, Word, word_of};
use crate::callbacks::guard;
use crate::lane::Lane;
use crate::recorder::with_lane;

/// The next number that no lane has. 0 is no task.
static NEXT: AtomicU64 = AtomicU64::new(1);
/// So many go to a lane at once.
const BATCH: u64 = 1024;

/// Tasks that are created from now on have no room.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Creations of which a lane knows the numbers: what one took is told behind it, and others may come between.
const LATEST: usize = 8;

/// A part begins.
pub(crate) fn begin_part() {
    IS_FULL.store(false, Ordering::Relaxed);
}

/// The part has grown up to `end`, of so many bytes at most: from three quarters on no task is told any more.
pub(crate) fn part_grows(end: u64, max_size: u64) {
    if end > max_size / 4 * 3 {
        IS_FULL.store(true, Ordering::Relaxed);
    }
}

/// What a lane needs to tell tasks.
#[derive(Debug)]
pub(crate) struct Each {
    next: u64,
    end: u64,
    latest: [(*mut Record, u32); LATEST],
    at: usize,
    /// The number of a `taskwait` whose dependences are told next.
    taskwait: u32,
    /// The lane had none for some task.
    no_room: bool,
}

impl Default for Each {
    fn default() -> Each {
        Each {
            next: 0,
            end: 0,
            latest: [(ptr::null_mut(), 0); LATEST],
            at: 0,
            taskwait: 0,
            no_room: false,
        }
    }
}

impl Each {
    /// A number that no task of the process has, or 0: there is none left.
    fn number(&mut self) -> u32 {
        if self.next == self.end {
            self.next = NEXT.fetch_add(BATCH, Ordering::Relaxed);
            self.end = self.next.saturating_add(BATCH);
        }
        let number = u32::try_from(self.next).unwrap_or(0);
        self.next += 1;
        number
    }

    /// Why tasks are lost, if the lane itself has room.
    pub(crate) fn why_lost(&self) -> Option<Reason> {
        self.no_room.then_some(Reason::MaxSize)
    }

    /// The lane is of no part any more.
    pub(crate) fn leave_part(&mut self) {
        self.no_room = false;
    }

    fn created(&mut self, record: *mut Record, number: u32) {
        self.latest[self.at] = (record, number);
        self.at = (self.at + 1) % LATEST;
    }

    /// The number of a task that the lane created lately. Not asked of the record, which may be another task's by now.
    fn number_of(&self, record: *mut Record) -> u32 {
        let newest_first = (1..=LATEST).map(|back| self.latest[(self.at + LATEST - back) % LATEST]);
        let mut same = newest_first.filter(|(of, _)| ptr::eq(*of, record));
        same.next().map_or(0, |(_, number)| number)
    }
}

/// A task as records name it: 0 if it is no explicit one, or is not told.
fn number_of(word: Word) -> u32 {
    match word {
        // SAFETY: null, or of a task that has not ended.
        Word::Task(_, record) => unsafe { record.as_ref() }.map_or(0, Record::number),
        Word::Other => 0,
    }
}

/// What a switch between two tasks is told as.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switch {
    prior: u32,
    next: u32,
    /// One of them is known, whether or not it is told.
    is_known: bool,
}

impl Switch {
    /// To be asked while both tasks are there.
    pub(crate) fn of(from: Word, to: Word) -> Switch {
        let is_known = |word| matches!(word, Word::Task(_, record) if !record.is_null());
        Switch {
            prior: number_of(from),
            next: number_of(to),
            is_known: is_known(from) || is_known(to),
        }
    }
}

impl Lane {
    /// The thread has created a task.
    pub(crate) fn tell_created(&mut self, now: u64, task: *mut Record) {
        // SAFETY: just made, and nobody else's yet.
        let record = unsafe { &*task };
        // SAFETY: null, or of a task that has not ended.
        let parent = unsafe { record.parent.get().as_ref() };
        let around = parent.map_or(0, Record::number);
        let is_in_untold = around == 0 && parent.is_some_and(Record::is_explicit);
        let number = match self.silent || is_in_untold {
            true => 0,
            false => self.number_of_new(now),
        };
        record.set_number(number);
        // Also where it has none: the record may have been that of a task that has one.
        self.tasks.each.created(task, number);
        if number == 0 {
            if is_in_untold && self.tasks.each.no_room && !self.silent {
                self.lose_events(now, 1);
            }
            return;
        }
        let of_creator = match parent.map(|parent| parent.part.get()) {
            Some(Part::Creator) => OF_CREATOR,
            _ => 0,
        };
        let flags = record.flags.get() as u32 | of_creator;
        self.put_created(now, [number, around], flags, record.code.get());
    }

    /// A `taskwait` that has dependences. It is in no task's word: they come next.
    pub(crate) fn tell_taskwait(&mut self, now: u64, flags: i32, code: u64) {
        if self.silent {
            return;
        }
        let number = self.number_of_new(now);
        self.tasks.each.taskwait = number;
        if number != 0 {
            self.know_code(now, code as usize);
            let around = self.tasks.paths.number();
            self.put_created(now, [number, around], flags as u32, code);
        }
    }

    fn put_created(&mut self, now: u64, [task, parent]: [u32; 2], flags: u32, code: u64) {
        let created = Event::TaskCreate {
            task: task.into(),
            parent: parent.into(),
            flags,
            create_duration: 0,
            code,
        };
        self.put(now, &created);
    }

    /// 0, counted as lost, if there is no room for more.
    fn number_of_new(&mut self, now: u64) -> u32 {
        let number = match IS_FULL.load(Ordering::Relaxed) {
            true => 0,
            false => self.tasks.each.number(),
        };
        if number == 0 {
            self.tasks.each.no_room = true;
            self.lose_events(now, 1);
        }
        number
    }

    /// What the creation took that the thread just told.
    pub(crate) fn tell_creation(&mut self, task: *mut Data, duration: u64) {
        if task.is_null() || self.silent {
            return;
        }
        // SAFETY: the shim's copy of the runtime's word.
        let record = unsafe { (*task).ptr };
        let number = self.tasks.each.number_of(record.cast());
        if number != 0 {
            let creation = Event::TaskCreation {
                task: number.into(),
                duration,
            };
            // It has no time of its own: the clock was read for the duration.
            self.put(self.last, &creation);
        }
    }

    /// The thread goes from one task to another.
    pub(crate) fn tell_switch(&mut self, now: u64, switch: Switch, status: TaskStatus) {
        if self.silent || !switch.is_known {
            return;
        }
        if switch.prior == 0 && switch.next == 0 {
            if self.tasks.each.no_room {
                self.lose_events(now, 1);
            }
            return;
        }
        let event = Event::TaskSchedule {
            prior: switch.prior.into(),
            status,
            next: switch.next.into(),
        };
        self.put(now, &event);
    }

    fn tell_dependences(&mut self, task: Word, dependences: &[Dependence]) {
        let taskwait = std::mem::take(&mut self.tasks.each.taskwait);
        let number = match number_of(task) {
            0 => taskwait,
            number => number,
        };
        if number == 0 || self.silent {
            return;
        }
        for dependence in dependences {
            let event = Event::TaskDependence {
                task: number.into(),
                kind: dependence.dependence_type,
                // SAFETY: an address or a number; both have these bits.
                variable: unsafe { dependence.variable.value },
            };
            // Told with the creation, which read the clock.
            self.put(self.last, &event);
        }
    }
}

/// `ompt_callback_task_creation`, where tasks are told one by one.
pub(crate) unsafe extern "C" fn task_creation(
    parent: *mut Data,
    frame: *const Frame,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    duration: f64,
    code: *const c_void,
) {
    // SAFETY: the shim's arguments, as they came.
    unsafe { events::task_creation(parent, frame, task, flags, has_dependences, duration, code) };
    if flags & TASK_EXPLICIT != 0 {
        guard(|| {
            with_lane(|lane| lane.tell_creation(task, duration as u64));
        });
    }
}

/// `ompt_callback_dependences`, asked for where tasks are told one by one.
pub(crate) unsafe extern "C" fn dependences(
    task: *mut Data,
    dependences: *const Dependence,
    count: c_int,
) {
    let count = usize::try_from(count).unwrap_or(0);
    if dependences.is_null() || count == 0 {
        return;
    }
    // SAFETY: null, or the runtime's word; and so many dependences, as long as this callback lasts.
    let (word, dependences) = unsafe {
        (
            word_of(task),
            std::slice::from_raw_parts(dependences, count),
        )
    };
    guard(|| {
        with_lane(|lane| lane.tell_dependences(word, dependences));
    });
}
