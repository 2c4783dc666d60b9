//! The directory of an archive: nothing that is there is touched, and what is not whole does not stay.

use std::fs;
use std::path::Path;

use super::archive::NAME;
use crate::directory::prepare;
use crate::error::Error;

/// A directory that is ours until the archive is whole.
pub(super) struct Destination<'d> {
    directory: &'d Path,
    /// It was not there before.
    is_new: bool,
    whole: bool,
}

impl<'d> Destination<'d> {
    pub(super) fn new(directory: &'d Path) -> Result<Destination<'d>, Error> {
        let is_new = !directory.exists();
        prepare(directory)?;
        Ok(Destination { directory, is_new, whole: false })
    }

    pub(super) fn done(mut self) {
        self.whole = true;
    }
}

impl Drop for Destination<'_> {
    fn drop(&mut self) {
        if self.whole {
            return;
        }
        let name = NAME.to_string_lossy();
        // The error that led here is the one that is told.
        for extension in ["otf2", "def"] {
            let _ = fs::remove_file(self.directory.join(format!("{name}.{extension}")));
        }
        let _ = fs::remove_dir_all(self.directory.join(&*name));
        if self.is_new {
            let _ = fs::remove_dir(self.directory);
        }
    }
}
