//! The table of OpenACC's operations: a file is created with the first row, since few programs have any.

use std::mem::take;
use std::path::Path;

use ompchunk_trace_format::{At, Event};

use super::open::Open;
use super::tables::{OPENACC, operation};
use crate::error::Error;
use crate::openacc::AccPlaces;
use crate::operations::{Done, Operations};
use crate::process::Process;

/// Those of a part.
pub(super) struct InPart<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    running: Operations,
    table: Option<Open>,
    /// The table could not be begun.
    failed: Option<Error>,
}

impl<'p> InPart<'p> {
    pub(super) fn new(process: &'p Process<'p>, directory: &'p Path) -> InPart<'p> {
        InPart {
            process,
            directory,
            running: Operations::default(),
            table: None,
            failed: None,
        }
    }

    #[inline]
    pub(super) fn see(&mut self, at: At, event: &Event<'_>, places: &AccPlaces) {
        let mut running = take(&mut self.running);
        running.see(at, event, |done| self.put(done, places));
        self.running = running;
    }

    /// There is no point in reading on.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some() || self.table.as_ref().is_some_and(Open::has_failed)
    }

    /// With what is still running where the trace ends; `None`: nothing was done.
    pub(super) fn finish(mut self, places: &AccPlaces) -> Result<Option<Open>, Error> {
        take(&mut self.running).finish(|done| self.put(done, places));
        self.failed.map_or(Ok(self.table), Err)
    }

    fn put(&mut self, done: &Done, places: &AccPlaces) {
        if self.failed.is_some() {
            return;
        }
        if self.table.is_none() {
            match Open::new(self.directory, "openacc", self.process, OPENACC) {
                Ok(table) => self.table = Some(table),
                Err(error) => self.failed = Some(error),
            }
        }
        let place = places.get(done.operation.site);
        if let Some(table) = &mut self.table {
            table.put(|table| operation(table, self.process, place, done));
        }
    }
}
