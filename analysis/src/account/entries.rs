//! The account of a run, in seconds: what is in each activity, less what of it has another cause.

use std::collections::BTreeMap;

use ompchunk_figures::{percent, time};
use ompchunk_trace_format::raw::{MUTEX_ATOMIC, MUTEX_CRITICAL, MUTEX_ORDERED, SET_SOMETIMES};
use ompchunk_trace_format::sum::mutex_name;

use super::sums::{MutexKey, Waited, Within};
use crate::account::{ACTIVITIES, Activity, Sums};
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

/// Seconds by entry.
#[derive(Default)]
struct Ledger {
    threads: u64,
    all: f64,
    unknown: f64,
    waits_in_region: u64,
    seconds: [f64; ENTRIES.len()],
    off_core: [f64; ENTRIES.len()],
}

impl Ledger {
    fn add(&mut self, entry: &str, seconds: f64) {
        if let Some(at) = place_in_entries(entry) {
            self.seconds[at] += seconds;
        }
    }

    /// What was counted for one is another's, as far as it is there.
    fn take(&mut self, from: &str, to: &str, seconds: f64) {
        if let (Some(from), Some(to)) = (place_in_entries(from), place_in_entries(to)) {
            let moved = seconds.min(self.seconds[from]).max(0.0);
            self.seconds[from] -= moved;
            self.seconds[to] += moved;
        }
    }

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
        let entries = PartEntries::from_sums(sums, read);
        for (sum, ticks) in self.seconds.iter_mut().zip(entries.ticks) {
            *sum += seconds(ticks);
        }
        for (sum, ticks) in self.off_core.iter_mut().zip(entries.off_core) {
            *sum += seconds(ticks);
        }
        let dealing = part.loops.iter().map(|the_loop| seconds(dealing(the_loop, read)));
        self.take("loops", "bookkeeping", dealing.sum());
        // Threads that were not there yet, or no more.
        let absent = elapsed * threads as f64 - before - seconds(sums.lived());
        self.add("idle", absent.max(0.0));
        self.add("serial", before);
        self.unknown += seconds(entries.rest.0[Activity::Paused as usize]);
    }

    fn close(self) -> Account {
        let known: f64 = self.seconds.iter().sum();
        let unknown = self.unknown + (self.all - known - self.unknown).max(0.0);
        let named = |all: [f64; ENTRIES.len()]| {
            let entries = ENTRIES.iter().zip(all).map(|(code, seconds)| AccountEntry { code, seconds });
            entries.filter(|entry| entry.seconds > 0.0).collect()
        };
        Account {
            threads: self.threads,
            thread_seconds: self.all,
            entries: named(self.seconds),
            unknown_seconds: unknown,
            waits_in_region: self.waits_in_region,
            off_core: named(self.off_core),
        }
    }
}

/// A part's ticks by entry. What a recording only adds up is taken out of the activity in which it lies, so that none counts twice.
struct PartEntries {
    ticks: [u64; ENTRIES.len()],
    off_core: [u64; ENTRIES.len()],
    rest: Rest,
}

impl PartEntries {
    /// `read`: ticks of a reading of the clock.
    fn from_sums(sums: &Sums, read: f64) -> PartEntries {
        let mut entries =
            PartEntries { ticks: [0; ENTRIES.len()], off_core: [0; ENTRIES.len()], rest: Rest::from_sums(sums) };
        entries.take_locks(sums, read);
        let before = entries.rest;
        entries.take_tasks(sums);
        entries.take_locks_out_of_tasks(sums, read);
        entries.take_what_is_not_the_programs(sums, &before);
        for activity in Activity::ALL {
            entries.add(entry_of(activity), entries.rest.0[activity as usize]);
        }
        entries
    }

    fn add(&mut self, entry: &str, ticks: u64) {
        if let Some(at) = place_in_entries(entry) {
            self.ticks[at] = self.ticks[at].saturating_add(ticks);
        }
    }

    /// From the first of the activities that has some.
    fn take(&mut self, entry: &str, activities: &[Activity], ticks: u64) {
        let taken = self.rest.take(activities, ticks);
        self.add(entry, taken);
    }

    fn take_locks(&mut self, sums: &Sums, read: f64) {
        for (key, waited) in &sums.mutexes {
            let ticks = waited.ticks_without_reading(read) as u64;
            self.take(entry_of_kind(key.kind), activities_of(key.within), ticks);
        }
    }

    fn take_tasks(&mut self, sums: &Sums) {
        const OUTSIDE_OF_SINGLE: [Activity; 4] =
            [Activity::Region, Activity::Sections, Activity::OtherWork, Activity::Serial];
        self.take("tasks", &[Activity::Single], sums.tasks.in_single);
        self.take("tasks", &OUTSIDE_OF_SINGLE, sums.tasks.in_region);
        for activity in Activity::WAITS {
            let inside = sums.inside(activity);
            self.take("tasks", &[activity], inside.tasks);
            self.take("wait-in-tasks", &[activity], inside.waits);
        }
    }

    /// A task's time is in no activity of its own, and what it waits for a lock is in its time.
    fn take_locks_out_of_tasks(&mut self, sums: &Sums, read: f64) {
        let Some(tasks) = place_in_entries("tasks") else {
            return;
        };
        let in_tasks = sums.mutexes.iter();
        for (key, waited) in in_tasks.filter(|(key, _)| key.within == Within::Task) {
            let ticks = waited.ticks_without_reading(read) as u64;
            let moved = ticks.min(self.ticks[tasks]);
            self.ticks[tasks] -= moved;
            self.add(entry_of_kind(key.kind), moved);
        }
    }

    /// `before`: what locks left of each activity.
    fn take_what_is_not_the_programs(&mut self, sums: &Sums, before: &Rest) {
        for activity in Activity::ALL {
            let spent = sums.spent(activity);
            self.take("recorder", &[activity], spent.recorder);
            // Who waits for a lock may lose its core meanwhile. It does not give it up: that is what somebody does who has the lock.
            let waited = spent.ticks.saturating_sub(before.0[activity as usize]);
            let others = spent.off_core.saturating_sub(waited).max(spent.given_up);
            let taken = self.rest.take(&[activity], others);
            self.add("off-core", taken);
            if let Some(at) = place_in_entries(entry_of(activity)) {
                self.off_core[at] += taken;
            }
        }
    }
}

fn place_in_entries(entry: &str) -> Option<usize> {
    ENTRIES.iter().position(|name| *name == entry)
}

/// Ticks of each activity that no other entry has yet.
#[derive(Clone, Copy)]
pub(super) struct Rest(pub(super) [u64; ACTIVITIES]);

impl Rest {
    fn from_sums(sums: &Sums) -> Rest {
        Rest(Activity::ALL.map(|activity| sums.spent(activity).ticks))
    }

    /// From the first of the activities that has some.
    pub(super) fn take(&mut self, activities: &[Activity], ticks: u64) -> u64 {
        let mut left = ticks;
        for activity in activities {
            let have = &mut self.0[*activity as usize];
            let taken = left.min(*have);
            *have -= taken;
            left -= taken;
        }
        ticks - left
    }
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
            let lock = found.entry((place.clone(), kind)).or_insert(LockReport {
                kind,
                place,
                count: 0,
                seconds: 0.0,
                longest_seconds: 0.0,
            });
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
    let each = waits.map(|(_, waited)| seconds(context, part, waited));
    each.reduce(|sum, more| sum + more)
}

fn waits_in<'c>(
    context: &'c Context<'_>,
    part: usize,
    the_loop: &'c LoopSums,
) -> impl Iterator<Item = (&'c MutexKey, &'c Waited)> + Clone {
    let mutexes = context.sums[part].account.mutexes.iter();
    mutexes.filter(|(key, _)| match key.within {
        Within::Loop(number) => the_loop.numbers.contains(&number),
        _ => false,
    })
}

fn seconds(context: &Context<'_>, at: usize, waited: &Waited) -> f64 {
    let read = context.parts[at].meta().clock.read;
    context.seconds(at, waited.ticks_without_reading(read))
}

/// What to say of a loop whose threads wait for each other in its body.
pub(crate) fn contended(context: &Context<'_>, in_parts: &[InPart<'_>], the_loop: &LoopReport) -> Option<Note> {
    let waiting = the_loop.mutex_seconds?;
    let share = waiting / the_loop.busy_seconds;
    if the_loop.busy_seconds <= 0.0 || !(MATTERS..=MOST).contains(&share) {
        return None;
    }
    let waits = in_parts.iter().flat_map(|in_part| {
        let waits = waits_in(context, in_part.part, in_part.sums);
        waits.map(move |(key, waited)| (in_part.part, key, waited))
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
