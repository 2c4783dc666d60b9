//! What a run under other schedules does that none does as compiled, and under which of them: such a schedule is never recommended.

use std::fmt;
use std::process::ExitStatus;

use anyhow::Result;

use super::measure::Trial;
use super::printed::Difference;
use super::runs::{Recorded, Runs};

/// What is wrong with a run.
#[derive(Debug, Clone)]
pub enum Oddity {
    /// It ended otherwise; with the end of what it wrote to standard error.
    Ended(ExitStatus, String),
    /// It printed something else.
    Printed(Difference),
    /// The user's check does not accept it; with the end of what that said.
    Refused(ExitStatus, String),
}

/// In one line, of a run under these schedules.
struct Said<'a>(&'a Oddity, &'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Said(oddity, under) = self;
        let last = |said: &str| match said.lines().last() {
            Some(line) => format!(" ({})", crate::table::printable(line)),
            None => String::new(),
        };
        match oddity {
            Oddity::Ended(status, said) => {
                write!(
                    to,
                    "the program ended with {status} under {under}{}",
                    last(said)
                )
            }
            Oddity::Printed(difference) => write!(
                to,
                "the program printed something else under {under}: {difference} (if that is allowed, as last digits of a sum, \
                 --check CMD says so)"
            ),
            Oddity::Refused(status, said) => write!(
                to,
                "the check ended with {status} for what the program printed under {under}{}",
                last(said)
            ),
        }?;
        to.write_str("; it is not recommended")
    }
}

/// How often each is run alone before it is taken for innocent: who runs what is another thing each time.
const TIMES: usize = 3;

/// Of trials under which a run was odd, those that are odd alone, each with what is said of it. If none is, all of them: it may be one
/// now and then, or two together.
pub fn culprits(
    runs: &mut Runs<'_>,
    trials: &[(usize, &Trial)],
    together: &Oddity,
) -> Result<Vec<(usize, String)>> {
    if let [(number, only)] = trials {
        return Ok(vec![(*number, said(together, &[only]))]);
    }
    for _ in 0..TIMES {
        let mut found = Vec::new();
        for (number, trial) in trials {
            let alone = runs.under(Recorded::Not, &trial.entries().join(";"))?;
            found.extend(alone.err().map(|oddity| (*number, said(&oddity, &[trial]))));
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let all: Vec<&Trial> = trials.iter().map(|(_, trial)| *trial).collect();
    let said = said(together, &all);
    Ok(trials
        .iter()
        .map(|(number, _)| (*number, said.clone()))
        .collect())
}

fn said(oddity: &Oddity, trials: &[&Trial]) -> String {
    let entries = trials.iter().flat_map(|it| it.entries());
    let short = entries.map(|it| it.rsplit('/').next().unwrap_or_default().to_owned());
    let under = short.collect::<Vec<_>>().join("; ");
    Said(oddity, &crate::table::printable(&under)).to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_line_names_the_loop() {
        let of = |oddity: Oddity| Said(&oddity, "a.c:3=dynamic,4").to_string();
        assert_eq!(
            of(Oddity::Ended(
                ExitStatus::from_raw(3 << 8),
                "one\nwrong\n".into()
            )),
            "the program ended with exit status: 3 under a.c:3=dynamic,4 (wrong); it is not recommended"
        );
        assert_eq!(
            of(Oddity::Refused(ExitStatus::from_raw(1 << 8), String::new())),
            "the check ended with exit status: 1 for what the program printed under a.c:3=dynamic,4; it is not recommended"
        );
    }
}
