//! The account of a run, in seconds: what is in each activity, less what of it has another cause.

use std::collections::BTreeMap;

use ompchunk_figures::{percent, time};
use ompchunk_trace_format::raw::{MUTEX_ATOMIC, MUTEX_CRITICAL, MUTEX_ORDERED, SET_SOMETIMES};
use ompchunk_trace_format::sum::mutex_name;

use super::sums::{MutexKey, Within, ticks_without_reading};
use crate::account::{ACTIVITIES, Activity, Sums};
use crate::merge::{Lengths, Merge};
use crate::model::{Account, AccountEntry, LockReport, LoopReport, Note};
use crate::part::LoopSums;
use crate::process::{Context, InPart};
use crate::symbols::Lines;

/// What thread time went to, with the name that it has in JSON.
const ENTRIES: [&str; 22] = [
    "loops", "bookkeeping", "sections", "single", "worksharing", "reduction", "region", "tasks", "serial", "idle",
    "wait-after-loop", "wait-after-single", "wait-after-sections", "wait-in-region", "taskwait", "wait-in-tasks",
    "lock", "critical", "atomic", "ordered", "off-core", "recorder",
];

/// Threads × elapsed time, and where it went; `None` where something of it is not told.
pub(crate) fn account(context: &Context<'_>) -> Option<Account> {
    let is_told = |at: usize| {
        let (head, meta) = (context.parts[at].head(), context.parts[at].meta());
        let mode = &meta.mode;
        let all = !mode.aggregate && mode.sample <= 1 && mode.loops.is_empty() && mode.skip == 0;
        // Older recorders did not ask for it, and took waits for locks for work.
        let answer = meta.events.get("mutex_acquired").copied().unwrap_or(0);
        all && head.lost_events == 0 && answer >= SET_SOMETIMES && fits(&context.sums[at].account)
    };
    if context.parts.is_empty() || !(0..context.parts.len()).all(is_told) {
        return None;
    }
    let mut ledger = Ledger::default();
    for at in 0..context.parts.len() {
        ledger.add_part(context, at);
    }
    Some(ledger.close())
}

/// Where a process was killed, waits are added up to its end, and the rest is told until the last event.
fn fits(sums: &Sums) -> bool {
    sums.mutexes.values().fold(0_u64, |all, waited| all.saturating_add(waited.ticks)) <= sums.lived()
}

type Seconds = BTreeMap<&'static str, f64>;

#[derive(Default)]
struct Ledger {
    threads: u64,
    all: f64,
    unknown: f64,
    waits_in_region: u64,
    seconds: Seconds,
    off_core: Seconds,
}

impl Ledger {
    fn add_part(&mut self, context: &Context<'_>, at: usize) {
        let part = &context.sums[at];
        let sums = &part.account;
        let seconds = |ticks: u64| context.seconds(at, ticks as f64);
        let threads = sums.most_threads();
        let before = context.before(at).unwrap_or(0.0);
        let elapsed = part.clock.since_start(part.last) / 1e9 + before;
        self.threads += threads;
        self.all += elapsed * threads as f64;
        self.waits_in_region += sums.waits_in_region;
        let read = context.parts[at].meta().clock.read;
        let (taker, off_core) = taken(sums, read);
        add(&mut self.seconds, taker.entries, seconds);
        add(&mut self.off_core, off_core, seconds);
        let dealing = part.loops.iter().map(|the_loop| seconds(dealing(the_loop, read)));
        // What was counted for loops is bookkeeping, as far as it is there.
        let loops = self.seconds.entry("loops").or_default();
        let moved = dealing.sum::<f64>().min(*loops).max(0.0);
        *loops -= moved;
        *self.seconds.entry("bookkeeping").or_default() += moved;
        // Threads that were not there yet, or no more.
        let absent = elapsed * threads as f64 - before - seconds(sums.lived());
        *self.seconds.entry("idle").or_default() += absent.max(0.0);
        *self.seconds.entry("serial").or_default() += before;
        self.unknown += seconds(taker.rest[Activity::Paused as usize]);
    }

    fn close(self) -> Account {
        let known: f64 = ENTRIES.iter().filter_map(|code| self.seconds.get(code)).sum();
        let named = |sums: &Seconds| {
            let entries = ENTRIES.iter().filter_map(|code| Some(AccountEntry { code, seconds: *sums.get(code)? }));
            entries.filter(|entry| entry.seconds > 0.0).collect()
        };
        Account {
            threads: self.threads,
            thread_seconds: self.all,
            entries: named(&self.seconds),
            unknown_seconds: self.unknown + (self.all - known - self.unknown).max(0.0),
            waits_in_region: self.waits_in_region,
            off_core: named(&self.off_core),
        }
    }
}

fn add(sums: &mut Seconds, entries: Vec<(&'static str, u64)>, seconds: impl Fn(u64) -> f64) {
    let mut ticks: BTreeMap<&str, u64> = BTreeMap::new();
    entries.into_iter().for_each(|(entry, more)| ticks.entry(entry).or_default().take_in(&more));
    ticks.into_iter().for_each(|(entry, ticks)| *sums.entry(entry).or_default() += seconds(ticks));
}

/// A part's ticks by entry, and the entry `off-core` by what the threads were in. `read`: ticks of a reading of the clock.
fn taken(sums: &Sums, read: f64) -> (Taker, Vec<(&'static str, u64)>) {
    let mut taker = Taker::new(Activity::ALL.map(|activity| sums.spent(activity).ticks));
    let mutexes = mutexes(sums, read);
    taker.take_locks(&mutexes);
    let unlocked = taker.rest;
    taker.take_tasks(sums, &mutexes);
    let mut off_core = Vec::new();
    for activity in Activity::ALL {
        let spent = sums.spent(activity);
        taker.take("recorder", &[activity], spent.recorder);
        // Who waits for a lock may lose its core meanwhile. It does not give it up: that is what somebody does who has the lock.
        let waited = spent.ticks.saturating_sub(unlocked[activity as usize]);
        let others = spent.off_core.saturating_sub(waited).max(spent.given_up);
        off_core.push((entry_of(activity), taker.take("off-core", &[activity], others)));
    }
    taker.leave_rest();
    (taker, off_core)
}

/// Gives ticks of activities to entries. What a recording only adds up is taken out of the activity in which it lies, so that none counts twice.
pub(super) struct Taker {
    /// Ticks of each activity that no entry has yet.
    rest: [u64; ACTIVITIES],
    pub(super) entries: Vec<(&'static str, u64)>,
}

impl Taker {
    pub(super) fn new(rest: [u64; ACTIVITIES]) -> Taker {
        Taker { rest, entries: Vec::new() }
    }

    /// From the first of the activities that has some. Gives how much that was.
    pub(super) fn remove(&mut self, activities: &[Activity], ticks: u64) -> u64 {
        let mut left = ticks;
        for activity in activities {
            let have = &mut self.rest[*activity as usize];
            let taken = left.min(*have);
            *have -= taken;
            left -= taken;
        }
        ticks - left
    }

    pub(super) fn take(&mut self, entry: &'static str, activities: &[Activity], ticks: u64) -> u64 {
        let taken = self.remove(activities, ticks);
        self.entries.push((entry, taken));
        taken
    }

    pub(super) fn take_locks(&mut self, mutexes: &[(MutexKey, u64)]) {
        for (key, ticks) in mutexes {
            self.take(entry_of_kind(key.kind), activities_of(key.within), *ticks);
        }
    }

    /// A task's time is in no activity of its own, and what it waits for a lock is in its time.
    pub(super) fn take_tasks(&mut self, sums: &Sums, mutexes: &[(MutexKey, u64)]) {
        self.take("tasks", &[Activity::Single], sums.tasks.in_single);
        self.take("tasks", &OUTSIDE_OF_SINGLE, sums.tasks.in_region);
        for activity in Activity::WAITS {
            let inside = sums.inside(activity);
            self.take("tasks", &[activity], inside.tasks);
            self.take("wait-in-tasks", &[activity], inside.waits);
        }
        for (key, ticks) in mutexes.iter().filter(|(key, _)| key.within == Within::Task) {
            let moved = self.remove_from_tasks(*ticks);
            self.entries.push((entry_of_kind(key.kind), moved));
        }
    }

    /// As much of that as tasks have, which they have no more.
    pub(super) fn remove_from_tasks(&mut self, ticks: u64) -> u64 {
        let mut left = ticks;
        for (_, have) in self.entries.iter_mut().filter(|(entry, _)| *entry == "tasks") {
            let moved = left.min(*have);
            *have -= moved;
            left -= moved;
        }
        ticks - left
    }

    /// What nothing was taken of is the activity's own, unless it was not recorded.
    pub(super) fn leave_rest(&mut self) {
        let told = Activity::ALL.into_iter().filter(|activity| *activity != Activity::Paused);
        self.entries.extend(told.map(|activity| (entry_of(activity), self.rest[activity as usize])));
    }
}

/// Where tasks run that run at once, outside of `single`.
pub(super) const OUTSIDE_OF_SINGLE: [Activity; 4] =
    [Activity::Region, Activity::Sections, Activity::OtherWork, Activity::Serial];

pub(super) fn mutexes(sums: &Sums, read: f64) -> Vec<(MutexKey, u64)> {
    sums.mutexes.iter().map(|(key, waited)| (*key, ticks_without_reading(waited, read) as u64)).collect()
}

/// Where the time of threads lies that ask for a lock there; nowhere: in that of tasks.
pub(super) fn activities_of(within: Within) -> &'static [Activity] {
    match within {
        Within::Task => &[],
        Within::Loop(_) => &[Activity::Loop],
        Within::Single => &[Activity::Single],
        Within::Elsewhere => {
            &[Activity::Region, Activity::OtherWork, Activity::Sections, Activity::Reduction, Activity::Serial]
        }
    }
}

pub(super) fn entry_of_kind(kind: u32) -> &'static str {
    match kind {
        MUTEX_CRITICAL => "critical",
        MUTEX_ATOMIC => "atomic",
        MUTEX_ORDERED => "ordered",
        _ => "lock",
    }
}

pub(super) fn entry_of(activity: Activity) -> &'static str {
    match activity {
        // It was not recorded.
        Activity::Paused => "",
        Activity::WaitAfterLoop => "wait-after-loop",
        Activity::WaitAfterSingle => "wait-after-single",
        Activity::WaitAfterSections => "wait-after-sections",
        Activity::WaitAfterRegion => "wait-in-region",
        Activity::WaitForTasks => "taskwait",
        Activity::Loop => "loops",
        Activity::Reduction => "reduction",
        Activity::Single => "single",
        Activity::Sections => "sections",
        Activity::OtherWork => "worksharing",
        Activity::Region => "region",
        Activity::Idle => "idle",
        Activity::Serial => "serial",
    }
}

/// Ticks in a loop and in none of its chunks: before the first, and between them as far as that was timed.
pub(super) fn dealing(the_loop: &LoopSums, read: f64) -> u64 {
    let ticks = the_loop.threads.iter().map(|(_, sums)| {
        let readings = sums.timed as f64 * read;
        sums.before_chunks as f64 + (sums.bookkeeping as f64 - readings).max(0.0)
    });
    ticks.sum::<f64>() as u64
}

/// Less of the threads' time in a loop is no reason for anything.
const MATTERS: f64 = 0.02;
/// More than that was waited in executions that the trace does not tell.
const MOST: f64 = 1.1;
/// Who has a lock may have lost its core so long.
const DISTURBS: f64 = 0.5;
/// A lock that nobody else has is taken in less, in the mean.
const CONTENDED: f64 = 100e-9;

/// All that threads had to have, those waited for longest first.
pub(crate) fn locks(context: &Context<'_>) -> Vec<LockReport> {
    let mut found: BTreeMap<(String, &'static str), LockReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for (at, part) in context.sums.iter().enumerate() {
        for (key, waited) in &part.account.mutexes {
            let kind = mutex_name(key.kind);
            let place = context.site(at, key.code, &mut lines).name;
            let none = LockReport { kind, place: place.clone(), count: 0, seconds: 0.0, longest_seconds: 0.0 };
            let lock = found.entry((place, kind)).or_insert(none);
            let longest = context.seconds(at, waited.longest as f64);
            lock.count += waited.count;
            lock.seconds += seconds(context, at, waited);
            lock.longest_seconds = lock.longest_seconds.max(longest);
        }
    }
    let mut locks: Vec<LockReport> = found.into_values().collect();
    locks.sort_by(|one, another| another.seconds.total_cmp(&one.seconds));
    locks
}

/// Thread time in which a loop's threads waited for one of these in a part; `None`: they needed none.
pub(crate) fn of_loop(context: &Context<'_>, part: usize, the_loop: &LoopSums) -> Option<f64> {
    let waits = waits_in(context, part, the_loop);
    waits.map(|(_, waited)| seconds(context, part, waited)).reduce(|sum, more| sum + more)
}

fn waits_in<'c>(
    context: &'c Context<'_>,
    part: usize,
    the_loop: &'c LoopSums,
) -> impl Iterator<Item = (&'c MutexKey, &'c Lengths)> + Clone {
    let mutexes = context.sums[part].account.mutexes.iter();
    mutexes.filter(|(key, _)| matches!(key.within, Within::Loop(number) if the_loop.numbers.contains(&number)))
}

fn seconds(context: &Context<'_>, at: usize, waited: &Lengths) -> f64 {
    context.seconds(at, ticks_without_reading(waited, context.parts[at].meta().clock.read))
}

pub(crate) fn contended(context: &Context<'_>, in_parts: &[InPart<'_>], the_loop: &LoopReport) -> Option<Note> {
    let waiting = the_loop.mutex_seconds?;
    let share = waiting / the_loop.busy_seconds;
    if the_loop.busy_seconds <= 0.0 || !(MATTERS..=MOST).contains(&share) {
        return None;
    }
    let waits = in_parts.iter().flat_map(|in_part| {
        waits_in(context, in_part.part, in_part.sums).map(move |(key, waited)| (in_part.part, key, waited))
    });
    let count: u64 = waits.clone().map(|(_, _, waited)| waited.count).sum();
    let (part, most, _) = waits.max_by_key(|(_, _, waited)| waited.ticks)?;
    let place = context.site(part, most.code, &mut Lines::default()).name;
    let kind = mutex_name(most.kind);
    let each = waiting / count.max(1) as f64;
    let (share, busy) = (percent(share.min(1.0)), time(the_loop.busy_seconds));
    let off_core = the_loop.off_core.map_or(0.0, |off_core| off_core.taken());
    let longer = match off_core >= DISTURBS * waiting {
        true => format!(
            "; they wait longer as threads were off a core for {} meanwhile: rerun on an idle machine",
            time(off_core)
        ),
        false => String::new(),
    };
    // What runs in order is no sum.
    let (cure, schedules) = match most.kind {
        MUTEX_ORDERED => (
            "or let each iteration keep its result and use them in order after the loop",
            "in the order of iterations, so with large chunks a thread waits for all of another one's; schedule(static,1) lets them \
             alternate",
        ),
        _ => ("or give each thread its own sum (reduction)", "and no schedule changes that"),
    };
    let (code, text) = match each >= CONTENDED {
        true => (
            "contended",
            format!(
                "threads wait {share} of their time in the loop for each other: {} of {busy}, until they have the {kind} at \
                 {place} ({count} times). One thread at a time runs what it protects, {schedules}: protect less, {cure}{longer}",
                time(waiting)
            ),
        ),
        false => (
            "locks",
            format!(
                "acquiring the {kind} at {place} takes threads {share} of their time in the loop, {} for each of {count} \
                 times: acquire it less often, {cure}",
                time(each)
            ),
        ),
    };
    Some(Note { code, text })
}
