//! A trace: the parts of all processes of a run.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::layout::EXTENSION;
use crate::part::Part;

/// The parts of a run.
#[derive(Debug)]
pub struct Trace {
    /// By rank, then by process.
    pub parts: Vec<Part>,
}

impl Trace {
    /// Opens a directory that `ompchunk record` wrote, or one part of it.
    pub fn open(path: &Path) -> Result<Trace, Error> {
        let files =
            if path.is_dir() { parts_in(path).map_err(|cause| Error::io(path, cause))? } else { vec![path.to_owned()] };
        if files.is_empty() {
            let path = path.to_owned();
            return Err(Error::NoParts { path });
        }
        let parts = files.iter().map(|file| Part::open(file));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        parts.sort_by_key(|part| {
            let meta = part.meta();
            (meta.rank.is_none(), meta.rank, meta.started, meta.pid)
        });
        Ok(Trace { parts })
    }
}

impl AsRef<[Part]> for Trace {
    fn as_ref(&self) -> &[Part] {
        &self.parts
    }
}

/// The files of the parts in a directory, sorted by name.
pub fn parts_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == EXTENSION) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
