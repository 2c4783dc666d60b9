//! What is known of an address, and why nothing is.

use std::fmt;

/// A frame as the source has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The function, as the linker knows it; `None`: not known.
    pub symbol: Option<String>,
    /// The source file; `None`: not known.
    pub file: Option<String>,
    /// The line; 0: not known.
    pub line: u32,
}

impl Place {
    pub(super) fn unknown() -> Place {
        Place { symbol: None, file: None, line: 0 }
    }
}

/// Why a module says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not there, or cannot be read.
    Missing(String),
    /// Another file is there now.
    Changed,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreadable::Missing(why) => write!(to, "{why}"),
            Unreadable::Changed => write!(to, "it is no longer the file that was loaded"),
        }
    }
}
