//! What is tried: other schedules for a loop, or for the loops of a group.

/// A loop and the schedule that is tried on it.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The loop, as `OMPCHUNK_SCHEDULE` names it; several: those of a group, which change together.
    pub loops: Vec<String>,
    /// The schedule, likewise.
    pub schedule: String,
}

impl Trial {
    /// Another loop of its group.
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
