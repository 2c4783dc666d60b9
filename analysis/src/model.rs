//! The report, as data. Its JSON form is documented in `docs/report-json.md` and keeps what it has within a
//! version: fields may be added.

use serde::Serialize;

use crate::definition::Identity;
use crate::promise::Promise;

pub use crate::aggregates::PageFaults;
pub use crate::run_model::{
    Account, AccountEntry, Hint, LockReport, LossParts, Note, OpenAccReport, OpenAccThread, OtherThreads, Pace,
    PaceReport, RegionReport, RunReport, SerialFunction, SerialFunctions, Site,
};
pub use crate::tasks::model::{
    ConstructReport, CriticalPath, NOT_ONE_BY_ONE, OnPath, TaskActivity, TaskDepth, TaskHint, TaskRegionReport,
    TaskSizes, TasksReport,
};

pub const VERSION: u32 = 2;

#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub version: u32,
    pub parts: Vec<PartReport>,
    pub run: RunReport,
    /// The account of each parallel region, by its place in the program, those with most thread time first; none where the run has no account.
    pub regions: Vec<RegionReport>,
    /// The loops, those that lose most first unless asked for otherwise.
    pub loops: Vec<LoopReport>,
    /// Explicit tasks; not there where none was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksReport>,
    /// What OpenACC did, the longest first; not there where it did nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub openacc: Vec<OpenAccReport>,
    /// Thread time in operations of OpenACC that are in no other one; not there where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openacc_seconds: Option<f64>,
    /// What OpenMP's `target` did, in the form of `openacc`; not there where it did nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<OpenAccReport>,
    /// Thread time in operations of `target` that are in no other one; not there where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_seconds: Option<f64>,
    /// What the reader must know before believing the numbers.
    pub notes: Vec<Note>,
}

/// One process, or of one that became another program, or whose runtime began again, what it was for a time.
#[derive(Debug, Clone, Serialize)]
pub struct PartReport {
    /// `rank 3`, or `pid 4711`.
    pub name: String,
    /// Which process, from 0.
    pub process: usize,
    pub went_on_in: Option<usize>,
    pub file: String,
    pub rank: Option<u64>,
    pub pid: u32,
    pub host: String,
    pub command: Vec<String>,
    pub runtime: String,
    pub recorder: String,
    pub seconds: f64,
    pub threads: u64,
    /// Processors that the process may use; 0: not known.
    pub processors: u32,
    /// Chunks that are told one by one.
    pub chunks: u64,
    /// The end is missing.
    pub cut: bool,
    /// ... because its process still writes it.
    pub growing: bool,
    pub lost_chunks: u64,
    pub lost_events: u64,
    /// One of so many executions is told chunk by chunk; 1: all; 0: none.
    pub sample: u64,
    /// What iterations cost is told.
    pub profile: bool,
    /// What recording cost: thread time of the recorder's own work beyond storing events; `None`: not told.
    pub recorder_seconds: Option<f64>,
    /// Thread time of storing events on the recorder's long ways, as it measured it; `None`: not told.
    pub storing_seconds: Option<f64>,
    /// Readings of the clock, one for each event that is told and two for each that is only added up, at what one takes; `None`: not known.
    pub reading_seconds: Option<f64>,
    /// By how much its clock advances at once; `None`: less than a reading takes, or not known.
    pub clock_step_seconds: Option<f64>,
    /// It is known when threads were not on a core.
    pub knows_cores: bool,
    /// What was added up instead of told; `None`: nothing.
    pub added_up: Option<AddedUp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AddedUp {
    pub regions: u64,
    /// What they took the threads that began them.
    pub region_seconds: f64,
    /// The rest of the run, if all regions were added up and one thread began them.
    pub serial_seconds: Option<f64>,
    pub waits: u64,
    pub wait_seconds: f64,
}

/// Time in which threads were not on a core.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OffCoreReport {
    pub seconds: f64,
    /// The core was taken from them, ...
    pub preempted_seconds: f64,
    /// (part of that while the recorder worked, which is not in the time in chunks) ...
    pub beside_seconds: f64,
    /// ... they gave it up, as to sleep or to wait for a lock or a file, ...
    pub waiting_seconds: f64,
    /// ... or one of the two.
    pub either_seconds: f64,
}

impl OffCoreReport {
    /// What of the time in chunks iterations may not be blamed for.
    pub fn taken(&self) -> f64 {
        self.preempted_seconds - self.beside_seconds + self.either_seconds
    }
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct LoopReport {
    /// Place in the list of those that lose most, from 1.
    pub number: usize,
    /// `file.c:12`
    pub name: String,
    #[serde(flatten)]
    pub identity: Identity,
    /// What may rely on which thread runs which of its iterations: for what is suggested.
    #[serde(skip)]
    pub promise: Promise,
    /// Executions that are added up: those of which everything is there.
    pub executions: u64,
    pub incomplete_executions: u64,
    /// Executions that were only counted, as the thread with most of them has it.
    pub counted_executions: u64,
    /// Executions, of the complete ones, whose chunks a recording with a profile does not tell, as they cost more to tell than to run; as
    /// the thread with most of them has it.
    pub unprofiled_executions: u64,
    /// What a chunk of these takes, as far as executions have as many chunks as those that are told; `None`: there are none.
    pub unprofiled_chunk_seconds: Option<f64>,
    /// All chunks are told or counted. If not, they are not added up.
    pub chunks_complete: bool,
    pub trip_count: Option<[u64; 2]>,
    pub team_size: Option<[u32; 2]>,
    #[serde(flatten)]
    pub metrics: Metrics,
    /// What of `seconds` is no work of the average thread: what the loop loses. `None`: not measured.
    pub lost_seconds: Option<f64>,
    /// `seconds` as a share of the run.
    pub run_share: Option<f64>,
    /// The time on the slowest rank, if there are several.
    pub slowest_rank_seconds: Option<f64>,
    /// How long an execution takes, and how steadily; `None`: too few are complete.
    pub pace: Option<PaceReport>,
    /// Executions within a chunk of another loop, in whose time they are as well.
    pub nested_executions: u64,
    /// Work of the average thread to that of the busiest, all executions together; `None` where chunks are lost.
    pub total_load_balance: Option<f64>,
    /// The difference of the two, likewise: what is lost at least.
    pub total_imbalance_seconds: Option<f64>,
    /// Chunks, those that were only counted included.
    pub chunks: u64,
    pub iterations: u64,
    pub busy_seconds: f64,
    /// Thread time at the next barrier, as far as this loop causes it; `None`: not measured.
    pub barrier_seconds: Option<f64>,
    /// The same of the average thread: to be set against `seconds`.
    pub mean_barrier_seconds: Option<f64>,
    /// What of `barrier_seconds` passes after the last thread of an execution has come; `None` likewise.
    pub release_seconds: Option<f64>,
    /// Thread time from begin to end of executions that were only counted; `None`: there are none.
    pub counted_seconds: Option<f64>,
    /// Thread time until threads had a lock, a critical section or the like in the loop; `None`: none was taken, or that was not
    /// recorded. It is in the time in chunks.
    pub mutex_seconds: Option<f64>,
    /// Page faults, and time in the system's kernel; `None`: not measured.
    pub page_faults: Option<PageFaults>,
    /// Thread time in the bookkeeping between chunks; `None`: not measured.
    pub bookkeeping_seconds: Option<f64>,
    /// The same as a share of the time in chunks.
    pub bookkeeping_share: Option<f64>,
    /// Thread time off a core in the loop; `None`: not known. It is in the time in chunks.
    pub off_core: Option<OffCoreReport>,
    /// Thread time of the recorder's own work in the loop; `None`: not told. It is not in the time in chunks.
    pub recorder_seconds: Option<f64>,
    /// Readings of the clock, one for each chunk, at what one takes. They are in the time in chunks.
    pub reading_seconds: Option<f64>,
    /// Both, as a share of the time in chunks and the recorder's.
    pub recorder_share: Option<f64>,
    pub chunk_seconds: Option<Distribution>,
    pub worst_chunks: Vec<WorstChunk>,
    pub threads: Vec<ThreadReport>,
    /// Each part's, if there are several; parts of one process follow each other.
    pub ranks: Vec<RankReport>,
    /// Work of the average rank to that of the busiest, if there are several.
    pub rank_load_balance: Option<f64>,
    /// How its time differs between processes; `None`: one process runs it, or its time is not known.
    pub between: Option<BetweenReport>,
    pub lost: Option<LostReport>,
    pub loss: Option<LossParts>,
    /// What the numbers suggest, first what explains most of the loss.
    pub hints: Vec<Hint>,
}

/// Efficiencies in the definitions of the POP project; each execution of a loop is a region of its own, and
/// they are weighted by time. `None` where there is nothing to divide by. Where no execution is told there is no time
/// either: it is 0 here, and `null` in the JSON form.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Metrics {
    /// From the first thread's begin to the last thread's end, all executions; where loops of a team run at the
    /// same time, each one's share of it; of several ranks, the mean of all.
    pub seconds: f64,
    /// Useful time of the average thread to that of the busiest, of which a loop with `nowait` has what others wait for.
    pub load_balance: Option<f64>,
    /// Useful time of the busiest thread to the time of the execution.
    pub communication_efficiency: Option<f64>,
    /// Their product: useful time of the average thread to the time of the execution.
    pub parallel_efficiency: Option<f64>,
    /// What perfect balance would save of `seconds`: useful time of the busiest thread less that of the average one.
    pub imbalance_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    pub count: u64,
    pub min: f64,
    pub mean: f64,
    /// Half of all are not longer.
    pub median: f64,
    /// 95 % are not longer.
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    /// Most that the quantiles are off, as a share of each.
    pub quantile_error: f64,
    /// From, to (not included), number of chunks.
    pub histogram: Vec<(f64, f64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstChunk {
    /// How long it took, without what the recorder did meanwhile.
    pub seconds: f64,
    /// What of it the thread was not on a core; `None`: not known, or nothing that tells from noise.
    pub off_core: Option<OffCoreReport>,
    /// The core on which the thread went on then.
    pub core: Option<u32>,
    /// When it began, from the start of its part.
    pub at_seconds: f64,
    pub part: usize,
    pub thread: u32,
    pub logical: [u64; 2],
    pub user: Option<[i128; 2]>,
}

impl WorstChunk {
    /// What of it was not taken from the thread.
    pub fn work_seconds(&self) -> f64 {
        (self.seconds - self.off_core.map_or(0.0, |off_core| off_core.taken())).max(0.0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadReport {
    pub part: usize,
    /// ... and process.
    pub process: usize,
    pub thread: u32,
    pub executions: u64,
    pub chunks: u64,
    pub iterations: u64,
    pub busy_seconds: f64,
    /// Time in the barrier after the loop; `None`: not measured.
    pub barrier_seconds: Option<f64>,
    /// Time in bookkeeping; `None`: not measured.
    pub bookkeeping_seconds: Option<f64>,
    /// Time off a core, in the time in chunks; `None`: not known.
    pub off_core: Option<OffCoreReport>,
    /// The recorder's own time; `None`: not told.
    pub recorder_seconds: Option<f64>,
}

impl ThreadReport {
    /// Time in chunks that was not taken from the thread.
    pub fn work_seconds(&self) -> f64 {
        (self.busy_seconds - self.off_core.map_or(0.0, |off_core| off_core.taken())).max(0.0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankReport {
    pub part: usize,
    pub executions: u64,
    #[serde(flatten)]
    pub metrics: Metrics,
    pub busy_seconds: f64,
}

/// How the time of a loop differs between the processes that run it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BetweenReport {
    pub processes: usize,
    /// How many have a recording with an end: only these are compared, if there are any.
    pub of: usize,
    /// Its time on the fastest, ...
    pub least_seconds: f64,
    /// ... on half of them at most, ...
    pub median_seconds: f64,
    /// ... and on the slowest.
    pub most_seconds: f64,
    /// The slowest less the mean of all that are compared, those that do not run it included: what the mean process waits, if
    /// all wait for the slowest.
    pub spread_seconds: f64,
    /// The (first) part of the slowest.
    pub slowest: usize,
    /// Processes that take longer than the others, by more than these differ: the slowest first.
    pub groups: Vec<GroupReport>,
    /// Machines, the slowest first; empty: there is one, or each has one process.
    pub hosts: Vec<HostReport>,
}

/// Processes that take longer than others. Ratios are of their mean to the median of all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupReport {
    /// They are all of this machine's; `None`: not all of a machine's.
    pub host: Option<String>,
    /// The (first) part of each.
    pub parts: Vec<usize>,
    pub seconds: f64,
    /// Their mean time to the median one.
    pub ratio: f64,
    pub executions_ratio: Option<f64>,
    /// Iterations likewise; `None`: not all are told.
    pub iterations_ratio: Option<f64>,
    pub work_ratio: Option<f64>,
    /// What of that time their cores did something else; `None`: not known.
    pub taken_share: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostReport {
    pub host: String,
    pub processes: usize,
    /// Its time, their mean.
    pub seconds: f64,
    /// ... and of the slowest.
    pub slowest_seconds: f64,
    pub busy_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostReport {
    pub chunks: u64,
    pub iterations: u64,
    pub events: u64,
    /// The share of its chunks that is missing; `None`: not known, as it is not told of which loops chunks were lost.
    pub share: Option<f64>,
    /// When the first and the last was lost, from the start of the part.
    pub between_seconds: Option<[f64; 2]>,
}
