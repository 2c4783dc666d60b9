//! The report, as data. `docs/report-json.md` says what its fields mean, which keep that within a version; fields may be added. `None`: not
//! known, unless another reason is given.

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
    pub regions: Vec<RegionReport>,
    pub loops: Vec<LoopReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub openacc: Vec<OpenAccReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openacc_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<OpenAccReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_seconds: Option<f64>,
    pub notes: Vec<Note>,
}

/// One process, or of one that became another program, or whose runtime began again, what it was for a time.
#[derive(Debug, Clone, Serialize)]
pub struct PartReport {
    pub name: String,
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
    pub processors: u32,
    pub chunks: u64,
    pub cut: bool,
    pub growing: bool,
    pub lost_chunks: u64,
    pub lost_events: u64,
    pub sample: u64,
    pub profile: bool,
    pub recorder_seconds: Option<f64>,
    pub storing_seconds: Option<f64>,
    pub reading_seconds: Option<f64>,
    pub clock_step_seconds: Option<f64>,
    pub knows_cores: bool,
    pub added_up: Option<AddedUp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AddedUp {
    pub regions: u64,
    pub region_seconds: f64,
    pub serial_seconds: Option<f64>,
    pub waits: u64,
    pub wait_seconds: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct OffCoreReport {
    pub seconds: f64,
    pub preempted_seconds: f64,
    pub beside_seconds: f64,
    pub waiting_seconds: f64,
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
    pub number: usize,
    pub name: String,
    #[serde(flatten)]
    pub identity: Identity,
    /// What may rely on which thread runs which of its iterations: for what is suggested.
    #[serde(skip)]
    pub promise: Promise,
    pub executions: u64,
    pub incomplete_executions: u64,
    pub counted_executions: u64,
    /// As the thread with most of them has it; their chunks cost more to tell than to run.
    pub unprofiled_executions: u64,
    pub unprofiled_chunk_seconds: Option<f64>,
    pub chunks_complete: bool,
    pub trip_count: Option<[u64; 2]>,
    pub team_size: Option<[u32; 2]>,
    #[serde(flatten)]
    pub metrics: Metrics,
    pub lost_seconds: Option<f64>,
    pub run_share: Option<f64>,
    pub slowest_rank_seconds: Option<f64>,
    pub pace: Option<PaceReport>,
    pub nested_executions: u64,
    pub total_load_balance: Option<f64>,
    pub total_imbalance_seconds: Option<f64>,
    pub chunks: u64,
    pub iterations: u64,
    pub busy_seconds: f64,
    pub barrier_seconds: Option<f64>,
    pub mean_barrier_seconds: Option<f64>,
    /// Part of `barrier_seconds`.
    pub release_seconds: Option<f64>,
    pub counted_seconds: Option<f64>,
    /// In the time in chunks.
    pub mutex_seconds: Option<f64>,
    pub page_faults: Option<PageFaults>,
    pub bookkeeping_seconds: Option<f64>,
    pub bookkeeping_share: Option<f64>,
    /// In the time in chunks.
    pub off_core: Option<OffCoreReport>,
    /// Not in the time in chunks.
    pub recorder_seconds: Option<f64>,
    /// Of one for each chunk; in the time in chunks.
    pub reading_seconds: Option<f64>,
    pub recorder_share: Option<f64>,
    pub chunk_seconds: Option<Distribution>,
    pub worst_chunks: Vec<WorstChunk>,
    pub threads: Vec<ThreadReport>,
    pub ranks: Vec<RankReport>,
    pub rank_load_balance: Option<f64>,
    pub between: Option<BetweenReport>,
    pub lost: Option<LostReport>,
    pub loss: Option<LossParts>,
    pub hints: Vec<Hint>,
}

/// Efficiencies in the definitions of the POP project; each execution of a loop is a region of its own, and
/// they are weighted by time. `None` where there is nothing to divide by. Where no execution is told there is no time
/// either: it is 0 here, and `null` in the JSON form.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Metrics {
    /// Where loops of a team run at the same time, each one's share of it; of several ranks, the mean.
    pub seconds: f64,
    pub load_balance: Option<f64>,
    pub communication_efficiency: Option<f64>,
    pub parallel_efficiency: Option<f64>,
    pub imbalance_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    pub count: u64,
    pub min: f64,
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub quantile_error: f64,
    pub histogram: Vec<(f64, f64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorstChunk {
    pub seconds: f64,
    pub off_core: Option<OffCoreReport>,
    pub core: Option<u32>,
    pub at_seconds: f64,
    pub part: usize,
    pub thread: u32,
    pub logical: [u64; 2],
    pub user: Option<[i128; 2]>,
}

impl WorstChunk {
    pub fn work_seconds(&self) -> f64 {
        (self.seconds - self.off_core.map_or(0.0, |off_core| off_core.taken())).max(0.0)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadReport {
    pub part: usize,
    pub process: usize,
    pub thread: u32,
    pub executions: u64,
    pub chunks: u64,
    pub iterations: u64,
    pub busy_seconds: f64,
    pub barrier_seconds: Option<f64>,
    pub bookkeeping_seconds: Option<f64>,
    pub off_core: Option<OffCoreReport>,
    pub recorder_seconds: Option<f64>,
}

impl ThreadReport {
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
    pub of: usize,
    pub least_seconds: f64,
    pub median_seconds: f64,
    pub most_seconds: f64,
    /// The slowest less the mean of all compared: what the mean process waits, if all wait for the slowest.
    pub spread_seconds: f64,
    pub slowest: usize,
    pub groups: Vec<GroupReport>,
    pub hosts: Vec<HostReport>,
}

/// Processes that take longer than others. Ratios are of their mean to the median of all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupReport {
    pub host: Option<String>,
    pub parts: Vec<usize>,
    pub seconds: f64,
    pub ratio: f64,
    pub executions_ratio: Option<f64>,
    pub iterations_ratio: Option<f64>,
    pub work_ratio: Option<f64>,
    pub taken_share: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostReport {
    pub host: String,
    pub processes: usize,
    pub seconds: f64,
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
    pub between_seconds: Option<[f64; 2]>,
}
