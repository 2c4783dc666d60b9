//! What is tried: other schedules for a loop, or for the loops of a group; and which of those tried together it was, where a run was odd.

use anyhow::Result;

use super::oddity::{Oddity, Said};
use super::runs::{Checked, Recorded};

/// A loop and the schedule that is tried on it.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The loop, as `OMPCHUNK_SCHEDULE` names it; several: those of a group, which change together.
    pub loops: Vec<String>,
    pub schedule: String,
}

impl Trial {
    pub fn add(&mut self, name: String) {
        if !self.loops.contains(&name) {
            self.loops.push(name);
        }
    }

    /// As `OMPCHUNK_SCHEDULE` has it.
    pub fn entries(&self) -> Vec<String> {
        self.entries_with(&self.schedule)
    }

    /// ... with another schedule.
    pub fn entries_with(&self, schedule: &str) -> Vec<String> {
        let entries = self.loops.iter().map(|the_loop| format!("{the_loop}={schedule}"));
        entries.collect()
    }
}

/// How often each is run alone before it is taken for innocent: who runs what is another thing each time.
const TIMES: usize = 3;

/// The trials that are odd alone, of those under which a run was odd, each with what is said of it. If none is, all of them: it may be
/// one now and then, or two together.
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
    let under = short.collect::<Vec<_>>().join("; ");
    Said(oddity, &crate::table::printable(&under)).to_string()
}
