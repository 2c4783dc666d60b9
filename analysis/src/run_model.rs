//! The run as a whole and what a report has beside its loops, as data; `docs/report-json.md` says what the fields mean.

use ompchunk_figures::time;
use ompchunk_trace_format::{openacc, target};
use serde::Serialize;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunReport {
    pub processes: usize,
    pub threads: u64,
    pub longest_seconds: f64,
    pub seconds: f64,
    pub paused_seconds: f64,
    pub serial_seconds: Option<f64>,
    pub parallel_seconds: Option<f64>,
    pub loop_seconds: Option<f64>,
    pub lost_seconds: Option<f64>,
    pub imbalance_seconds: Option<f64>,
    pub before_seconds: Option<f64>,
    /// `None`: something of it is not told.
    pub account: Option<Account>,
    /// Where more threads are in parallel regions at the same time, on the average, than the process may use processors: how many, and
    /// of these how many there are.
    pub crowd: Option<(f64, u32)>,
    pub locks: Vec<LockReport>,
    pub serial_functions: Option<SerialFunctions>,
    pub other_threads: Option<OtherThreads>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OtherThreads {
    pub threads: u64,
    pub cpu_seconds: f64,
    /// At least: within regions they have as much as they take.
    pub outside_seconds: f64,
    /// At least: what is more than all that they did.
    pub spinning_seconds: f64,
    pub processors: Option<u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Account {
    pub threads: u64,
    pub thread_seconds: f64,
    pub entries: Vec<AccountEntry>,
    pub unknown_seconds: f64,
    pub waits_in_region: u64,
    pub off_core: Vec<AccountEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccountEntry {
    pub code: &'static str,
    pub seconds: f64,
}

fn sum(entries: &[AccountEntry], codes: &[&str]) -> f64 {
    entries.iter().filter(|entry| codes.contains(&entry.code)).map(|entry| entry.seconds).sum()
}

impl Account {
    pub fn seconds(&self, codes: &[&str]) -> f64 {
        sum(&self.entries, codes)
    }

    pub fn off_core_seconds(&self, codes: &[&str]) -> f64 {
        sum(&self.off_core, codes)
    }

    /// Thread time of some entries, of the average thread: elapsed time.
    pub fn elapsed(&self, codes: &[&str]) -> f64 {
        self.seconds(codes) / self.threads.max(1) as f64
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LockReport {
    pub kind: &'static str,
    pub place: String,
    pub count: u64,
    pub seconds: f64,
    pub longest_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    pub code: &'static str,
    pub text: String,
    pub explains_seconds: Option<f64>,
}

impl From<Note> for Hint {
    fn from(note: Note) -> Hint {
        Hint { code: note.code, text: note.text, explains_seconds: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    pub code: &'static str,
    pub text: String,
}

/// Where the program is outside of parallel regions, by the stacks of its first thread, in elapsed seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunctions {
    pub samples: u64,
    /// `None`: it is not known when the thread was on a core; so is what follows.
    pub seconds: Option<f64>,
    pub unsampled_seconds: Option<f64>,
    pub off_core_seconds: Option<f64>,
    pub functions: Vec<SerialFunction>,
    pub outermost: Vec<SerialFunction>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunction {
    pub function: Option<String>,
    pub file: Option<String>,
    pub object: Option<String>,
    pub samples: u64,
    pub seconds: Option<f64>,
    pub share: f64,
    pub between: [f64; 2],
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub function: Option<String>,
    pub object: Option<String>,
    pub offset: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RegionReport {
    #[serde(flatten)]
    pub site: Site,
    pub executions: u64,
    pub team_size: [u32; 2],
    pub seconds: f64,
    pub thread_seconds: f64,
    /// Of each execution, of all processes; where tasks run, who waits for them works too.
    pub busiest_seconds: f64,
    pub mean_seconds: f64,
    pub entries: Vec<AccountEntry>,
    pub unknown_seconds: f64,
}

impl RegionReport {
    /// Work of the mean thread, as a share of the busiest one's; `None`: none worked.
    pub fn load_balance(&self) -> Option<f64> {
        (self.busiest_seconds > 0.0).then(|| self.mean_seconds / self.busiest_seconds)
    }

    pub fn entry_seconds(&self, codes: &[&str]) -> f64 {
        let meant = self.entries.iter().filter(|entry| codes.contains(&entry.code));
        // The sum of nothing would be -0.
        meant.fold(0.0, |sum, entry| sum + entry.seconds)
    }
}

/// How long an execution of a loop takes, and how that changes in the course of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaceReport {
    pub executions: u64,
    pub mean_trip_count: f64,
    pub mean_team_size: f64,
    pub processes: usize,
    pub elapsed: Pace,
    /// Without what was taken from threads, by other programs or by threads that are more than cores.
    pub own: Option<Pace>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pace {
    pub seconds: f64,
    pub stretches: Vec<f64>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OpenAccReport {
    /// `acc_event_t`, of its start; of `target` a number above these (`trace/src/target.rs`).
    pub event: u32,
    /// `compute construct`, `enter data`, `upload`, ...; `target`, `transfer to device`, `submit`, ...
    pub operation: &'static str,
    pub construct: Option<&'static str>,
    pub device: Option<i32>,
    /// The source file; `None`, here and below: not told.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub end_line: Option<u32>,
    pub function: Option<String>,
    pub object: Option<String>,
    pub offset: Option<u64>,
    pub name: Option<String>,
    pub count: u64,
    pub untimed: u64,
    pub asynchronous: u64,
    pub implicit: u64,
    pub seconds: Option<f64>,
    pub shortest_seconds: Option<f64>,
    pub longest_seconds: Option<f64>,
    pub bytes: Option<u64>,
    /// Gangs, workers and vector length of the first launch that was seen, as far as they were told.
    pub dimensions: Option<[Option<u64>; 3]>,
    pub teams: Option<u64>,
    pub threads: Vec<OpenAccThread>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OpenAccThread {
    pub part: usize,
    pub thread: u32,
}

impl OpenAccReport {
    /// Else of OpenACC.
    pub fn is_of_target(&self) -> bool {
        target::is_of_target(self.event)
    }

    /// Whether it has a begin and an end; else it is a point in time.
    pub fn lasts(&self) -> bool {
        openacc::is_start(self.event)
    }
}

/// `lost_seconds` by cause, in elapsed time. What no cause is known of is in none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct LossParts {
    pub off_core_seconds: f64,
    pub imbalance_seconds: f64,
    pub outside_chunks_seconds: f64,
    pub late_seconds: f64,
    /// Waiting for locks and the like within chunks, and bookkeeping between them, as far as it was measured.
    pub locks_and_bookkeeping_seconds: f64,
}

impl LossParts {
    fn largest(&self) -> (&'static str, f64) {
        let parts = [
            ("threads off a core, and others that wait for them", self.off_core_seconds),
            (
                "the busiest thread works longer than the average one, and chunks alone do not show why",
                self.imbalance_seconds,
            ),
            ("late or missing threads, or waiting between chunks", self.outside_chunks_seconds),
            ("locks, and bookkeeping between chunks", self.locks_and_bookkeeping_seconds),
        ];
        parts.into_iter().max_by(|(_, one), (_, another)| one.total_cmp(another)).unwrap_or_default()
    }

    /// Most of the loss is that its threads do not work the same.
    pub fn is_mostly_imbalance(&self) -> bool {
        self.imbalance_seconds > 0.0 && self.largest().1 <= self.imbalance_seconds
    }

    /// The largest part of that loss and how much of it that is; `None`: there is none that matters.
    pub fn sentence(&self, lost: f64) -> Option<String> {
        let (what, seconds) = self.largest();
        (2.0 * seconds >= lost && seconds > 0.0).then(|| format!("{} of the {}: {what}", time(seconds), time(lost)))
    }
}
