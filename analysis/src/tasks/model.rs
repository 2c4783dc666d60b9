//! What explicit tasks did, as data; `docs/report-json.md` says what the fields mean.

use serde::Serialize;

use crate::run_model::Site;
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TasksReport {
    pub constructs: Vec<ConstructReport>,
    pub regions: Vec<TaskRegionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_path: Option<CriticalPath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<TaskHint>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskHint {
    /// `cutoff`, `small-tasks`, `one-creator`, `serial-part`, `few-tasks`, `undeferred`, `long-task` or `chain`.
    pub code: &'static str,
    pub text: String,
    /// If it leaves each thread several equal pieces of work; 0: that is not known.
    pub least_seconds: f64,
    pub lost_seconds: f64,
}

/// The tasks of one construct (`task`, `taskloop`, ...), of all threads and parts; times are of what ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConstructReport {
    #[serde(flatten)]
    pub site: Site,
    pub created: u64,
    pub begun: u64,
    pub ended: u64,
    pub undeferred: u64,
    pub untied: bool,
    /// Without what a thread ran or waited for meanwhile.
    pub work_seconds: f64,
    pub timed: u64,
    pub creation_seconds: Option<f64>,
    pub queued_seconds: f64,
    pub moved: u64,
    pub moved_seconds: f64,
    pub waiting_seconds: f64,
    pub task_seconds: Option<TaskSizes>,
    pub deepest: u64,
    /// From 1, as far as there are any; the last of 32 has the deeper ones as well.
    pub depths: Vec<TaskDepth>,
    pub creators: u64,
    pub largest_creator_share: f64,
}

impl ConstructReport {
    /// What creating one takes; `None`: not measured.
    pub fn mean_creation(&self) -> Option<f64> {
        let timed = (self.timed > 0).then_some(self.timed as f64);
        self.creation_seconds.zip(timed).map(|(all, timed)| all / timed)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskSizes {
    pub min: f64,
    pub mean: f64,
    pub median: f64,
    pub p95: f64,
    pub max: f64,
    pub quantile_error: f64,
    /// From, to (both included) and how many, by powers of two of the clock's ticks.
    pub histogram: Vec<(f64, f64, u64)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TaskDepth {
    pub depth: u64,
    pub tasks: u64,
    pub work_seconds: f64,
}

/// A region in which explicit tasks were created, all executions together; regions inside are part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskRegionReport {
    #[serde(flatten)]
    pub site: Site,
    pub executions: u64,
    pub team_size: u32,
    pub seconds: f64,
    pub work_seconds: f64,
    /// The span (T∞): the longest chain of work that cannot be run side by side, of each execution, added up.
    /// `None`: not known of some execution.
    pub span_seconds: Option<f64>,
    pub parallelism: Option<f64>,
    pub waiting_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<TaskActivity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity_missing: Option<&'static str>,
}

/// The longest chain of work of which no part can run at the same time as another part: of the process in which it is longest.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CriticalPath {
    pub seconds: f64,
    pub work_seconds: f64,
    pub parts: Vec<OnPath>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OnPath {
    /// Where the tasks are created. `None`: no explicit task, or constructs beyond those that are told apart.
    pub site: Option<Site>,
    pub in_tasks: bool,
    pub seconds: f64,
}

/// The reason of a recording without `--tasks`.
pub const NOT_ONE_BY_ONE: &str = "tasks are not recorded one by one (ompchunk record --tasks)";

/// How many threads ran explicit tasks at a time, in one execution of a region. A thread counts while it runs a task and does not wait in it;
/// time in a region that a task begins is not the task's.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskActivity {
    pub part: usize,
    pub begin_seconds: f64,
    pub seconds: f64,
    pub threads: u32,
    pub slices: Vec<f64>,
    pub at_most_one_share: f64,
    pub at_most_half_share: f64,
    pub all_share: f64,
}
