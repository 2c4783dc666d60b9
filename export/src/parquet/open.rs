//! A table of a part that is being written: the file gets its name when whole, and is removed when given up. A table that few traces
//! have rows for has a file only where there is one.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::columns::{Column, Table};
use super::destination::Destination;
use crate::error::Error;
use crate::process::Process;

/// A table of a part that is being written.
pub(super) struct Open {
    destination: Destination,
    table: Option<Table>,
    failed: Option<io::Error>,
}

impl Open {
    pub(super) fn new(directory: &Path, name: &str, process: &Process<'_>, columns: &[Column]) -> Result<Open, Error> {
        let destination = Destination::new(directory, name, process)?;
        let table = Table::new(destination.create()?, columns).map_err(|cause| destination.failed(cause));
        Ok(Open { table: Some(table?), destination, failed: None })
    }

    /// A row, unless an earlier one could not be written.
    pub(super) fn put(&mut self, row: impl FnOnce(&mut Table) -> io::Result<()>) {
        if let (Some(table), None) = (&mut self.table, &self.failed) {
            self.failed = row(table).err();
        }
    }

    /// There is no point in reading on.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub(super) fn finish(mut self, written: &Mutex<Vec<PathBuf>>) -> Result<(), Error> {
        let whole = match (self.failed.take(), self.table.take()) {
            (Some(cause), _) => Err(cause),
            (None, table) => table.map_or(Ok(()), Table::finish),
        };
        whole.map_err(|cause| self.destination.failed(cause))?;
        let path = self.destination.done()?;
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push(path);
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.destination.give_up();
    }
}

/// A table whose file is created with the first row.
pub(super) struct Rare<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    name: &'static str,
    columns: fn() -> Vec<Column>,
    /// `None`: there was no row yet.
    table: Option<Result<Open, Error>>,
}

impl<'p> Rare<'p> {
    pub(super) fn new(
        directory: &'p Path,
        name: &'static str,
        process: &'p Process<'p>,
        columns: fn() -> Vec<Column>,
    ) -> Rare<'p> {
        Rare { process, directory, name, columns, table: None }
    }

    /// A row, unless the table could not be begun, or an earlier row not be written.
    pub(super) fn put(&mut self, row: impl FnOnce(&mut Table) -> io::Result<()>) {
        let begin = || Open::new(self.directory, self.name, self.process, &(self.columns)());
        if let Ok(table) = self.table.get_or_insert_with(begin) {
            table.put(row);
        }
    }

    /// There is no point in reading on.
    pub(super) fn has_failed(&self) -> bool {
        let failed = |table: &Result<Open, Error>| table.as_ref().map_or(true, Open::has_failed);
        self.table.as_ref().is_some_and(failed)
    }

    /// `None`: there was no row.
    pub(super) fn finish(self) -> Result<Option<Open>, Error> {
        self.table.transpose()
    }
}
