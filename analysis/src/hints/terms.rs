//! From when on a number matters, and how hints say it.

pub(crate) use ompchunk_figures::time;

use crate::model::Note;

/// From here on an efficiency is acceptable, as the POP project has it.
pub(crate) const ACCEPTABLE: f64 = 0.8;
/// Less than this of the time is not worth a change.
pub(crate) const WORTHWHILE: f64 = 0.05;

pub(crate) fn note(code: &'static str, text: String) -> Option<Note> {
    Some(Note { code, text })
}
