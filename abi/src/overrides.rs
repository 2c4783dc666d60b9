//! Which loop shall run under which schedule: the text of `OMPCHUNK_SCHEDULE` and of `--schedule`.
//!
//! ```text
//! solver.c:118=dynamic,16            one loop, by its position; the directories of the file may be left out
//! assemble=guided                    all loops of a function
//! *=static,64                        all loops of which nothing relies on who runs which iteration
//! solver.c:118=dynamic,16|source     from parallel region to parallel region another
//! ```
//!
//! Entries are separated by `;` or stand on lines of their own, `#` begins a comment. A position counts more than a
//! function's or file's name, and these more than `*`; of equals the last one counts. A schedule is written as in
//! `OMP_SCHEDULE` (OpenMP 5.2, section 21.2.1), or is `source`: as compiled. `!` before a loop: whatever promise of OpenMP's that breaks.
//!
//! The shim obeys such a table, and the command checks one before it starts a program. Nothing here reads the environment.

pub mod file;
mod pattern;
mod schedule;
mod table;

pub use pattern::{Pattern, Place};
pub use schedule::{Dealt, Kind, Learned, Modifier, Order, Schedule};
pub use table::{Entry, Mistake, Table};

/// Environment variable that holds a table, or `@` and the path of a file that does.
pub const VARIABLE: &str = "OMPCHUNK_SCHEDULE";

/// The tool that says where iterations moved which loops promise to the same thread, by its name as of others that come with ompchunk.
pub const CHECK_TOOL: &str = "schedule-check";

/// What others wrote, for a message: one line that is read to its end, and commands nothing to a terminal.
pub fn shown(text: &str) -> String {
    const MOST: usize = 120;
    let mut shown = String::new();
    for letter in text.chars().take(MOST) {
        if letter.is_control() { shown.extend(letter.escape_default()) } else { shown.push(letter) }
    }
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}
