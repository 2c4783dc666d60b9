//! What of a part's sums is a region's. A recording adds them up per thread: waits for locks by place of the program and loop, tasks by the
//! wait that they ran in. Where these are one region's alone, so are the sums; others may be any region's, and then what they may
//! have taken of its time is not known.

use std::collections::{BTreeMap, BTreeSet};

use super::join::{Owns, RegionSums, Regions};
use super::lane::Owned;
use crate::account::Activity;
use crate::account::entries::{Rest, activities_of, dealing, entry_of, entry_of_kind};
use crate::account::sums::{MutexKey, Waited, Within};
use crate::model::{AccountEntry, RegionReport};
use crate::process::Context;
use crate::symbols::Lines;

/// Where tasks run that run at once, outside of `single`.
const AT_ONCE: [Activity; 3] = [Activity::Region, Activity::Sections, Activity::OtherWork];

/// A region of a part, whose time goes to entries.
pub(super) struct Taker<'t> {
    pub(super) context: &'t Context<'t>,
    pub(super) at: usize,
    /// The return addresses of the calls that begin the region.
    pub(super) codes: &'t BTreeSet<u64>,
    pub(super) rest: Rest,
    /// Ticks by entry.
    pub(super) entries: Vec<(&'static str, u64)>,
}

impl Taker<'_> {
    /// Takes what sums tell out of the activities where it lies.
    pub(super) fn take_sums(&mut self) {
        match self.regions().is_all(self.codes) {
            true => self.take_all(),
            false => self.take_own(),
        }
        self.take_bookkeeping();
    }

    fn regions(&self) -> &Regions {
        &self.context.sums[self.at].regions
    }

    fn sums(&self) -> &crate::account::Sums {
        &self.context.sums[self.at].account
    }

    fn take(&mut self, entry: &'static str, activities: &[Activity], ticks: u64) {
        let taken = self.rest.take(activities, ticks);
        self.entries.push((entry, taken));
    }

    /// So much of the time in these activities may be something else.
    fn doubt(&mut self, activities: &[Activity], ticks: u64) {
        self.rest.take(activities, ticks);
    }

    /// There is no other region. In serial code nobody waits for a lock longer than it takes to take it.
    fn take_all(&mut self) {
        let mutexes = self.mutexes();
        for (key, ticks) in mutexes.iter().filter(|(key, _)| key.within != Within::Task) {
            self.take(entry_of_kind(key.kind), activities_of(key.within), *ticks);
        }
        let tasks = self.sums().tasks;
        self.take("tasks", &[Activity::Single], tasks.in_single);
        self.take("tasks", &AT_ONCE, tasks.in_region);
        for activity in Activity::WAITS {
            let inside = self.sums().inside(activity);
            self.take("tasks", &[activity], inside.tasks);
            self.take("wait-in-tasks", &[activity], inside.waits);
        }
        for (key, ticks) in mutexes.iter().filter(|(key, _)| key.within == Within::Task) {
            let moved = self.out_of_tasks(*ticks);
            self.entries.push((entry_of_kind(key.kind), moved));
        }
    }

    /// There are others: only what can be no other's is known.
    fn take_own(&mut self) {
        let sums = &self.context.sums[self.at].account;
        self.take_own_mutexes();
        self.doubt(&[Activity::Single], sums.tasks.in_single);
        self.doubt(&AT_ONCE, sums.tasks.in_region);
        for (code, activity, inside) in sums.insides() {
            match self.regions().owns(self.codes, Owned::Wait(code)) {
                Owns::All => {
                    self.take("tasks", &[activity], inside.tasks);
                    self.take("wait-in-tasks", &[activity], inside.waits);
                }
                Owns::Perhaps => {
                    self.doubt(&[activity], inside.tasks.saturating_add(inside.waits));
                }
                Owns::Nothing => {}
            }
        }
        let mutexes = self.mutexes();
        let in_tasks = mutexes.iter().filter(|(key, _)| key.within == Within::Task);
        self.out_of_tasks(in_tasks.map(|(_, ticks)| ticks).sum());
    }

    fn take_own_mutexes(&mut self) {
        for (key, ticks) in self.mutexes() {
            match key.within {
                Within::Loop(number) => match self.regions().owns(self.codes, Owned::Loop(number)) {
                    Owns::All => self.take(entry_of_kind(key.kind), &[Activity::Loop], ticks),
                    Owns::Perhaps => self.doubt(&[Activity::Loop], ticks),
                    Owns::Nothing => {}
                },
                Within::Single | Within::Elsewhere => self.doubt(activities_of(key.within), ticks),
                Within::Task => {}
            }
        }
    }

    /// Waits for locks, without reading the clock.
    fn mutexes(&self) -> Vec<(MutexKey, u64)> {
        let read = self.context.parts[self.at].meta().clock.read;
        let ticks = |waited: &Waited| waited.ticks_without_reading(read) as u64;
        let mutexes = self.sums().mutexes.iter();
        mutexes.map(|(key, waited)| (*key, ticks(waited))).collect()
    }

    fn take_bookkeeping(&mut self) {
        let read = self.context.parts[self.at].meta().clock.read;
        for the_loop in &self.context.sums[self.at].loops {
            let ticks = dealing(the_loop, read);
            let owns = |number: &u32| self.regions().owns(self.codes, Owned::Loop(*number));
            let all: Vec<Owns> = the_loop.numbers.iter().map(owns).collect();
            if all.iter().all(|owns| *owns == Owns::All) {
                self.take("bookkeeping", &[Activity::Loop], ticks);
            } else if all.iter().any(|owns| *owns != Owns::Nothing) {
                self.doubt(&[Activity::Loop], ticks);
            }
        }
    }

    /// As much of that as tasks have, which they have no more.
    fn out_of_tasks(&mut self, ticks: u64) -> u64 {
        let mut left = ticks;
        for (entry, have) in &mut self.entries {
            if *entry == "tasks" {
                let moved = left.min(*have);
                *have -= moved;
                left -= moved;
            }
        }
        ticks - left
    }
}

/// A region's name, file, function and offset, which tell it apart.
type Key = (String, Option<String>, Option<String>, Option<u64>);

/// Regions by their place, those with most thread time first.
pub(crate) fn regions(context: &Context<'_>) -> Vec<RegionReport> {
    let mut found: BTreeMap<Key, RegionReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for at in 0..context.sums.len() {
        for (key, (report, codes)) in of_part(context, at, &mut lines) {
            let report = found.entry(key).or_insert(report);
            add(report, context, at, &codes);
        }
    }
    let mut regions: Vec<RegionReport> = found.into_values().collect();
    regions.sort_by(|left, right| right.thread_seconds.total_cmp(&left.thread_seconds));
    regions
}

/// The regions of a part, with nothing in them yet, and the calls that begin them: a line that is inlined or unrolled has several.
fn of_part(context: &Context<'_>, at: usize, lines: &mut Lines) -> BTreeMap<Key, (RegionReport, BTreeSet<u64>)> {
    let mut found: BTreeMap<Key, (RegionReport, BTreeSet<u64>)> = BTreeMap::new();
    for code in context.sums[at].regions.codes() {
        let site = context.site(at, code, lines);
        let key = (site.name.clone(), site.file.clone(), site.function.clone(), site.offset);
        let report = || RegionReport { site, ..RegionReport::default() };
        let (_, codes) = found.entry(key).or_insert_with(|| (report(), BTreeSet::new()));
        codes.insert(code);
    }
    found
}

fn add(report: &mut RegionReport, context: &Context<'_>, at: usize, codes: &BTreeSet<u64>) {
    let region = context.sums[at].regions.sums(codes);
    let seconds = |ticks: u64| context.seconds(at, ticks as f64);
    let [least, most] = region.team_size;
    report.team_size = match report.executions {
        0 => region.team_size,
        _ => [report.team_size[0].min(least), report.team_size[1].max(most)],
    };
    report.executions += region.executions;
    report.seconds += seconds(region.elapsed) / context.processes.count.max(1) as f64;
    report.thread_seconds += seconds(region.all);
    report.busiest_seconds += seconds(region.busiest);
    report.mean_seconds += seconds(region.mean);
    let mut known = 0.0;
    for (code, ticks) in entries(context, at, codes, &region) {
        let more = seconds(ticks);
        known += more;
        let entry = report.entries.iter_mut().find(|entry| entry.code == code);
        match entry {
            Some(entry) => entry.seconds += more,
            None if ticks > 0 => report.entries.push(AccountEntry { code, seconds: more }),
            None => {}
        }
    }
    report.unknown_seconds += (seconds(region.all) - known).max(0.0);
}

/// Where its threads' time went, in ticks.
fn entries(context: &Context<'_>, at: usize, codes: &BTreeSet<u64>, region: &RegionSums) -> Vec<(&'static str, u64)> {
    let spent = &region.team.spent;
    let mut taker = Taker {
        context,
        at,
        codes,
        rest: Rest(Activity::ALL.map(|activity| spent[activity as usize].ticks)),
        entries: Vec::new(),
    };
    taker.take_sums();
    let Taker { mut rest, mut entries, .. } = taker;
    for activity in Activity::ALL {
        let of_it = spent[activity as usize];
        entries.push(("recorder", rest.take(&[activity], of_it.recorder)));
        entries.push(("off-core", rest.take(&[activity], of_it.off_core)));
    }
    let told = Activity::ALL.into_iter().filter(|activity| *activity != Activity::Paused);
    entries.extend(told.map(|activity| (entry_of(activity), rest.0[activity as usize])));
    entries.push(("nested", region.team.nested));
    let begun = region.team.ticks.saturating_add(region.missing);
    entries.push(("start", region.all.saturating_sub(begun)));
    entries
}
