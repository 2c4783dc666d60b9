//! Where the records are that a lane adds up explicit tasks in.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use ompchunk_guest::memory::Grow;

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
    /// Looks for those of this address. True: they are at hand.
    #[inline]
    pub(crate) fn find(&mut self, code: u64) -> bool {
        self.latest.as_ref().is_some_and(|(of, _)| *of == code) || self.find_in_all(code)
    }

    #[cold]
    fn find_in_all(&mut self, code: u64) -> bool {
        let found = self.all.remove(&code);
        found.map(|cells| self.put(code, cells)).is_some()
    }

    /// What was found or put last.
    pub(crate) fn at_hand(&mut self) -> Option<&mut Cells> {
        self.latest.as_mut().map(|(_, cells)| cells)
    }

    pub(crate) fn put(&mut self, code: u64, cells: Cells) {
        if let Some((before, cells)) = self.latest.replace((code, cells)) {
            if self.all.grow(1) {
                self.all.insert(before, cells);
            }
        }
    }
}
