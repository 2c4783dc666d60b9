//! What a run under other schedules does that none does as compiled: such a schedule is never recommended.

use std::fmt;
use std::process::ExitStatus;

use crate::repeat::Difference;

/// What is wrong with a run.
#[derive(Debug, Clone)]
pub enum Oddity {
    /// It ended otherwise; with the end of what it wrote to standard error.
    Ended(ExitStatus, String),
    Printed(Difference),
    /// The user's check does not accept it; with the end of what that said.
    Refused(ExitStatus, String),
}

/// In one line, of a run under these schedules.
pub struct Said<'a>(pub &'a Oddity, pub &'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said(oddity, under) = self;
        let last = |said: &str| match said.lines().last() {
            Some(line) => format!(" ({})", crate::table::printable(line)),
            None => String::new(),
        };
        match oddity {
            Oddity::Ended(status, said) => {
                write!(to, "the program ended with {status} under {under}{}", last(said))
            }
            Oddity::Printed(difference) => write!(
                to,
                "the program printed something else under {under}: {difference} (if that is allowed, as last digits of a sum, \
                 --check CMD says so)"
            ),
            Oddity::Refused(status, said) => {
                write!(to, "the check ended with {status} for what the program printed under {under}{}", last(said))
            }
        }?;
        to.write_str("; it is not recommended")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_line_names_the_loop() {
        let of = |oddity: Oddity| Said(&oddity, "a.c:3=dynamic,4").to_string();
        assert_eq!(
            of(Oddity::Ended(ExitStatus::from_raw(3 << 8), "one\nwrong\n".into())),
            "the program ended with exit status: 3 under a.c:3=dynamic,4 (wrong); it is not recommended"
        );
        assert_eq!(
            of(Oddity::Refused(ExitStatus::from_raw(1 << 8), String::new())),
            "the check ended with exit status: 1 for what the program printed under a.c:3=dynamic,4; it is not recommended"
        );
    }
}
