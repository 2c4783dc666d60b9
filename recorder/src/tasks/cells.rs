//! Where the records are that a lane adds up explicit tasks in.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::cells::Cells;
use crate::mix::Mix;

/// Where a lane's records of tasks are.
#[derive(Debug, Default)]
pub(crate) struct TaskCells {
    pub(crate) constructs: ByCode,
    pub(crate) regions: ByCode,
}

/// By return address, with the one that was used last at hand.
#[derive(Debug, Default)]
pub(crate) struct ByCode {
    all: HashMap<u64, Cells, BuildHasherDefault<Mix>>,
    latest: Option<(u64, Cells)>,
}

impl ByCode {
    pub(crate) fn get(&mut self, code: u64) -> Option<&mut Cells> {
        if self.latest.as_ref().is_none_or(|(of, _)| *of != code) {
            let next = self.all.remove(&code)?;
            self.put(code, next);
        }
        self.latest.as_mut().map(|(_, cells)| cells)
    }

    pub(crate) fn put(&mut self, code: u64, cells: Cells) {
        if let Some((before, cells)) = self.latest.replace((code, cells)) {
            self.all.insert(before, cells);
        }
    }
}
