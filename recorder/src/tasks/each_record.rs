//! Tasks one by one, where that was asked for: where they are created, begin, are left and end, and their dependences.

use std::ffi::c_int;

use ompchunk_trace_format::Event;
use ompchunk_trace_format::tasks::OF_CREATOR;
use ompt::raw::{Data, Dependence, TaskStatus};

use super::record::{Part, Record, Word, word_of};
use crate::lane::Lane;
use crate::recorder::guard_lane;

/// A task as records name it: 0 if it is no explicit one, or is not told.
fn number_of(word: Word) -> u32 {
    match word {
        // SAFETY: null, or of a task that has not ended.
        Word::Task(_, record) => unsafe { record.as_ref() }.map_or(0, Record::number),
        Word::Other => 0,
    }
}

impl Lane {
    pub(crate) fn tell_created(&mut self, now: u64, task: *mut Record) {
        // SAFETY: just made, and nobody else's yet.
        let record = unsafe { &*task };
        // SAFETY: null, or of a task that has not ended.
        let parent = unsafe { record.parent.get().as_ref() };
        let around = parent.map_or(0, Record::number);
        let is_in_untold = around == 0 && parent.is_some_and(Record::is_explicit);
        let number = if self.silence.is_on || is_in_untold { 0 } else { self.number_of_new(now) };
        record.number.set(number);
        self.each.created(task, number);
        if number == 0 {
            if is_in_untold && self.each.why_lost().is_some() && !self.silence.is_on {
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
        if self.silence.is_on {
            return;
        }
        let number = self.number_of_new(now);
        self.each.taskwait = number;
        if number != 0 {
            self.know_code(now, code as usize);
            let around = self.tasks.number();
            self.put_created(now, [number, around], flags as u32, code);
        }
    }

    fn put_created(&mut self, now: u64, [task, parent]: [u32; 2], flags: u32, code: u64) {
        let created = Event::TaskCreate { task: task.into(), parent: parent.into(), flags, create_duration: 0, code };
        self.put(now, &created);
    }

    fn number_of_new(&mut self, now: u64) -> u32 {
        let number = if self.each.has_no_room() { 0 } else { self.each.number() };
        if number == 0 {
            self.lose_events(now, 1);
        }
        number
    }

    pub(crate) fn tell_creation(&mut self, task: *mut Data, duration: u64) {
        if task.is_null() || self.silence.is_on {
            return;
        }
        // SAFETY: the shim's copy of the runtime's word.
        let record = unsafe { (*task).ptr };
        let number = self.each.number_of(record.cast());
        if number != 0 {
            let creation = Event::TaskCreation { task: number.into(), duration };
            // It has no time of its own: the clock was read for the duration.
            self.put(self.last, &creation);
        }
    }

    /// The thread goes from one task to another. To be called while both are there.
    pub(crate) fn tell_switch(&mut self, now: u64, from: Word, to: Word, status: TaskStatus) {
        // Whether or not it is told.
        let is_known = |word| matches!(word, Word::Task(_, record) if !record.is_null());
        if self.silence.is_on || !(is_known(from) || is_known(to)) {
            return;
        }
        let (prior, next) = (number_of(from), number_of(to));
        if prior == 0 && next == 0 {
            if self.each.why_lost().is_some() {
                self.lose_events(now, 1);
            }
            return;
        }
        let event = Event::TaskSchedule { prior: prior.into(), status, next: next.into() };
        self.put(now, &event);
    }

    fn tell_dependences(&mut self, task: Word, dependences: &[Dependence]) {
        let taskwait = std::mem::take(&mut self.each.taskwait);
        let number = match number_of(task) {
            0 => taskwait,
            number => number,
        };
        if number == 0 || self.silence.is_on {
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

/// `ompt_callback_dependences`. `EACH`: tasks are told one by one.
pub(crate) unsafe extern "C" fn dependences<const EACH: bool>(task: *mut Data, list: *const Dependence, count: c_int) {
    let count = usize::try_from(count).unwrap_or(0);
    if list.is_null() || count == 0 {
        return;
    }
    // SAFETY: null, or the runtime's word; and so many dependences, as long as this callback lasts.
    let (word, dependences) = unsafe { (word_of(task), std::slice::from_raw_parts(list, count)) };
    guard_lane(|lane| {
        if let Word::Task(address, record) = word {
            lane.tasks.depends(address, record, dependences);
        }
        if EACH {
            lane.tell_dependences(word, dependences);
        }
    });
}
