//! What can be wrong with a trace: each error names the file, the place and the cause.

use std::path::{Path, PathBuf};

/// A trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or directory cannot be read.
    #[error("cannot read {}: {cause}", shown(.path))]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A directory without parts.
    #[error("{} holds no trace: there is no *.trace in it", shown(.path))]
    NoParts {
        /// The directory.
        path: PathBuf,
    },
    /// Not a part.
    #[error("{} is not a trace: {what}", shown(.path))]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// A part that ends before its first block.
    #[error("{} is cut off in its head, at byte {offset}: {what} is missing", shown(.path))]
    Cut {
        /// The file.
        path: PathBuf,
        /// Its length.
        offset: u64,
        /// What would have stood there.
        what: &'static str,
    },
    /// Another version of the format.
    #[error("{} is of version {found} of the trace format, this program reads versions up to {}", shown(.path), crate::layout::VERSION)]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// Something that no recorder writes.
    #[error("{} is damaged at byte {offset}: {what}", shown(.path))]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match self {
            Error::Io { .. } => "check the path and its permissions",
            Error::NoParts { .. } | Error::NotATrace { .. } => {
                "name a directory that ompchunk record wrote, or one of its parts"
            }
            Error::Cut { .. } => {
                "record again: the program ended before anything was recorded, or the copy is incomplete"
            }
            Error::Version { .. } => "read it with the ompchunk that recorded it, or record again",
            Error::Broken { .. } => "copy the trace again from where it was recorded, or record again",
        }
    }

    pub(crate) fn io(path: &Path, cause: std::io::Error) -> Error {
        let path = path.to_owned();
        Error::Io { path, cause }
    }

    pub(crate) fn not_a_trace(path: &Path, what: String) -> Error {
        let path = path.to_owned();
        Error::NotATrace { path, what }
    }

    pub(crate) fn cut(path: &Path, offset: u64, what: &'static str) -> Error {
        let path = path.to_owned();
        Error::Cut { path, offset, what }
    }

    pub(crate) fn broken(path: &Path, offset: u64, what: impl Into<String>) -> Error {
        Error::Broken { path: path.to_owned(), offset, what: what.into() }
    }
}

/// A path for a message, its control characters escaped: a terminal obeys them, and a name with a line break looks like two lines.
#[must_use]
pub fn shown(path: &Path) -> String {
    without_control(&path.to_string_lossy())
}

/// A text for one line of a message.
#[must_use]
pub fn without_control(text: &str) -> String {
    text.chars().fold(String::new(), |mut text, letter| {
        match letter.is_control() {
            true => text.extend(letter.escape_default()),
            false => text.push(letter),
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal() {
        let name = Path::new("a\u{1b}[31mb\nc\u{9b}d \u{fc}");
        assert_eq!(shown(name), "a\\u{1b}[31mb\\nc\\u{9b}d \u{fc}");
    }
}
