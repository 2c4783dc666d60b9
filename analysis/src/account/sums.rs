//! What a lane or a part has in each activity, in ticks, and what it only added up.

use std::collections::BTreeMap;

use ompchunk_trace_format::raw::WORK_SINGLE_EXECUTOR;
use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{Event, NOBODY, OffCore, Recorder, Sum, SumOf, Why};

use super::{ACTIVITIES, Activity};

/// Where a sum has the construct, in bits (`docs/trace-format.md`).
const WORK: u32 = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    pub(crate) ticks: u64,
    /// Ticks of these while the thread was not on a core, ...
    pub(crate) off_core: u64,
    /// (what of it the thread gave up itself) ...
    pub(crate) given_up: u64,
    /// ... and the recorder's.
    pub(crate) recorder: u64,
}

impl Spent {
    pub(super) fn add(&mut self, more: Spent) {
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.add_off_core(more.off_core);
        self.given_up = self.given_up.saturating_add(more.given_up);
        self.add_recorder(more.recorder);
    }

    pub(super) fn find(&mut self, off: &OffCore) {
        self.add_off_core(off.ticks);
        let given_up = if off.why() == Why::Waiting { off.ticks } else { 0 };
        self.given_up = self.given_up.saturating_add(given_up);
    }

    fn add_off_core(&mut self, ticks: u64) {
        self.off_core = self.off_core.saturating_add(ticks);
    }

    /// The recorder has told of its work, in which the core may have been another's.
    pub(super) fn record(&mut self, own: &Recorder) {
        self.add_off_core(own.preempted);
        self.add_recorder(own.ticks.saturating_sub(own.preempted).saturating_add(own.before.into()));
    }

    fn add_recorder(&mut self, ticks: u64) {
        self.recorder = self.recorder.saturating_add(ticks);
    }
}

/// Waits for locks and the like from one place of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MutexKey {
    /// Return address of the call.
    pub(crate) code: u64,
    /// `ompt_mutex_t`
    pub(crate) kind: u32,
    pub(crate) within: Within,
}

/// What the thread was in that asked for a lock, the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Within {
    /// An explicit task, wherever it ran.
    Task,
    /// The body of this loop.
    Loop(u32),
    Single,
    Elsewhere,
}

impl Within {
    fn from_sum(sum: &Sum) -> Within {
        if sum.of & MUTEX_IN_TASK != 0 {
            Within::Task
        } else if sum.the_loop != NOBODY {
            Within::Loop(sum.the_loop)
        } else if sum.of >> WORK == WORK_SINGLE_EXECUTOR {
            Within::Single
        } else {
            Within::Elsewhere
        }
    }
}

/// How often, and how long in all and at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Waited {
    pub(crate) count: u64,
    pub(crate) ticks: u64,
    pub(crate) longest: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub(crate) count: u64,
    /// In those that ran at once, in a `single` or elsewhere in the region.
    pub(crate) in_single: u64,
    pub(crate) in_region: u64,
}

/// What ran in the waits of one place of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    /// Tasks, ...
    pub(crate) tasks: u64,
    /// ... and what they waited for themselves.
    pub(crate) waits: u64,
}

/// A lane's or a part's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    activities: [Spent; ACTIVITIES],
    pub(crate) mutexes: BTreeMap<MutexKey, Waited>,
    pub(crate) tasks: Tasks,
    /// Ticks in parallel regions.
    pub(crate) in_regions: u64,
    /// How often a thread waited after a region's own code.
    pub(crate) waits_in_region: u64,
    /// By the return address of the call that waits: what it is after, and what ran in it.
    waits: BTreeMap<u64, Activity>,
    /// Likewise: the loop that it is after.
    after: BTreeMap<u64, u32>,
    insides: BTreeMap<u64, Inside>,
    /// When threads began and ended.
    lives: Vec<(u64, u64)>,
}

impl Sums {
    pub(crate) fn spent(&self, activity: Activity) -> Spent {
        self.activities[activity as usize]
    }

    /// Ticks in all activities.
    pub(super) fn lived(&self) -> u64 {
        self.activities.iter().fold(0, |all, spent| all.saturating_add(spent.ticks))
    }

    pub(super) fn of_mut(&mut self, activity: Activity) -> &mut Spent {
        &mut self.activities[activity as usize]
    }

    /// A wait begins that is in no other. A loop without an iteration, or a `single` of another thread, may not be told: then it comes after
    /// nothing, which says less than what it came after before.
    pub(super) fn note_wait(&mut self, code: u64, activity: Activity) {
        let known = self.waits.entry(code).or_insert(activity);
        if activity != Activity::WaitAfterRegion {
            *known = activity;
        }
    }

    pub(super) fn note_wait_after(&mut self, the_loop: u32, code: u64) {
        self.after.insert(code, the_loop);
    }

    /// What ran in tasks at the barriers after loops of these numbers.
    pub(crate) fn tasks_after(&self, loops: &[u32]) -> u64 {
        let of_loops = |(code, _): &(&u64, &Inside)| self.after.get(code).is_some_and(|after| loops.contains(after));
        self.insides.iter().filter(of_loops).map(|(_, inside)| inside.tasks).sum()
    }

    pub(super) fn begin_thread(&mut self, now: u64) {
        self.lives.push((now, now));
    }

    pub(super) fn end_thread(&mut self, now: u64) {
        if let Some((_, end)) = self.lives.last_mut() {
            *end = now;
        }
    }

    /// What a lane says at any time: of all of its thread's time.
    pub(super) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Sum(sum) if sum.what == SumOf::Mutex => self.add_mutex(sum),
            Event::Sum(sum) if sum.what == SumOf::Task => self.add_tasks(sum),
            _ => {}
        }
    }

    fn add_mutex(&mut self, sum: &Sum) {
        let key = MutexKey { code: sum.code, kind: sum.of & 0xff, within: Within::from_sum(sum) };
        let waited = self.mutexes.entry(key).or_default();
        waited.add(&Waited { count: sum.count, ticks: sum.sum, longest: sum.max });
    }

    fn add_tasks(&mut self, sum: &Sum) {
        let tasks = &mut self.tasks;
        let what = sum.of & 0xff;
        tasks.count += if what == TASK_WAITS { 0 } else { sum.count };
        let lies_in = match what {
            TASK_WAITS => &mut self.insides.entry(sum.code).or_default().waits,
            TASK_IN_WAIT => &mut self.insides.entry(sum.code).or_default().tasks,
            _ if sum.of >> WORK == WORK_SINGLE_EXECUTOR => &mut tasks.in_single,
            _ => &mut tasks.in_region,
        };
        *lies_in = lies_in.saturating_add(sum.sum);
    }

    /// Adds those of another lane.
    pub(crate) fn merge(&mut self, more: &Sums) {
        self.activities.iter_mut().zip(more.activities).for_each(|(spent, other)| spent.add(other));
        for (key, waited) in &more.mutexes {
            self.mutexes.entry(*key).or_default().add(waited);
        }
        let pairs = [
            (&mut self.in_regions, more.in_regions),
            (&mut self.waits_in_region, more.waits_in_region),
            (&mut self.tasks.count, more.tasks.count),
            (&mut self.tasks.in_single, more.tasks.in_single),
            (&mut self.tasks.in_region, more.tasks.in_region),
        ];
        for (to, from) in pairs {
            *to = to.saturating_add(from);
        }
        for (code, activity) in &more.waits {
            self.note_wait(*code, *activity);
        }
        self.after.extend(&more.after);
        for (code, inside) in &more.insides {
            let sum = self.insides.entry(*code).or_default();
            sum.tasks = sum.tasks.saturating_add(inside.tasks);
            sum.waits = sum.waits.saturating_add(inside.waits);
        }
        self.lives.extend(&more.lives);
    }

    /// What ran in the waits of a activity.
    pub(crate) fn inside(&self, activity: Activity) -> Inside {
        let mut all = Inside::default();
        for (code, inside) in &self.insides {
            let lies_in = self.waits.get(code).copied();
            if lies_in.unwrap_or(Activity::WaitAfterRegion) == activity {
                all.tasks = all.tasks.saturating_add(inside.tasks);
                all.waits = all.waits.saturating_add(inside.waits);
            }
        }
        all
    }

    /// What ran in waits, by the return address of the call that waits, with their activity.
    pub(super) fn insides(&self) -> impl Iterator<Item = (u64, Activity, Inside)> {
        let activity = |code: &u64| self.waits.get(code).copied();
        let all = self.insides.iter();
        all.map(move |(code, inside)| {
            let activity = activity(code).unwrap_or(Activity::WaitAfterRegion);
            (*code, activity, *inside)
        })
    }

    /// How many threads there were at the same time at most.
    pub(crate) fn most_threads(&self) -> u64 {
        let begins = self.lives.iter().map(|(begin, _)| (*begin, true));
        let ends = self.lives.iter().map(|(_, end)| (*end, false));
        let mut moments: Vec<(u64, bool)> = begins.chain(ends).collect();
        // An end before a begin at the same time.
        moments.sort_unstable();
        let (mut now, mut most) = (0_u64, 0);
        for (_, begins) in moments {
            now = if begins { now + 1 } else { now.saturating_sub(1) };
            most = most.max(now);
        }
        most
    }
}

impl Waited {
    /// Each time the clock was read twice, and one reading (`read` ticks) lies in between.
    pub(crate) fn ticks_without_reading(&self, read: f64) -> f64 {
        (self.ticks as f64 - self.count as f64 * read).max(0.0)
    }

    pub(crate) fn add(&mut self, more: &Waited) {
        self.count += more.count;
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.longest = self.longest.max(more.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A callback took long because the core was another's: only the rest is the recorder's.
    #[test]
    fn a_callback_may_lose_its_core() {
        let mut spent = Spent { ticks: 1000, ..Spent::default() };
        spent.record(&Recorder { ticks: 900, preempted: 850, before: 7 });
        assert_eq!((spent.off_core, spent.recorder), (850, 57));
    }
}
