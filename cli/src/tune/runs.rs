//! Runs as compiled and under other schedules: what they print is compared, or checked; and which schedule is odd.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result};
use ompchunk_abi::LEARNED_ENV;
use ompchunk_abi::overrides::VARIABLE;
use ompchunk_toolchain::Failure;
use ompchunk_trace_format::{Settings, settings};

use crate::child;
use crate::repeat::{Attached, Ran, Runs, aside, end_of, failed, repeated};
use crate::table::printable;

/// All runs have as many threads: they are of one kind.
const KIND: u32 = 0;

/// What a run under other schedules does that none does as compiled: such a schedule is never recommended.
#[derive(Debug, Clone)]
pub struct Oddity {
    what: String,
    /// Behind the schedules.
    more: String,
}

impl Oddity {
    fn ended(status: ExitStatus, said: &str) -> Oddity {
        Oddity { what: format!("the program ended with {status}"), more: last(said) }
    }

    fn refused(status: ExitStatus, said: &str) -> Oddity {
        Oddity { what: format!("the check ended with {status} for what the program printed"), more: last(said) }
    }

    fn printed(difference: &str) -> Oddity {
        let allowed = "(if that is allowed, as last digits of a sum, --check CMD says so)";
        Oddity { what: "the program printed something else".to_owned(), more: format!(": {difference} {allowed}") }
    }

    pub fn under(&self, schedules: &str) -> String {
        format!("{} under {schedules}{}; it is not recommended", self.what, self.more)
    }
}

fn last(said: &str) -> String {
    said.lines().last().map_or_else(String::new, |line| format!(" ({})", printable(line)))
}

pub struct Checked<'a> {
    pub runs: Runs<'a>,
    /// The user's command that verifies a run, for a shell.
    check: Option<&'a str>,
}

#[derive(Debug, Clone, Copy)]
pub enum Recorded<'a> {
    /// The cost of iterations, into this directory.
    Profile(&'a Path),
    /// When executions began and ended.
    Executions(&'a Path),
    Not,
}

impl<'a> Checked<'a> {
    pub fn new(program: &'a [OsString], check: Option<&'a str>) -> Result<Self> {
        Ok(Checked { runs: Runs::new(program, false)?, check })
    }

    /// Runs it once, as compiled, which must go well. Gives how long it took.
    pub fn plain(&mut self, recorded: Recorded<'_>) -> Result<Duration> {
        let ran = self.run(recorded, None)?;
        if !ran.status.success() {
            return Err(failed(ran.status, "", &end_of(ran.errors)).into());
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            let (check, said) = (self.check.unwrap_or_default(), repeated(&said));
            return Err(Failure::new(
                format!(
                    "the check '{check}' ended with {status} for a run of the program as compiled, so it cannot tell what other \
                     schedules break{said}"
                ),
                "--check takes a shell command that reads on standard input what a run printed, in this directory, and succeeds \
                 if that is right; try it by hand: PROG | CMD",
            )
            .into());
        }
        self.runs.keep(KIND, ran)
    }

    /// Runs it once, under these schedules. Gives how long it took, or what it did that it does not do as compiled.
    pub fn under(&mut self, recorded: Recorded<'_>, schedules: &str) -> Result<Result<Duration, Oddity>> {
        let mut ran = self.run(recorded, Some(schedules))?;
        if !ran.status.success() {
            return Ok(Err(Oddity::ended(ran.status, &end_of(ran.errors))));
        }
        if let Some((status, said)) = self.refused(&ran.output)? {
            return Ok(Err(Oddity::refused(status, &said)));
        }
        // The user knows better what a right run is.
        if self.check.is_none()
            && let Some(found) = self.runs.difference(KIND, &mut ran.output)?
        {
            // Once more as compiled: it may be that this, too, prints something else now and then.
            self.plain(Recorded::Not)?;
            if self.runs.varies().is_none() {
                return Ok(Err(Oddity::printed(&found)));
            }
        }
        Ok(Ok(ran.took))
    }

    /// What the user's check says against a run that printed this.
    fn refused(&self, output: &File) -> Result<Option<(ExitStatus, String)>> {
        let Some(check) = self.check else { return Ok(None) };
        let mut printed = output.try_clone().context("cannot read what it printed")?;
        printed.seek(SeekFrom::Start(0)).context("cannot read what it printed")?;
        let said = aside()?;
        let keep = || said.try_clone().context("cannot keep what the check prints");
        let mut command = Command::new("sh");
        command.arg("-c").arg(check);
        command.stdin(printed).stdout(keep()?).stderr(keep()?);
        let status = child::run_once(&mut command)?;
        Ok((!status.success()).then(|| (status, end_of(said))))
    }

    /// Why outputs say nothing of schedules, where nothing else does.
    pub fn varies(&self) -> Option<&str> {
        self.runs.varies().filter(|_| self.check.is_none())
    }

    /// Does anything tell whether the program is right under another schedule: the user's check, or what it prints?
    pub fn is_checkable(&self) -> Result<bool> {
        Ok(self.check.is_some() || self.runs.varies().is_none() && self.runs.prints(KIND)?)
    }

    fn run(&self, recorded: Recorded<'_>, schedules: Option<&str>) -> Result<Ran> {
        let mut asked = Settings::read().map_err(anyhow::Error::msg)?;
        let (attached, asked) = match recorded {
            Recorded::Profile(directory) => {
                asked.mode.profile = true;
                (Attached::Recorder(directory), Some(asked))
            }
            Recorded::Executions(directory) => {
                asked.mode.executions = true;
                (Attached::Recorder(directory), Some(asked))
            }
            Recorded::Not if schedules.is_some() => (Attached::Shim, None),
            // By itself the program is as its user has it, without the shim.
            Recorded::Not => (Attached::Nothing, None),
        };
        self.runs.run(attached, |command| {
            match schedules {
                Some(text) => command.env(VARIABLE, text),
                None => command.env_remove(VARIABLE),
            };
            // Each run learns anew, and a file of the user's stays as it is.
            command.env_remove(LEARNED_ENV);
            command.envs(asked.map(|asked| (settings::VARIABLE, asked.value())));
            Ok(())
        })
    }
}

/// A loop and the schedule that is tried on it.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The loop, as `OMPCHUNK_SCHEDULE` names it; several: those of a group, which change together.
    pub loops: Vec<String>,
    pub schedule: String,
}

impl Trial {
    /// As `OMPCHUNK_SCHEDULE` has it.
    pub fn entries(&self) -> Vec<String> {
        self.entries_with(&self.schedule)
    }

    pub fn entries_with(&self, schedule: &str) -> Vec<String> {
        self.loops.iter().map(|the_loop| format!("{the_loop}={schedule}")).collect()
    }
}

/// How often each is run alone before it is taken for innocent: who runs what is another thing each time.
const TIMES: usize = 3;

/// The trials that are odd alone, each with what is said of it; else all: it may be one now and then, or two together.
pub fn culprits(runs: &mut Checked<'_>, trials: &[(usize, &Trial)], together: &Oddity) -> Result<Vec<(usize, String)>> {
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
    Ok(trials.iter().map(|(number, _)| (*number, said.clone())).collect())
}

fn said(oddity: &Oddity, trials: &[&Trial]) -> String {
    let entries = trials.iter().flat_map(|trial| trial.entries());
    let short = entries.map(|entry| entry.rsplit('/').next().unwrap_or_default().to_owned());
    oddity.under(&printable(&short.collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_line_names_the_loop() {
        assert_eq!(
            Oddity::ended(ExitStatus::from_raw(3 << 8), "one\nwrong\n").under("a.c:3=dynamic,4"),
            "the program ended with exit status: 3 under a.c:3=dynamic,4 (wrong); it is not recommended"
        );
        assert_eq!(
            Oddity::refused(ExitStatus::from_raw(1 << 8), "").under("a.c:3=dynamic,4"),
            "the check ended with exit status: 1 for what the program printed under a.c:3=dynamic,4; it is not recommended"
        );
    }
}
