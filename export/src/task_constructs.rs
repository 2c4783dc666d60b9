//! Of tasks that are told one by one, the constructs that create them.

use ompchunk_trace_format::{Error, Event};

use crate::process::Process;
use crate::site::Sites;

/// Which tasks are of which construct. A task may begin in a lane before the lane is read that creates it, so this is known before.
#[derive(Debug, Default)]
pub(crate) struct Constructs {
    /// Of each task, by its number, where in the codes, plus 1.
    of: Vec<u32>,
    codes: Vec<u64>,
    /// Of each code, as far as it is known.
    labels: Vec<Option<String>>,
}

/// Numbers of tasks have few gaps; one that is further off is of a damaged trace.
const LARGEST_GAP: usize = 1 << 24;

impl Constructs {
    /// Reads a part; nothing, if its tasks are not told one by one.
    pub(crate) fn of(process: &Process<'_>) -> Result<Constructs, Error> {
        let mut found = Constructs::default();
        if !process.part.meta().mode.tasks {
            return Ok(found);
        }
        let mut sites = Sites::default();
        process.part.for_each(|_, event| {
            sites.see(&event);
            if let Event::TaskCreate { task, code, .. } = event {
                found.add(task, code);
            }
        })?;
        let label = |code: &u64| sites.code(*code).map(|code| code.label.clone());
        found.labels = found.codes.iter().map(label).collect();
        Ok(found)
    }

    fn add(&mut self, task: u64, code: u64) {
        let number = usize::try_from(task).unwrap_or(usize::MAX);
        if number > self.of.len() + LARGEST_GAP {
            return;
        }
        let known = self.codes.iter().position(|known| *known == code);
        let place = known.unwrap_or_else(|| {
            self.codes.push(code);
            self.codes.len() - 1
        });
        if self.of.len() <= number {
            self.of.resize(number + 1, 0);
        }
        self.of[number] = place as u32 + 1;
    }

    /// How the task's construct is called.
    pub(crate) fn label(&self, task: u64) -> Option<String> {
        let place = *self.of.get(usize::try_from(task).ok()?)? as usize;
        self.labels.get(place.checked_sub(1)?)?.clone()
    }
}
