//! The run as a whole and what a report has beside its loops, as data: regions, serial code, paces, OpenACC, parts of losses, notes.

use ompchunk_figures::time;
use ompchunk_trace_format::{openacc, target};
use serde::Serialize;

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
    pub serial_seconds: Option<f64>,
    pub parallel_seconds: Option<f64>,
    /// In loops, wherever they are.
    pub loop_seconds: Option<f64>,
    /// The part of that which is no work of the average thread.
    pub lost_seconds: Option<f64>,
    /// The part of that which perfect balance would save.
    pub imbalance_seconds: Option<f64>,
    /// From the start of the process until the recording began, before the runtime's first event: serial. `None`: not known.
    pub before_seconds: Option<f64>,
    /// Where thread time went; `None`: something of it is not told.
    pub account: Option<Account>,
    /// Where more threads are in parallel regions at the same time, on the average, than the process may use processors: how many, and
    /// of these how many there are.
    pub crowd: Option<(f64, u32)>,
    pub locks: Vec<LockReport>,
    /// The functions of serial code, which [`crate::Analysis::hot_lines`] finds; `None`: no stacks were sampled, or what was serial is not
    /// told.
    pub serial_functions: Option<SerialFunctions>,
    /// The process's other threads; `None`: not measured, or there are several processes.
    pub other_threads: Option<OtherThreads>,
}

/// Threads of the process that are not OpenMP's, and what OpenMP's do beside them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OtherThreads {
    pub threads: u64,
    pub cpu_seconds: f64,
    /// The part of that outside of parallel regions, at least: within them each has as much as they take.
    pub outside_seconds: f64,
    /// How long OpenMP's threads had a core while they waited or had nothing to do, at least: what is more than all that they did.
    pub spinning_seconds: f64,
    /// Fewer than both kinds of threads.
    pub processors: Option<u32>,
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
    /// How often threads waited for `wait-in-region`.
    pub waits_in_region: u64,
    /// The entry `off-core`, by what the threads were in.
    pub off_core: Vec<AccountEntry>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccountEntry {
    /// Its name (`docs/report-json.md`).
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

/// A lock, a critical or ordered section, or an atomic that needs one, at one place of the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LockReport {
    /// `lock`, `nestable lock`, `critical section`, `atomic` or `ordered section`.
    pub kind: &'static str,
    /// `file.c:12`, or `app+0x1234` where the line is not known.
    pub place: String,
    pub count: u64,
    /// Thread time until they had it.
    pub seconds: f64,
    pub longest_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    pub code: &'static str,
    pub text: String,
    /// How much of `lost_seconds` it explains at most; `None`: that is not known.
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

/// Where the program is outside of parallel regions, by the stacks of its first thread. Times are elapsed seconds, of several
/// processes the mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunctions {
    pub samples: u64,
    /// Time there on a core, the recorder's left out: what the samples stand for. `None`: it is not known when the thread was on one.
    pub seconds: Option<f64>,
    /// What of `seconds` no sample stands for: that of processes without a sample there. `None` with it.
    pub unsampled_seconds: Option<f64>,
    /// Time there off a core, in which no stack is sampled. `None` with `seconds`.
    pub off_core_seconds: Option<f64>,
    pub functions: Vec<SerialFunction>,
    /// The outermost functions below `main`, each with all that it calls.
    pub outermost: Vec<SerialFunction>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunction {
    /// The function, as the source has it; `None`: no symbol is known.
    pub function: Option<String>,
    /// The source file; `None`: not known.
    pub file: Option<String>,
    /// The program or library; `None`: not known.
    pub object: Option<String>,
    pub samples: u64,
    /// Time that they stand for; `None`: not known.
    pub seconds: Option<f64>,
    pub share: f64,
    /// What the share would be in 95 of 100 such recordings, if samples came at random.
    pub between: [f64; 2],
}

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Site {
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
    /// Where in it the call returns to; `None` likewise.
    pub offset: Option<u64>,
}

/// A parallel region at its place in the program, all its executions together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RegionReport {
    #[serde(flatten)]
    pub site: Site,
    pub executions: u64,
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
    /// Executions that this is of: complete ones.
    pub executions: u64,
    /// Iterations of their mean.
    pub mean_trip_count: f64,
    /// Threads of the team, likewise.
    pub mean_team_size: f64,
    pub processes: usize,
    /// From the first thread's begin to the last one's end, without the recorder.
    pub elapsed: Pace,
    /// The same without what was taken from threads, by other programs or by threads that are more than cores; `None`: not known.
    pub own: Option<Pace>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pace {
    /// The median of up to 64 means of consecutive executions; of several processes the mean of theirs.
    pub seconds: f64,
    /// The same of up to eight stretches of the run, with equal numbers of executions, one after the other.
    pub stretches: Vec<f64>,
}

/// An operation at a place, all times that it was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OpenAccReport {
    /// `acc_event_t`, of its start; of `target` a number above these (`trace/src/target.rs`).
    pub event: u32,
    /// `compute construct`, `enter data`, `upload`, ...; `target`, `transfer to device`, `submit`, ...
    pub operation: &'static str,
    /// The directive that it belongs to, as the runtime says: `parallel`, `data`, ...; `None`: not told.
    pub construct: Option<&'static str>,
    /// The device, of `target`; `None`: not told.
    pub device: Option<i32>,
    /// The source file; `None`, here and below: not told.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub end_line: Option<u32>,
    pub function: Option<String>,
    /// The program or library of `target`'s return address, where its line is not known.
    pub object: Option<String>,
    /// Where in it the call returns to; without an object the address itself.
    pub offset: Option<u64>,
    /// The kernel of a launch, the variable of data.
    pub name: Option<String>,
    pub count: u64,
    /// How often of that without a time: it has no length, or its end was not told.
    pub untimed: u64,
    /// How often of that without waiting for its end: its time is that of handing it over.
    pub asynchronous: u64,
    /// How often without a directive or call of the program's.
    pub implicit: u64,
    /// Thread time from begin to end, with what is inside; `None`: not measured.
    pub seconds: Option<f64>,
    pub shortest_seconds: Option<f64>,
    pub longest_seconds: Option<f64>,
    /// Bytes, added up; `None`: not told.
    pub bytes: Option<u64>,
    /// Gangs, workers and vector length of the first launch that was seen, as far as they were told.
    pub dimensions: Option<[Option<u64>; 3]>,
    /// How many teams `target` asked for in the first kernel that was seen.
    pub teams: Option<u64>,
    pub threads: Vec<OpenAccThread>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OpenAccThread {
    pub part: usize,
    pub thread: u32,
}

impl OpenAccReport {
    /// Whether it is an operation of OpenMP's `target`, not of OpenACC.
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
    /// Threads were off a core within chunks, or others waited for them.
    pub off_core_seconds: f64,
    /// The busiest thread of an execution works longer than the average one.
    pub imbalance_seconds: f64,
    /// Even the busiest thread is in no chunk: threads come late, or wait between chunks. Or others run chunks of who comes late.
    pub outside_chunks_seconds: f64,
    /// What of that is threads that have not begun the loop yet.
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
