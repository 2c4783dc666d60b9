//! The table of sums: a file is there only where there is a row for it.

use std::path::Path;

use ompchunk_trace_format::{Event, Sum};

use super::open::Open;
use super::tables::{SUMS, sum};
use crate::error::Error;
use crate::process::Process;
use crate::site::Sites;
use crate::sums::SumRow;

/// Those of a part.
pub(super) struct SumsOfPart<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    /// `None`: there was none yet.
    table: Option<Result<Open, Error>>,
}

impl<'p> SumsOfPart<'p> {
    pub(super) fn new(process: &'p Process<'p>, directory: &'p Path) -> SumsOfPart<'p> {
        SumsOfPart {
            process,
            directory,
            table: None,
        }
    }

    #[inline]
    pub(super) fn see(&mut self, event: &Event<'_>, sites: &Sites<'_>) {
        if let Event::Sum(sum) = event {
            self.put(sum, sites);
        }
    }

    fn put(&mut self, added_up: &Sum, sites: &Sites<'_>) {
        let Some(row) = SumRow::of(self.process, sites, added_up) else {
            return;
        };
        let begin = || Open::new(self.directory, "sums", self.process, SUMS);
        if let Ok(table) = self.table.get_or_insert_with(begin) {
            table.put(|to| sum(to, self.process, added_up, &row));
        }
    }

    /// There is no point in reading on.
    pub(super) fn has_failed(&self) -> bool {
        match &self.table {
            Some(Ok(table)) => table.has_failed(),
            Some(Err(_)) => true,
            None => false,
        }
    }

    /// `None`: nothing was added up.
    pub(super) fn finish(self) -> Result<Option<Open>, Error> {
        self.table.transpose()
    }
}
