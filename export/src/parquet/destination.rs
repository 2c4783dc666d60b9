//! Where tables go: `DIR/TABLE/rank=N/PART.parquet`, as engines find partitions. Nothing that is there is touched, and what is not
//! whole has a name that engines leave out.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::process::Process;

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

/// A file of a table.
pub(super) struct Destination {
    path: PathBuf,
    /// Until it is whole. Engines leave out what begins with a dot.
    meanwhile: PathBuf,
}

impl Destination {
    pub(super) fn new(directory: &Path, table: &str, process: &Process<'_>) -> Result<Destination, Error> {
        let rank = process.part.meta().rank;
        let rank = rank.map_or_else(|| NO_RANK.to_owned(), |rank| rank.to_string());
        let within = directory.join(table).join(format!("rank={rank}"));
        fs::create_dir_all(&within).map_err(|cause| Error::write(&within, cause))?;
        let name = format!("{}.parquet", process.name);
        Ok(Destination { meanwhile: within.join(format!(".{name}")), path: within.join(name) })
    }

    pub(super) fn create(&self) -> Result<File, Error> {
        File::create_new(&self.meanwhile).map_err(|cause| Error::write(&self.meanwhile, cause))
    }

    /// It is whole.
    pub(super) fn done(&self) -> Result<PathBuf, Error> {
        fs::rename(&self.meanwhile, &self.path).map_err(|cause| self.failed(cause))?;
        Ok(self.path.clone())
    }

    /// It is not, and never will be.
    pub(super) fn give_up(&self) {
        // The error that led here is the one that is told.
        let _ = fs::remove_file(&self.meanwhile);
    }

    pub(super) fn failed(&self, cause: io::Error) -> Error {
        Error::write(&self.path, cause)
    }
}
