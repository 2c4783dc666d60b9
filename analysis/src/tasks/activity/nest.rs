//! The regions that a thread is in, and the explicit task that it runs in each.

/// A region, or the thread's part of it.
#[derive(Debug)]
struct Level {
    region: u64,
    /// The explicit task; 0: none.
    running: u64,
}

/// Those of a lane, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Nest {
    levels: Vec<Level>,
}

impl Nest {
    /// A region begins, or the thread's part of one. The initial task is in none.
    pub(super) fn enter(&mut self, region: u64) {
        if region != 0 {
            self.levels.push(Level { region, running: 0 });
        }
    }

    /// That ends, with all that is inside.
    pub(super) fn leave(&mut self, region: u64) {
        let found = self.levels.iter().rposition(|level| level.region == region);
        if let Some(from) = found {
            self.levels.truncate(from);
        }
    }

    pub(super) fn is_outside(&self) -> bool {
        self.levels.is_empty()
    }

    /// The task that the thread runs in its innermost region; 0: none.
    pub(super) fn running(&self) -> u64 {
        self.levels.last().map_or(0, |level| level.running)
    }

    /// Goes on with another task. Gives the one before; `None`: the thread is in no region.
    pub(super) fn switch(&mut self, next: u64) -> Option<u64> {
        let level = self.levels.last_mut()?;
        Some(std::mem::replace(&mut level.running, next))
    }
}
