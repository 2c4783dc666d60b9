//! The run as a whole, as data: how long it was, where its threads' time went, and what they waited for.

use serde::Serialize;

use crate::serial_model::SerialFunctions;

/// The run as a whole, in seconds that passed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunReport {
    /// Processes of whose times these are the means.
    pub processes: usize,
    /// Their threads, of parts of one process those of the part with most.
    pub threads: u64,
    /// Length of the recording of the process with the longest.
    pub longest_seconds: f64,
    /// What was recorded: without pauses.
    pub seconds: f64,
    /// What was not, because the program or the user said so.
    pub paused_seconds: f64,
    /// The program outside of parallel regions.
    pub serial_seconds: Option<f64>,
    /// The program within them.
    pub parallel_seconds: Option<f64>,
    /// In loops, wherever they are.
    pub loop_seconds: Option<f64>,
    /// Of that, what is no work of the average thread.
    pub lost_seconds: Option<f64>,
    /// Of that, what perfect balance would save.
    pub imbalance_seconds: Option<f64>,
    /// From the start of the process until the recording began, before the runtime's first event: serial. `None`: not known.
    pub before_seconds: Option<f64>,
    /// Where thread time went; `None`: something of it is not told.
    pub account: Option<Account>,
    /// Where more threads are in parallel regions at the same time, on the average, than the process may use processors: how many, and
    /// of these how many there are.
    pub crowd: Option<(f64, u32)>,
    /// What threads waited for, longest first.
    pub locks: Vec<LockReport>,
    /// The functions of serial code, which [`crate::Analysis::hot_lines`] finds; `None`: no stacks were sampled, or what was serial is not
    /// told.
    pub serial_functions: Option<SerialFunctions>,
}

/// Where thread time went. The entries and what is unknown add up to all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    /// Threads, of several processes together: each process's most at a time.
    pub threads: u64,
    /// Threads × elapsed time, from the start of the process.
    pub thread_seconds: f64,
    /// What it went to; what took none is not there.
    pub entries: Vec<AccountEntry>,
    /// What is in none of them: not recorded, as while the program had paused the recording.
    pub unknown_seconds: f64,
}

/// A kind of thread time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccountEntry {
    /// Its name (`docs/report-json.md`).
    pub code: &'static str,
    /// Thread time.
    pub seconds: f64,
}

impl Account {
    /// Thread time of some entries together.
    #[must_use]
    pub fn seconds(&self, codes: &[&str]) -> f64 {
        let meant = self.entries.iter().filter(|entry| codes.contains(&entry.code));
        meant.map(|entry| entry.seconds).sum()
    }

    /// The same of the average thread: elapsed time.
    #[must_use]
    pub fn elapsed(&self, codes: &[&str]) -> f64 {
        self.seconds(codes) / self.threads.max(1) as f64
    }
}

/// A lock, a critical or ordered section, or an atomic that needs one, at one place of the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LockReport {
    /// `lock`, `nestable lock`, `critical section`, `atomic` or `ordered section`.
    pub kind: &'static str,
    /// `file.c:12`, or `app+0x1234` where the line is not known.
    pub place: String,
    /// How often threads took it there.
    pub count: u64,
    /// Thread time until they had it.
    pub seconds: f64,
    /// The longest of these times.
    pub longest_seconds: f64,
}
