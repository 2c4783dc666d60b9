//! What can be wrong with a trace: each error names the file, the place and the cause.

use std::path::{Path, PathBuf};

use crate::layout::VERSION;

/// A trace cannot be read. Each has the file or directory first.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be read, and why.
    #[error("cannot read {file}: {why}", file = shown(.0), why = .1)]
    Io(PathBuf, std::io::Error),
    /// A directory without parts.
    #[error("{} holds no trace: there is no *.trace in it", shown(.0))]
    NoParts(PathBuf),
    /// Not a part, and why not.
    #[error("{file} is not a trace: {why}", file = shown(.0), why = .1)]
    NotATrace(PathBuf, String),
    /// A part that ends before its first block: its length, and what would have stood there.
    #[error("{file} is cut off in its head, at byte {size}: {what} is missing", file = shown(.0), size = .1, what = .2)]
    Cut(PathBuf, u64, &'static str),
    /// Another version of the format: which.
    #[error("{file} is of version {found} of the trace format, this program reads versions up to {VERSION}", file = shown(.0), found = .1)]
    Version(PathBuf, u32),
    /// Something that no recorder writes: where, and what is wrong.
    #[error("{file} is damaged at byte {at}: {what}", file = shown(.0), at = .1, what = .2)]
    Broken(PathBuf, u64, String),
}

impl Error {
    /// What to do about it.
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
        Error::Io(path.to_owned(), cause)
    }

    pub(crate) fn broken(path: &Path, offset: u64, what: impl Into<String>) -> Error {
        Error::Broken(path.to_owned(), offset, what.into())
    }
}

/// A path for a message, its control characters escaped: a terminal obeys them, and a name with a line break looks like two lines.
pub fn shown(path: &Path) -> String {
    without_control(&path.to_string_lossy())
}

/// A text for one line of a message.
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
