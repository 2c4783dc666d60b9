//! A table of a part that is being written: the file gets its name when whole, and is removed when given up. A table that few traces
//! have rows for has a file only where there is one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::columns::{Column, Table};
use crate::error::Error;
use crate::process::Process;

/// A table of a part: `DIR/TABLE/rank=N/PART.parquet`, as engines find partitions. Nothing that is there is touched.
pub(super) struct Open {
    path: PathBuf,
    /// Its name until it is whole. Engines leave out what begins with a dot.
    meanwhile: PathBuf,
    table: Option<Table>,
    failed: Option<io::Error>,
}

impl Open {
    pub(super) fn new(directory: &Path, name: &str, process: &Process<'_>, columns: &[Column]) -> Result<Open, Error> {
        let rank = process.part.meta().rank;
        let rank = rank.map_or_else(|| NO_RANK.to_owned(), |rank| rank.to_string());
        let within = directory.join(name).join(format!("rank={rank}"));
        fs::create_dir_all(&within).map_err(|cause| Error::write(&within, cause))?;
        let file = format!("{}.parquet", process.name);
        let (meanwhile, path) = (within.join(format!(".{file}")), within.join(file));
        let file = File::create_new(&meanwhile).map_err(|cause| Error::write(&meanwhile, cause))?;
        let table = Table::new(file, columns).map_err(|cause| Error::write(&path, cause))?;
        Ok(Open { path, meanwhile, table: Some(table), failed: None })
    }

    /// A row, unless an earlier one could not be written.
    pub(super) fn put(&mut self, row: impl FnOnce(&mut Table) -> io::Result<()>) {
        if let (Some(table), None) = (&mut self.table, &self.failed) {
            self.failed = row(table).err();
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub(super) fn finish(mut self, written: &Mutex<Vec<PathBuf>>) -> Result<(), Error> {
        let whole = match (self.failed.take(), self.table.take()) {
            (Some(cause), _) => Err(cause),
            (None, table) => table.map_or(Ok(()), Table::finish),
        };
        let named = whole.and_then(|()| fs::rename(&self.meanwhile, &self.path));
        named.map_err(|cause| Error::write(&self.path, cause))?;
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push(self.path.clone());
        Ok(())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // The error that led here is the one that is told; what is whole has another name.
        let _ = fs::remove_file(&self.meanwhile);
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

    pub(super) fn has_failed(&self) -> bool {
        let failed = |table: &Result<Open, Error>| table.as_ref().map_or(true, Open::has_failed);
        self.table.as_ref().is_some_and(failed)
    }

    /// `None`: there was no row.
    pub(super) fn finish(self) -> Result<Option<Open>, Error> {
        self.table.transpose()
    }
}

/// What engines take for no rank at all.
const NO_RANK: &str = "__HIVE_DEFAULT_PARTITION__";

/// Removes what was written, and the directories above it, as far as they are empty.
pub(super) fn take_back(files: Vec<PathBuf>) {
    for path in files {
        let _ = fs::remove_file(&path);
        let above = path.ancestors().skip(1).take(2);
        above.for_each(|directory| drop(fs::remove_dir(directory)));
    }
}
