//! The events of a location, as libotf2 writes them: safe to call, and nothing is called any more after a failure.

use std::collections::HashMap;
use std::ptr;

use ompchunk_trace_format::Values;

use super::archive::{Archive, TICKS_PER_SECOND};
use super::symbols as otf2;
use super::symbols::{ErrorCode, SUCCESS, Symbols};
use crate::error::Error;
use crate::process::Process;

pub(super) struct Events<'a> {
    archive: &'a Archive,
    raw: *mut otf2::EvtWriter,
    attributes: *mut otf2::AttributeList,
    has_attributes: bool,
    /// The first failure, after which nothing is written.
    failed: Option<ErrorCode>,
}

impl<'a> Events<'a> {
    pub(super) fn from_archive(archive: &'a Archive, location: u64) -> Result<Events<'a>, Error> {
        let its = &archive.symbols;
        // SAFETY: an archive that is open, and files of events, too.
        let raw = unsafe { (its.Archive_GetEvtWriter)(archive.raw, location) };
        // SAFETY: takes nothing.
        let attributes = unsafe { (its.AttributeList_New)() };
        archive.check(SUCCESS)?;
        if raw.is_null() || attributes.is_null() {
            return Err(archive.failed(SUCCESS));
        }
        Ok(Events { archive, raw, attributes, has_attributes: false, failed: None })
    }

    #[inline]
    fn done(&mut self, code: ErrorCode) {
        if code > SUCCESS {
            self.failed.get_or_insert(code);
        }
    }

    /// The library empties the list of attributes after each event.
    #[inline]
    fn event(&mut self, write: impl FnOnce(&Symbols, *mut otf2::EvtWriter, *mut otf2::AttributeList) -> ErrorCode) {
        if self.failed.is_some() {
            return;
        }
        let attributes = if std::mem::take(&mut self.has_attributes) { self.attributes } else { ptr::null_mut() };
        let code = write(&self.archive.symbols, self.raw, attributes);
        self.done(code);
    }
}

macro_rules! values {
    ($($name:ident($($argument:ident: $type:ty)?) = $function:ident($value:expr);)*) => {
        impl Events<'_> {
            $(#[inline]
            pub(super) fn $name(&mut self, attribute: u32, $($argument: $type)?) {
                self.has_attributes = true;
                // SAFETY: the list is there as long as we are.
                let code = unsafe { (self.archive.symbols.$function)(self.attributes, attribute, $value) };
                self.done(code);
            })*
        }
    };
}

values! {
    unsigned(value: u64) = AttributeList_AddUint64(value);
    signed(value: i64) = AttributeList_AddInt64(value);
    float(value: f64) = AttributeList_AddDouble(value);
    flag() = AttributeList_AddUint8(1);
}

macro_rules! events {
    ($($(#[$about:meta])* $name:ident($($argument:ident: $type:ty),*) = $function:ident($($value:expr),*);)*) => {
        impl Events<'_> {
            $($(#[$about])* #[inline]
            pub(super) fn $name(&mut self, time: u64, $($argument: $type),*) {
                // SAFETY: writer and list are there as long as we are.
                self.event(|symbols, to, with| unsafe { (symbols.$function)(to, with, time, $($value),*) });
            })*
        }
    };
}

events! {
    enter(region: u32) = EvtWriter_Enter(region);
    leave(region: u32) = EvtWriter_Leave(region);
    parameter(parameter: u32, string: u32) = EvtWriter_ParameterString(parameter, string);
    fork(requested: u32) = EvtWriter_ThreadFork(otf2::PARADIGM_OPENMP, requested);
    join() = EvtWriter_ThreadJoin(otf2::PARADIGM_OPENMP);
    team_begin(team: u32) = EvtWriter_ThreadTeamBegin(team);
    team_end(team: u32) = EvtWriter_ThreadTeamEnd(team);
    /// `creator`: number in the team; `generation`: number among the creator's tasks, 0: the implicit one.
    task_create(team: u32, creator: u32, generation: u32) = EvtWriter_ThreadTaskCreate(team, creator, generation);
    task_switch(team: u32, creator: u32, generation: u32) = EvtWriter_ThreadTaskSwitch(team, creator, generation);
    task_complete(team: u32, creator: u32, generation: u32) = EvtWriter_ThreadTaskComplete(team, creator, generation);
}

impl Events<'_> {
    /// Writes what is left. Returns how many events there are.
    pub(super) fn finish(self) -> Result<u64, Error> {
        let (archive, its) = (self.archive, &self.archive.symbols);
        archive.check(self.failed.unwrap_or(SUCCESS))?;
        let mut count = 0;
        // SAFETY: a writer that is open, and a place for a number.
        archive.check(unsafe { (its.EvtWriter_GetNumberOfEvents)(self.raw, &mut count) })?;
        // SAFETY: neither is used any more.
        archive.check(unsafe { (its.AttributeList_Delete)(self.attributes) })?;
        // SAFETY: as above.
        archive.check(unsafe { (its.Archive_CloseEvtWriter)(archive.raw, self.raw) })?;
        Ok(count)
    }
}

macro_rules! attributes {
    ($($constant:ident = $number:literal, $kind:ident, $name:literal, $about:literal;)*) => {
        pub(super) mod attribute {
            $(pub(in crate) const $constant: u32 = $number;)*
        }

        /// Number, name, type and description of the attributes.
        pub(super) const ATTRIBUTES: &[(u32, &str, u8, &str)] =
            &[$(($number, $name, otf2::$kind, $about)),*];
    };
}

attributes! {
    LOWER = 0, TYPE_UINT64, "lower", "first logical iteration";
    ITERATIONS = 1, TYPE_UINT64, "iterations", "number of iterations";
    FIRST = 2, TYPE_INT64, "first", "the loop variable in the first iteration";
    LAST = 3, TYPE_INT64, "last", "the loop variable in the last iteration";
    CREATE_DURATION = 4, TYPE_DOUBLE, "create_duration_ns", "bookkeeping that led to the chunk, in nanoseconds";
    CUT = 5, TYPE_UINT8, "cut", "1: the trace ends here, and when this was left is not known";
    COUNT = 6, TYPE_UINT64, "count", "iterations of the loop, all threads together";
    START = 7, TYPE_INT64, "start", "first value of the loop variable";
    STEP = 8, TYPE_INT64, "step", "step of the loop variable";
    REGION = 9, TYPE_UINT64, "region", "number of the parallel region in its process";
    DURATION = 10, TYPE_DOUBLE, "duration_ns", "how long it took without the recorder's own time, which its regions did not let be left out";
    BYTES = 11, TYPE_UINT64, "bytes", "OpenACC and target: how much";
    ASYNC = 12, TYPE_INT64, "async", "OpenACC: the clause's argument, -1 without a value, -2 without the clause";
}

pub(super) const SCHEDULE: u32 = 0;

pub(super) struct Location {
    /// The number that all processes share.
    pub(super) number: u64,
    pub(super) thread: u32,
    pub(super) last: u64,
    /// Events; known when the location is closed.
    pub(super) count: u64,
}

pub(super) struct Locations<'a, 'p> {
    archive: &'a Archive,
    process: &'p Process<'p>,
    times: Times,
    /// Without events: the thread has ended.
    locations: Vec<(Location, Option<Events<'a>>)>,
    by_thread: HashMap<u32, usize>,
    pub(super) failed: Option<Error>,
}

impl<'a, 'p> Locations<'a, 'p> {
    pub(super) fn new(archive: &'a Archive, process: &'p Process<'p>) -> Locations<'a, 'p> {
        let start = process.part.clock().start;
        let times = Times { offset: process.ns(start), start, scale: process.duration(1) };
        Locations { archive, process, times, locations: Vec::new(), by_thread: HashMap::new(), failed: None }
    }

    /// A thread's location; `None`: the thread has ended.
    pub(super) fn location(&mut self, thread: u32) -> Option<usize> {
        let next = self.locations.len();
        let index = *self.by_thread.entry(thread).or_insert(next);
        if index == next {
            // As Score-P numbers them.
            let number = u64::from(thread) << 32 | self.process.index as u64;
            let events = Events::from_archive(self.archive, number);
            let events = events.map_err(|error| self.failed.get_or_insert(error)).ok();
            self.locations.push((Location { number, thread, last: 0, count: 0 }, events));
        }
        self.locations[index].1.is_some().then_some(index)
    }

    /// Writes at a time, or at the location's last one, if that is later.
    #[inline]
    pub(super) fn put(&mut self, index: usize, ticks: u64, write: impl FnOnce(&mut Events<'a>, u64)) {
        let time = self.times.of_ticks(ticks);
        let (location, events) = &mut self.locations[index];
        location.last = location.last.max(time);
        if let Some(to) = events {
            write(to, location.last);
            if to.failed.is_some() {
                self.close(index);
            }
        }
    }

    pub(super) fn is_past(&self, index: usize, ticks: u64) -> bool {
        self.locations[index].0.last > self.times.of_ticks(ticks)
    }

    pub(super) fn close(&mut self, index: usize) {
        let (location, events) = &mut self.locations[index];
        match events.take().map(Events::finish) {
            Some(Ok(count)) => location.count = count,
            Some(Err(error)) => _ = self.failed.get_or_insert(error),
            None => {}
        }
    }

    /// Closes them all; in the order of threads.
    pub(super) fn finish(mut self) -> Result<Vec<Location>, Error> {
        (0..self.locations.len()).for_each(|index| self.close(index));
        self.locations.sort_unstable_by_key(|(location, _)| location.thread);
        let locations = self.locations.into_iter().map(|(location, _)| location).collect();
        self.failed.map_or(Ok(locations), Err)
    }
}

/// From ticks to timestamps. Of all events, so what is the same for all is computed once.
struct Times {
    offset: f64,
    start: u64,
    /// Nanoseconds of a tick.
    scale: f64,
}

impl Times {
    /// Tenths of a nanosecond, which tables round to, too.
    #[inline]
    fn of_ticks(&self, ticks: u64) -> u64 {
        const _: () = assert!(TICKS_PER_SECOND == 10_000_000_000);
        let exact = (self.offset + ticks.saturating_sub(self.start) as f64 * self.scale) * 10.0;
        let whole = exact as u64;
        whole + u64::from(exact - whole as f64 >= 0.5)
    }
}

#[inline]
pub(super) fn range(to: &mut Events<'_>, lower: u64, iterations: u64, variable: Option<Values>) {
    to.unsigned(attribute::LOWER, lower);
    to.unsigned(attribute::ITERATIONS, iterations);
    let Some(variable) = variable else { return };
    let (first, last) = variable.range(lower, iterations);
    // What a signed number of 64 bits does not hold is left out.
    for (attribute, value) in [(attribute::FIRST, first), (attribute::LAST, last)] {
        if let Ok(value) = i64::try_from(value) {
            to.signed(attribute, value);
        }
    }
}
