//! The directory of a format that is several files.

use std::path::Path;
use std::{fs, io};

use crate::error::Error;

/// A new directory, or an empty one.
pub(crate) fn prepare(directory: &Path) -> Result<(), Error> {
    let failed = |cause| Error::write(directory, cause);
    if directory == Path::new("-") {
        return Err(failed(io::Error::other("these are several files, and no stream")));
    }
    match fs::read_dir(directory) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(Err(cause)) => Err(failed(cause)),
            Some(Ok(_)) => Err(Error::NotEmpty { path: directory.to_owned() }),
        },
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => fs::create_dir_all(directory).map_err(failed),
        Err(cause) => Err(failed(cause)),
    }
}
