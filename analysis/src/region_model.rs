//! Where the threads' time goes in a parallel region, as data.

use serde::Serialize;

use crate::run_model::AccountEntry;

/// A parallel region at its place in the program, all its executions together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RegionReport {
    /// `file.c:12`, or `app+0x1234` where the line is not known.
    pub name: String,
    /// The source file; `None`: not known.
    pub file: Option<String>,
    /// The line; `None`: not known.
    pub line: Option<u32>,
    /// The function, as the source has it; `None`: not known.
    pub function: Option<String>,
    /// The program or library, where the line is not known; `None`: not known, or the line is.
    pub object: Option<String>,
    /// Where in it the call that begins the region returns to; `None` likewise.
    pub offset: Option<u64>,
    /// How often it was run.
    pub executions: u64,
    /// Smallest and largest team.
    pub team_size: [u32; 2],
    /// From begin to end, all executions; of several processes the mean.
    pub seconds: f64,
    /// The same times the size of the team, of all processes together.
    pub thread_seconds: f64,
    /// Work of the busiest thread of each execution, of all executions and processes together: in loops, sections, `single` and the
    /// region's own code, on a core. Where tasks run, who waits for them works too.
    pub busiest_seconds: f64,
    /// Work of the mean thread likewise.
    pub mean_seconds: f64,
    /// What it went to; what took none is not there.
    pub entries: Vec<AccountEntry>,
    /// What is in none of them: not recorded, or of sums that may be another region's.
    pub unknown_seconds: f64,
}

impl RegionReport {
    /// Work of the mean thread, as a share of the busiest one's; `None`: none worked.
    #[must_use]
    pub fn load_balance(&self) -> Option<f64> {
        (self.busiest_seconds > 0.0).then(|| self.mean_seconds / self.busiest_seconds)
    }

    /// Thread time of some entries together.
    #[must_use]
    pub fn of(&self, codes: &[&str]) -> f64 {
        let meant = self.entries.iter();
        let meant = meant.filter(|entry| codes.contains(&entry.code));
        // The sum of nothing would be -0.
        meant.fold(0.0, |sum, entry| sum + entry.seconds)
    }
}
