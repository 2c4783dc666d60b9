//! The directory of an experiment: nothing that is there is touched, and what is not whole does not stay.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Directories that are ours until all is whole.
#[derive(Debug, Default)]
pub(super) struct Destination {
    /// The first one is that of the others.
    directories: Vec<PathBuf>,
    files: Vec<PathBuf>,
    whole: bool,
}

impl Destination {
    /// Creates the directory of an experiment. There must be nothing of its name.
    pub(super) fn create(&mut self, directory: &Path) -> Result<(), Error> {
        fs::create_dir(directory).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => Error::AlreadyThere { path: directory.to_owned() },
            _ => Error::write(directory, cause),
        })?;
        self.directories.push(directory.to_owned());
        Ok(())
    }

    /// Writes a file of an experiment.
    pub(super) fn put(&mut self, path: PathBuf, content: &[u8]) -> Result<(), Error> {
        let mut create = || {
            let mut file = File::create_new(&path)?;
            self.files.push(path.clone());
            file.write_all(content)?;
            // A network's file system says only now that there is no room.
            file.sync_all()
        };
        create().map_err(|cause| Error::write(&path, cause))
    }

    pub(super) fn done(mut self) {
        self.whole = true;
    }
}

impl Drop for Destination {
    fn drop(&mut self) {
        if self.whole {
            return;
        }
        // The error that led here is the one that is told; what others put there stays.
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        for directory in self.directories.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}
