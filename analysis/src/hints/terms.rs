//! From when on a number matters, and how hints say it.

use crate::model::Note;

/// From here on an efficiency is acceptable, as the POP project has it.
pub(crate) const ACCEPTABLE: f64 = 0.8;
/// Less than this of the time is not worth a change.
pub(crate) const WORTHWHILE: f64 = 0.05;

pub(crate) fn note(code: &'static str, text: String) -> Option<Note> {
    Some(Note { code, text })
}

/// Three digits.
pub(crate) fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        1.0.. => (seconds, "s"),
        1e-3.. => (seconds * 1e3, "ms"),
        1e-6.. => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    match value {
        100.0.. => format!("{value:.0} {unit}"),
        10.0.. => format!("{value:.1} {unit}"),
        _ => format!("{value:.2} {unit}"),
    }
}
