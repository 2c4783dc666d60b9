//! What the recorder has to say, on standard error: what happened, what it means, the next step.

use std::fmt::Arguments;

use ompchunk_guest::door;
use ompchunk_trace_format::without_control;

/// One line, whatever names are in it; a standard error that is gone is no reason to stop.
pub(crate) fn say(text: Arguments<'_>) {
    door::say(&without_control(&text.to_string()));
}
