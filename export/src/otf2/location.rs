//! The locations of a process, one per thread, and what is written to them: timestamps ascend in each.

use std::collections::HashMap;

use ompchunk_trace_format::Values;

use super::archive::{Archive, TICKS_PER_SECOND};
use super::events::Events;
use crate::error::Error;
use crate::process::Process;

/// Attributes of events, by their numbers in all archives; `definitions` has their names.
pub(super) mod attribute {
    pub(in super::super) const LOWER: u32 = 0;
    pub(in super::super) const ITERATIONS: u32 = 1;
    pub(in super::super) const FIRST: u32 = 2;
    pub(in super::super) const LAST: u32 = 3;
    pub(in super::super) const CREATE_DURATION: u32 = 4;
    pub(in super::super) const CUT: u32 = 5;
    pub(in super::super) const COUNT: u32 = 6;
    pub(in super::super) const START: u32 = 7;
    pub(in super::super) const STEP: u32 = 8;
    pub(in super::super) const REGION: u32 = 9;
    pub(in super::super) const DURATION: u32 = 10;
    /// Of OpenACC.
    pub(in super::super) const BYTES: u32 = 11;
    /// Of OpenACC.
    pub(in super::super) const ASYNC: u32 = 12;
}

/// The parameter `schedule`.
pub(super) const SCHEDULE: u32 = 0;

/// A thread's events.
#[derive(Debug)]
pub(super) struct Location {
    /// Everybody's number of it.
    pub(super) number: u64,
    pub(super) thread: u32,
    /// Its last timestamp.
    pub(super) last: u64,
    /// How many events there are, when it is closed.
    pub(super) count: u64,
    /// Tasks that it created.
    tasks: u32,
}

/// Those of a process.
pub(super) struct Locations<'a, 'p> {
    archive: &'a Archive,
    process: &'p Process<'p>,
    times: Times,
    /// Without events: it has ended.
    all: Vec<(Location, Option<Events<'a>>)>,
    by_thread: HashMap<u32, usize>,
    failed: Option<Error>,
}

impl<'a, 'p> Locations<'a, 'p> {
    pub(super) fn new(archive: &'a Archive, process: &'p Process<'p>) -> Locations<'a, 'p> {
        Locations {
            archive,
            process,
            times: Times::of(process),
            all: Vec::new(),
            by_thread: HashMap::new(),
            failed: None,
        }
    }

    /// A thread's; `None` when it has ended.
    pub(super) fn of(&mut self, thread: u32) -> Option<usize> {
        let at = match self.by_thread.get(&thread) {
            Some(at) => *at,
            None => self.open(thread),
        };
        self.all[at].1.is_some().then_some(at)
    }

    fn open(&mut self, thread: u32) -> usize {
        // As Score-P numbers them.
        let number = u64::from(thread) << 32 | self.process.index as u64;
        let events = match Events::of(self.archive, number) {
            Ok(events) => Some(events),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        };
        let at = self.all.len();
        self.by_thread.insert(thread, at);
        let location = Location {
            number,
            thread,
            last: 0,
            count: 0,
            tasks: 0,
        };
        self.all.push((location, events));
        at
    }

    /// Writes at a time, or at the location's last one, if that is later.
    #[inline]
    pub(super) fn put(&mut self, at: usize, ticks: u64, write: impl FnOnce(&mut Events<'a>, u64)) {
        let time = self.times.at(ticks);
        let (location, events) = &mut self.all[at];
        location.last = location.last.max(time);
        if let Some(to) = events {
            write(to, location.last);
            if to.has_failed() {
                let error = events.take().and_then(|it| it.finish().err());
                self.failed = self.failed.take().or(error);
            }
        }
    }

    /// Is something written that was later?
    pub(super) fn is_past(&self, at: usize, ticks: u64) -> bool {
        self.all[at].0.last > self.times.at(ticks)
    }

    /// Counts a task that the thread creates.
    pub(super) fn task(&mut self, at: usize) -> u32 {
        let tasks = &mut self.all[at].0.tasks;
        std::mem::replace(tasks, tasks.wrapping_add(1))
    }

    pub(super) fn close(&mut self, at: usize) {
        let (location, events) = &mut self.all[at];
        match events.take().map(Events::finish) {
            Some(Ok(count)) => location.count = count,
            Some(Err(error)) => {
                self.failed.get_or_insert(error);
            }
            None => {}
        }
    }

    /// What could not be written.
    pub(super) fn failure(&mut self) -> Option<Error> {
        self.failed.take()
    }

    /// Closes them all; in the order of threads.
    pub(super) fn finish(mut self) -> Result<Vec<Location>, Error> {
        (0..self.all.len()).for_each(|at| self.close(at));
        if let Some(error) = self.failed {
            return Err(error);
        }
        let mut all: Vec<Location> = self.all.into_iter().map(|it| it.0).collect();
        all.sort_unstable_by_key(|it| it.thread);
        Ok(all)
    }
}

/// From ticks to timestamps. Of all events, so what is the same for all is computed once.
#[derive(Debug, Clone, Copy)]
struct Times {
    offset: f64,
    start: u64,
    /// Nanoseconds of a tick.
    scale: f64,
}

impl Times {
    fn of(process: &Process<'_>) -> Times {
        let start = process.part.clock().start;
        Times {
            offset: process.ns(start),
            start,
            scale: process.duration(1),
        }
    }

    /// Tenths of a nanosecond, which tables round to, too.
    #[inline]
    fn at(self, ticks: u64) -> u64 {
        const _: () = assert!(TICKS_PER_SECOND == 10_000_000_000);
        let exact = (self.offset + ticks.saturating_sub(self.start) as f64 * self.scale) * 10.0;
        let whole = exact as u64;
        whole + u64::from(exact - whole as f64 >= 0.5)
    }
}

/// Attributes of a chunk, or of a part of one.
#[inline]
pub(super) fn range(to: &mut Events<'_>, lower: u64, iterations: u64, variable: Option<Values>) {
    to.unsigned(attribute::LOWER, lower);
    to.unsigned(attribute::ITERATIONS, iterations);
    if let Some(variable) = variable {
        let (first, last) = variable.range(lower, iterations);
        // What a signed number of 64 bits does not hold is left out.
        i64::try_from(first)
            .into_iter()
            .for_each(|it| to.signed(attribute::FIRST, it));
        i64::try_from(last)
            .into_iter()
            .for_each(|it| to.signed(attribute::LAST, it));
    }
}
