//! What a lane or a part has in each activity, in ticks, and what it only added up.

use std::collections::BTreeMap;

use ompchunk_trace_format::raw::WORK_SINGLE_EXECUTOR;
use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{Event, NOBODY, OffCore, Sum, SumOf, Why};

use super::{ACTIVITIES, Activity};
use crate::merge::{Lengths, Merge};

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

merge!(Spent: ticks, off_core, given_up, recorder);

impl Spent {
    /// What of it was no work.
    pub(super) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                self.off_core.take_in(&off.ticks);
                self.given_up.take_in(if off.why() == Why::Waiting { &off.ticks } else { &0 });
            }
            // While it worked the core may have been another's.
            Event::Recorder(own) => {
                self.off_core.take_in(&own.preempted);
                self.recorder.take_in(&own.ticks.saturating_sub(own.preempted).saturating_add(own.before.into()));
            }
            _ => {}
        }
    }
}

/// Waits for locks and the like from one place of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MutexKey {
    pub(crate) code: u64,
    pub(crate) kind: u32,
    pub(crate) within: Within,
}

/// What the thread was in that asked for a lock, the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Within {
    Task,
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub(crate) count: u64,
    /// In those that ran at once, in a `single` or elsewhere in the region.
    pub(crate) in_single: u64,
    pub(crate) in_region: u64,
}

merge!(Tasks: count, in_single, in_region);

/// What ran in the waits of one place of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    /// Tasks, ...
    pub(crate) tasks: u64,
    /// ... and what they waited for themselves.
    pub(crate) waits: u64,
}

merge!(Inside: tasks, waits);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    activities: [Spent; ACTIVITIES],
    pub(crate) mutexes: BTreeMap<MutexKey, Lengths>,
    pub(crate) tasks: Tasks,
    pub(crate) in_regions: u64,
    pub(crate) waits_in_region: u64,
    /// By the return address of the call that waits: what it is after, and what ran in it.
    waits: BTreeMap<u64, Activity>,
    /// Likewise: the loop that it is after.
    pub(super) after: BTreeMap<u64, u32>,
    insides: BTreeMap<u64, Inside>,
    lives: Vec<(u64, u64)>,
}

impl Sums {
    pub(crate) fn spent(&self, activity: Activity) -> Spent {
        self.activities[activity as usize]
    }

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
        let waited = Lengths { count: sum.count, ticks: sum.sum, longest: sum.max };
        self.mutexes.entry(key).or_default().take_in(&waited);
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
        lies_in.take_in(&sum.sum);
    }

    pub(super) fn inside(&self, activity: Activity) -> Inside {
        let mut all = Inside::default();
        self.insides().filter(|(_, of, _)| *of == activity).for_each(|(_, _, inside)| all.take_in(&inside));
        all
    }

    pub(super) fn insides(&self) -> impl Iterator<Item = (u64, Activity, Inside)> {
        self.insides
            .iter()
            .map(|(code, inside)| (*code, self.waits.get(code).copied().unwrap_or(Activity::WaitAfterRegion), *inside))
    }

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

impl Merge for Sums {
    fn take_in(&mut self, more: &Sums) {
        merge_fields!(self, more: activities, mutexes, tasks, in_regions, waits_in_region, insides);
        more.waits.iter().for_each(|(code, activity)| self.note_wait(*code, *activity));
        self.after.extend(&more.after);
        self.lives.extend(&more.lives);
    }
}

/// Until somebody had a lock: each time the clock was read twice, and one reading (`read` ticks) lies in between.
pub(super) fn ticks_without_reading(waited: &Lengths, read: f64) -> f64 {
    (waited.ticks as f64 - waited.count as f64 * read).max(0.0)
}

#[cfg(test)]
mod tests {
    use ompchunk_trace_format::Recorder;

    use super::*;

    /// A callback took long because the core was another's: only the rest is the recorder's.
    #[test]
    fn a_callback_may_lose_its_core() {
        let mut spent = Spent { ticks: 1000, ..Spent::default() };
        spent.add_event(&Event::Recorder(Recorder { ticks: 900, preempted: 850, before: 7 }));
        assert_eq!((spent.off_core, spent.recorder), (850, 57));
    }
}
