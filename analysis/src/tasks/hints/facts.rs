//! What the rules ask of all constructs together, and of the region that they are in.

use crate::model::RunReport;
use crate::tasks::model::{ConstructReport, TaskRegionReport, TasksReport};

/// This share of something counts as all of it.
pub(super) const IS_ALL: f64 = 0.9;
/// More time off a core than that, and what takes long may have waited for a core.
pub(super) const OFF_CORE: f64 = 0.05;
/// So much of the team's time is no work, or there is nothing to gain.
const LOSES: f64 = 0.2;
/// No runtime takes longer to create, find and leave a task, in seconds: 65,000 cycles (25 µs) are the most that the thesis measured for an
/// empty one (table 3.1, GCC with 20 threads), and fewer threads are less in each other's way. What is beyond has another cause, such as
/// threads that had no core while they waited.
const MOST_FOR_ONE: f64 = 5e-6;
const MOST_FOR_EACH_THREAD: f64 = 1e-6;
/// What the recorder takes of a thread that creates a task is less, and so is what it takes of one that runs it.
const RECORDING: f64 = 2e-6;
/// So many pieces of work for each thread are several.
pub(super) const PIECES: f64 = 4.0;
/// Share of what other threads would run if all ran as many.
const TAKE_PART: f64 = 0.5;
pub(super) const MANY: f64 = 100.0;
/// So many times the team could be busy: then no thread is without a task.
pub(super) const WIDE: f64 = 4.0;

pub(super) struct Facts<'r> {
    pub(super) report: &'r TasksReport,
    pub(super) region: &'r TaskRegionReport,
    run: &'r RunReport,
    pub(super) created: u64,
    pub(super) work: f64,
    pub(super) deepest: u64,
    pub(super) first: &'r ConstructReport,
    pub(super) team: f64,
}

impl Facts<'_> {
    pub(super) fn from_report<'r>(
        report: &'r TasksReport,
        region: &'r TaskRegionReport,
        run: &'r RunReport,
    ) -> Option<Facts<'r>> {
        let constructs = || report.constructs.iter();
        // The one with most work stands first.
        let have_ended = constructs().next()?.ended > 0;
        have_ended.then_some(Facts {
            report,
            region,
            run,
            created: constructs().map(|of| of.created).sum(),
            work: constructs().map(|of| of.work_seconds).sum(),
            deepest: constructs().map(|of| of.deepest).max()?,
            first: constructs().max_by_key(|of| of.created)?,
            team: f64::from(region.team_size),
        })
    }

    pub(super) fn executions(&self) -> f64 {
        self.region.executions as f64
    }

    pub(super) fn mean(&self) -> f64 {
        self.work / self.created as f64
    }

    pub(super) fn idle(&self) -> f64 {
        self.region.seconds * self.team - self.region.work_seconds
    }

    /// What the region works outside of its tasks, their creation included.
    pub(super) fn apart(&self) -> f64 {
        self.region.work_seconds - self.work
    }

    /// The part of that which creating tasks takes; `None`: not all of them were timed.
    pub(super) fn creation(&self) -> Option<f64> {
        let constructs = || self.report.constructs.iter();
        let timed: u64 = constructs().map(|of| of.timed).sum();
        let taken = constructs().filter_map(|of| of.creation_seconds);
        (timed as f64 >= IS_ALL * self.created as f64).then(|| taken.sum())
    }

    pub(super) fn loses(&self, seconds: f64) -> bool {
        seconds >= LOSES * self.team * self.region.seconds
    }

    pub(super) fn most_for_one(&self) -> f64 {
        MOST_FOR_ONE + MOST_FOR_EACH_THREAD * self.team
    }

    /// What runs outside of tasks does little else than creating them, as far as is known.
    pub(super) fn only_creates(&self) -> bool {
        let rest = self.creation().map(|creation| self.apart() - creation);
        rest.is_some_and(|rest| rest <= self.recording(self.created))
    }

    pub(super) fn moved(&self) -> f64 {
        self.report.constructs.iter().map(|of| of.moved).sum::<u64>() as f64
    }

    /// The others ran about as many of the tasks that one thread creates as it did: they were there.
    pub(super) fn take_part(&self) -> bool {
        let others = (self.team - 1.0) / self.team;
        self.moved() >= TAKE_PART * others * self.created as f64
    }

    /// The time that tasks were queued, all together: over the region's time, how many were at once, on average.
    pub(super) fn queued(&self) -> f64 {
        self.report.constructs.iter().map(|of| of.queued_seconds).sum()
    }

    /// So many are queued at a time that no thread is without one, if those are ready.
    pub(super) fn are_ready(&self) -> bool {
        self.queued() >= WIDE * self.team * self.region.seconds
    }

    /// One thread creates nearly all tasks of each construct, and no task creates any.
    pub(super) fn has_one_creator(&self) -> bool {
        let is_flat = |of: &ConstructReport| of.deepest <= 1 && of.largest_creator_share >= IS_ALL;
        self.report.constructs.iter().all(is_flat)
    }

    pub(super) fn deferred(&self) -> u64 {
        let at_once: u64 = self.report.constructs.iter().map(|of| of.undeferred).sum();
        self.created.saturating_sub(at_once)
    }

    /// Nearly all tasks run at once, in the thread that creates them.
    pub(super) fn runs_at_once(&self) -> bool {
        self.deferred() as f64 <= (1.0 - IS_ALL) * self.created as f64
    }

    /// Threads were so little off their cores that it explains nothing; not, if that is not known.
    pub(super) fn had_cores(&self) -> bool {
        let account = self.run.account.as_ref();
        account.is_some_and(|account| account.seconds(&["off-core"]) < OFF_CORE * account.thread_seconds)
    }

    /// Thread time off a core, or until a lock was had; `None`: not known.
    pub(super) fn held_up(&self) -> Option<f64> {
        let account = self.run.account.as_ref()?;
        let locks: f64 = self.run.locks.iter().map(|lock| lock.seconds).sum();
        Some(account.seconds(&["off-core"]) + locks)
    }

    pub(super) fn longest(of: &ConstructReport) -> f64 {
        of.task_seconds.as_ref().map_or(0.0, |sizes| sizes.max)
    }

    pub(super) fn longest_of_all(&self) -> f64 {
        self.report.constructs.iter().map(Facts::longest).fold(0.0, f64::max)
    }

    /// Elapsed time that would be saved if all threads worked all the time.
    pub(super) fn not_used(&self) -> f64 {
        (self.idle() / self.team).max(0.0)
    }

    pub(super) fn work_of_each(&self) -> f64 {
        self.region.work_seconds / self.team
    }

    /// Elapsed time that is saved at least if the work is divided into so many equal pieces for each thread: no thread is idle as long as there is a
    /// piece, so that all end within one of them (Graham's bound of list scheduling).
    pub(super) fn saved_by(&self, pieces: f64) -> f64 {
        (self.region.seconds - self.work_of_each() * (1.0 + 1.0 / pieces)).max(0.0)
    }

    /// What the recorder takes for each of so many tasks, at most.
    pub(super) fn recording(&self, tasks: u64) -> f64 {
        RECORDING * tasks as f64
    }

    /// What of the work of those that create so many tasks may be their creation, recording included.
    pub(super) fn creation_in(&self, work: f64, tasks: u64) -> f64 {
        let share = tasks as f64 / self.created as f64;
        let creation = self.creation().unwrap_or(self.most_for_one() * self.created as f64) * share;
        work.min(creation + self.recording(tasks))
    }
}
