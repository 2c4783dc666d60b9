//! What explicit tasks did, as data.

use serde::Serialize;

use crate::run_model::Site;
/// Explicit tasks: by construct, and the regions in which they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TasksReport {
    pub constructs: Vec<ConstructReport>,
    /// Regions in which tasks were created, those with most thread time first.
    pub regions: Vec<TaskRegionReport>,
    /// The longest chain of work, and whose it is. `None`: not known, or not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_path: Option<CriticalPath>,
    /// What to do; not there where the numbers allow no cause, or several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<TaskHint>,
}

/// A cause that the numbers name, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskHint {
    /// `cutoff`, `small-tasks`, `one-creator`, `serial-part`, `few-tasks`, `undeferred`, `long-task` or `chain`.
    pub code: &'static str,
    pub text: String,
    /// Elapsed time of the recorded run that the change saves at least, if it leaves each thread several equal pieces of work; 0: that is not
    /// known.
    pub least_seconds: f64,
    /// The most that it saves, and so what the cause costs.
    pub lost_seconds: f64,
}

/// The tasks of one construct (`task`, `taskloop`, ...), of all threads and parts together. What ended is what times are of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConstructReport {
    #[serde(flatten)]
    pub site: Site,
    pub created: u64,
    pub begun: u64,
    pub ended: u64,
    /// Created tasks that ran at once, in the thread that created them.
    pub undeferred: u64,
    pub untied: bool,
    /// Thread time in them, without what a thread ran or waited for meanwhile.
    pub work_seconds: f64,
    pub timed: u64,
    /// What that took; `None`: none was.
    pub creation_seconds: Option<f64>,
    /// From creation to begin, all together.
    pub queued_seconds: f64,
    pub moved: u64,
    pub moved_seconds: f64,
    /// Waiting in `taskwait` and at the end of a `taskgroup` in them, with nothing else to run.
    pub waiting_seconds: f64,
    /// How long one takes; `None`: none has ended.
    pub task_seconds: Option<TaskSizes>,
    /// The most tasks inside each other, the innermost included.
    pub deepest: u64,
    /// By depth, from 1, as far as there are any; the last of 32 has the deeper ones as well.
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
    /// Half are shorter.
    pub median: f64,
    /// 95 % are shorter.
    pub p95: f64,
    pub max: f64,
    /// Most that median and `p95` can be off, as a share of themselves.
    pub quantile_error: f64,
    /// From, to (both included) and how many, by powers of two of the clock's ticks.
    pub histogram: Vec<(f64, f64, u64)>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TaskDepth {
    /// Explicit tasks around one of them, and itself.
    pub depth: u64,
    pub tasks: u64,
    pub work_seconds: f64,
}

/// A region in which explicit tasks were created: work and span, all executions together. Regions inside are part of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TaskRegionReport {
    #[serde(flatten)]
    pub site: Site,
    pub executions: u64,
    pub team_size: u32,
    pub seconds: f64,
    /// Work (T1): thread time in its implicit and explicit tasks, without waiting.
    pub work_seconds: f64,
    /// The span (T∞): the longest chain of work that cannot be run side by side, of each execution, added up. `None`: not known of some
    /// execution.
    pub span_seconds: Option<f64>,
    /// Work to span: so many threads can be busy at most, on average. `None` likewise.
    pub parallelism: Option<f64>,
    /// Waiting in `taskwait` and the like outside of explicit tasks, with nothing to run.
    pub waiting_seconds: f64,
    /// How many threads ran tasks at a time, in the longest execution. `None`: not known, or not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<TaskActivity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity_missing: Option<&'static str>,
}

/// The longest chain of work of which no part can run at the same time as another part: of the process in which it is longest.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CriticalPath {
    pub seconds: f64,
    /// All work of that kind: in explicit tasks, in chunks, and in what creates tasks.
    pub work_seconds: f64,
    /// Whose work is on it, the longest first. They add up to the path.
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
    /// When the execution began, from the start of the part.
    pub begin_seconds: f64,
    pub seconds: f64,
    pub threads: u32,
    /// The execution in equal slices of time: how many threads ran tasks, on average of the slice. Nested teams count, too.
    pub slices: Vec<f64>,
    /// The share of slices with at most one thread, ...
    pub at_most_one_share: f64,
    /// ... with at most half of the team, ...
    pub at_most_half_share: f64,
    /// ... and with all of it, or but for a twentieth.
    pub all_share: f64,
}
