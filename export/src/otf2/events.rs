//! The events of a location, as libotf2 writes them: safe to call, and nothing is called any more after a failure.

use std::ptr;

use super::archive::Archive;
use super::symbols::{self as otf2, ErrorCode, SUCCESS, Symbols};
use crate::error::Error;

/// Calls a function of the library, which adds an attribute to the list.
macro_rules! attribute {
    ($events:ident => $function:ident($($argument:expr),*)) => {
        $events.has_attributes = true;
        // SAFETY: the list is there as long as we are.
        let code = unsafe { ($events.archive.symbols.$function)($events.attributes, $($argument),*) };
        $events.done(code);
    };
}

/// Calls a function of the library, which writes an event with its attributes.
macro_rules! event {
    ($events:ident => $function:ident($($argument:expr),*)) => {
        // SAFETY: writer and list are there as long as we are.
        $events.event(|symbols, to, with| unsafe { (symbols.$function)(to, with, $($argument),*) })
    };
}

/// The events of a location, in the order of time.
pub(super) struct Events<'a> {
    archive: &'a Archive,
    raw: *mut otf2::EvtWriter,
    attributes: *mut otf2::AttributeList,
    has_attributes: bool,
    /// The first failure, after which nothing is written.
    failed: Option<ErrorCode>,
}

impl<'a> Events<'a> {
    /// Of a location.
    pub(super) fn of(archive: &'a Archive, location: u64) -> Result<Events<'a>, Error> {
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

    /// There is no point in going on.
    #[inline]
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    #[inline]
    fn done(&mut self, code: ErrorCode) {
        if code > SUCCESS {
            self.failed.get_or_insert(code);
        }
    }

    /// An attribute of the next event.
    #[inline]
    pub(super) fn unsigned(&mut self, attribute: u32, value: u64) {
        attribute!(self => AttributeList_AddUint64(attribute, value));
    }

    /// Likewise.
    #[inline]
    pub(super) fn signed(&mut self, attribute: u32, value: i64) {
        attribute!(self => AttributeList_AddInt64(attribute, value));
    }

    /// Likewise.
    pub(super) fn float(&mut self, attribute: u32, value: f64) {
        attribute!(self => AttributeList_AddDouble(attribute, value));
    }

    /// Likewise, a yes.
    pub(super) fn flag(&mut self, attribute: u32) {
        attribute!(self => AttributeList_AddUint8(attribute, 1));
    }

    /// The library empties the list of attributes after each event.
    #[inline]
    fn event(&mut self, write: impl FnOnce(&Symbols, *mut otf2::EvtWriter, *mut otf2::AttributeList) -> ErrorCode) {
        if self.failed.is_some() {
            return;
        }
        let attributes = match std::mem::take(&mut self.has_attributes) {
            true => self.attributes,
            false => ptr::null_mut(),
        };
        let code = write(&self.archive.symbols, self.raw, attributes);
        self.done(code);
    }

    #[inline]
    pub(super) fn enter(&mut self, time: u64, region: u32) {
        event!(self => EvtWriter_Enter(time, region));
    }

    #[inline]
    pub(super) fn leave(&mut self, time: u64, region: u32) {
        event!(self => EvtWriter_Leave(time, region));
    }

    pub(super) fn parameter(&mut self, time: u64, parameter: u32, string: u32) {
        event!(self => EvtWriter_ParameterString(time, parameter, string));
    }

    pub(super) fn fork(&mut self, time: u64, requested: u32) {
        event!(self => EvtWriter_ThreadFork(time, otf2::PARADIGM_OPENMP, requested));
    }

    pub(super) fn join(&mut self, time: u64) {
        event!(self => EvtWriter_ThreadJoin(time, otf2::PARADIGM_OPENMP));
    }

    pub(super) fn team_begin(&mut self, time: u64, team: u32) {
        event!(self => EvtWriter_ThreadTeamBegin(time, team));
    }

    pub(super) fn team_end(&mut self, time: u64, team: u32) {
        event!(self => EvtWriter_ThreadTeamEnd(time, team));
    }

    /// `creator`: number in the team; `generation`: number among the creator's tasks, 0: the implicit one.
    pub(super) fn task_create(&mut self, time: u64, team: u32, creator: u32, generation: u32) {
        event!(self => EvtWriter_ThreadTaskCreate(time, team, creator, generation));
    }

    /// Likewise: the thread goes on with it.
    pub(super) fn task_switch(&mut self, time: u64, team: u32, creator: u32, generation: u32) {
        event!(self => EvtWriter_ThreadTaskSwitch(time, team, creator, generation));
    }

    /// Likewise: it has ended.
    pub(super) fn task_complete(&mut self, time: u64, team: u32, creator: u32, generation: u32) {
        event!(self => EvtWriter_ThreadTaskComplete(time, team, creator, generation));
    }

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
