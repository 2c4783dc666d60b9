//! `--top`: how many rows of a table are shown, and what is said of the others.

use std::fmt::Write as _;

use super::units::count;

/// How many of so many rows are shown (`top`: 0 is all).
pub fn shown(top: usize, all: usize) -> usize {
    match top {
        0 => all,
        top => top.min(all),
    }
}

/// Says how many are left out, if any.
pub fn rest(more: usize, to: &mut String) {
    if more > 0 {
        // Writing to a string does not fail.
        let _ = writeln!(to, "{} more: --top 0 lists all", count(more as u64));
    }
}
