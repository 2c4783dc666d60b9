//! Numbers in sentences, so that one of something is not several.

use crate::count;

/// `1 loop`, `1,000 loops`: for nouns whose plural has an s.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// The verb behind so many.
#[must_use]
pub const fn were(number: u64) -> &'static str {
    match number {
        1 => "was",
        _ => "were",
    }
}

/// The verb behind so many.
#[must_use]
pub const fn are(number: u64) -> &'static str {
    match number {
        1 => "is",
        _ => "are",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_several() {
        assert_eq!((counted(1, "loop") + " " + were(1)), "1 loop was");
        assert_eq!((counted(0, "loop") + " " + were(0)), "0 loops were");
        assert_eq!((counted(2000, "loop") + " " + are(2000)), "2,000 loops are");
    }
}
