//! Executions of two schedules that take turns, and which of them may be compared.

use ompchunk_figures::Sample;

/// Executions under two schedules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compared {
    /// As the source has it.
    pub source: Vec<Sample>,
    /// Under the other schedule.
    pub other: Vec<Sample>,
    /// Those that are no samples, since the one before in the process ran under the other schedule: it leaves data in the caches of
    /// threads that do not need them.
    pub after_a_change: usize,
}

impl Compared {
    /// Adds executions of one loop, whether they ran under the other schedule.
    pub fn add(&mut self, executions: impl Iterator<Item = (bool, Sample)>) {
        let mut executions: Vec<(bool, Sample)> = executions.collect();
        executions.sort_by(|(_, one), (_, other)| one.in_time(other));
        let mut before = None;
        for (is_other, sample) in executions {
            match (before, is_other) {
                (Some((run, was_other)), _) if run == sample.run && was_other != is_other => {
                    self.after_a_change += 1;
                }
                (_, true) => self.other.push(sample),
                (_, false) => self.source.push(sample),
            }
            before = Some((sample.run, is_other));
        }
    }
}
