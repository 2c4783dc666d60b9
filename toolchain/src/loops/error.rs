//! Why no loops can be read from a file, and what to do about it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::calls::Calls;
use super::record;

/// No loops can be read from a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .path.display())]
pub struct Error {
    path: PathBuf,
    cause: Cause,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("neither an ELF file nor an archive of such")]
    NotElf,
    #[error("LLVM bitcode, as -flto makes it")]
    Bitcode,
    #[error("a thin archive: its objects are elsewhere")]
    ThinArchive,
    #[error("damaged: {0}")]
    Damaged(#[from] object::Error),
    #[error("damaged loop records: {0}")]
    Record(#[from] record::Error),
    #[error("{}", .0.what())]
    NoRecords(Calls),
}

impl Error {
    pub(crate) fn new(path: &Path, cause: impl Into<Cause>) -> Error {
        Error { path: path.to_owned(), cause: cause.into() }
    }

    pub fn next(&self) -> String {
        let text = match &self.cause {
            Cause::Io(cause) => match cause.kind() {
                ErrorKind::NotFound => "check the path: ompchunk loops takes a file, and looks for none in PATH",
                ErrorKind::IsADirectory => "name a file in it",
                _ => "check its permissions",
            },
            Cause::Damaged(_) => "link or copy the file again",
            Cause::NotElf => "ompchunk loops PROGRAM, LIBRARY.so, OBJECT.o or ARCHIVE.a",
            Cause::Bitcode => "link, and list the loops of the program",
            Cause::ThinArchive => "list the loops of its objects, or of the program",
            Cause::Record(record::Error::Version(_)) => {
                "compile again with this ompchunk, or use the one that compiled it"
            }
            Cause::Record(_) => "link or copy the file again",
            Cause::NoRecords(calls) => calls.next(),
        };
        text.to_owned()
    }
}
