//! What a report says in sentences, as data.

use serde::Serialize;

/// What a loop's numbers suggest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    /// What kind, for programs.
    pub code: &'static str,
    /// A sentence.
    pub text: String,
    /// How much of `lost_seconds` it explains at most; `None`: that is not known.
    pub explains_seconds: Option<f64>,
}

impl From<Note> for Hint {
    fn from(note: Note) -> Hint {
        Hint { code: note.code, text: note.text, explains_seconds: None }
    }
}

/// A remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What kind, for programs.
    pub code: &'static str,
    /// A sentence.
    pub text: String,
}
