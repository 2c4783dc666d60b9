//! Where the traces of the runs are: in a temporary directory, each until it was read, or where the user keeps them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::output::Unwritable;
use crate::repeat::Error;

/// For the traces of all runs.
pub enum Place {
    Temporary(TempDir),
    Kept(PathBuf),
}

impl Place {
    /// It is an error if there is something already.
    pub fn prepare(kept: Option<&Path>) -> Result<Place> {
        let Some(path) = kept else {
            let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
            return Ok(Place::Temporary(directory));
        };
        let unwritable = |cause| Unwritable::new(path, cause);
        std::fs::create_dir_all(path).map_err(unwritable)?;
        if std::fs::read_dir(path).map_err(unwritable)?.next().is_some() {
            return Err(Error::Taken(path.to_owned()).into());
        }
        // The program may change its directory before it begins to record.
        let path = std::path::absolute(path).context("cannot find the working directory")?;
        Ok(Place::Kept(path))
    }

    /// Of a run, as somebody who keeps it knows it again.
    pub fn of(&self, threads: u32, round: usize) -> PathBuf {
        let directory = match self {
            Place::Temporary(directory) => directory.path(),
            Place::Kept(path) => path,
        };
        directory.join(format!("threads-{threads}.run-{}", round + 1))
    }

    /// A trace was read, or is of a run that failed.
    pub fn is_read(&self, trace: &Path) -> Result<()> {
        match self {
            Place::Temporary(_) if trace.exists() => {
                std::fs::remove_dir_all(trace).with_context(|| format!("cannot remove {}", trace.display()))
            }
            _ => Ok(()),
        }
    }
}
