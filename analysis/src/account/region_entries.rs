//! What of a part's sums is a region's. A recording adds them up per thread: waits for locks by place of the program and loop, tasks by the
//! wait that they ran in. Where these are one region's alone, so are the sums; others may be any region's, and then what they may
//! have taken of its time is not known.

use std::collections::{BTreeMap, BTreeSet};

use super::Activity;
use super::entries::{OUTSIDE_OF_SINGLE, Taker, activities_of, dealing, entry_of_kind, mutexes};
use super::regions::{Owned, Owns, RegionSums};
use super::sums::{MutexKey, Within};
use crate::merge::widest;
use crate::model::{AccountEntry, RegionReport};
use crate::part::PartSums;
use crate::process::Context;
use crate::symbols::Lines;

/// A region's name, file, function and offset, which tell it apart.
type Key = (String, Option<String>, Option<String>, Option<u64>);

pub(crate) fn regions(context: &Context<'_>) -> Vec<RegionReport> {
    let mut found: BTreeMap<Key, RegionReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for at in 0..context.sums.len() {
        for (key, (report, codes)) in of_part(context, at, &mut lines) {
            add(found.entry(key).or_insert(report), context, at, &codes);
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
    let team_size = widest((report.executions > 0).then_some(report.team_size), region.team_size);
    report.team_size = team_size.unwrap_or_default();
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

fn entries(context: &Context<'_>, at: usize, codes: &BTreeSet<u64>, region: &RegionSums) -> Vec<(&'static str, u64)> {
    let part = &context.sums[at];
    let read = context.parts[at].meta().clock.read;
    let mutexes = mutexes(&part.account, read);
    let spent = &region.team.spent;
    let mut taker = Taker::new(spent.map(|spent| spent.ticks));
    if part.regions.is_all(codes) {
        // In serial code nobody waits for a lock longer than it takes to take it.
        taker.take_locks(&mutexes);
        taker.take_tasks(&part.account, &mutexes);
    } else {
        taker.take_own(part, codes, &mutexes);
    }
    for the_loop in &part.loops {
        let owns = the_loop.numbers.iter().map(|number| part.regions.owns(codes, Owned::Loop(*number)));
        let owns = owns.reduce(|one, other| if one == other { one } else { Owns::Perhaps });
        taker.take_if(owns.unwrap_or(Owns::All), "bookkeeping", Activity::Loop, dealing(the_loop, read));
    }
    for activity in Activity::ALL {
        taker.take("recorder", &[activity], spent[activity as usize].recorder);
        taker.take("off-core", &[activity], spent[activity as usize].off_core);
    }
    taker.leave_rest();
    taker.entries.push(("nested", region.team.nested));
    let begun = region.team.ticks.saturating_add(region.missing);
    taker.entries.push(("start", region.all.saturating_sub(begun)));
    taker.entries
}

impl Taker {
    /// There are other regions: only what can be no other's is known.
    fn take_own(&mut self, part: &PartSums, codes: &BTreeSet<u64>, mutexes: &[(MutexKey, u64)]) {
        for (key, ticks) in mutexes {
            match key.within {
                Within::Loop(number) => {
                    let owns = part.regions.owns(codes, Owned::Loop(number));
                    self.take_if(owns, entry_of_kind(key.kind), Activity::Loop, *ticks);
                }
                within => _ = self.remove(activities_of(within), *ticks),
            }
        }
        self.remove(&[Activity::Single], part.account.tasks.in_single);
        self.remove(&OUTSIDE_OF_SINGLE, part.account.tasks.in_region);
        for (code, activity, inside) in part.account.insides() {
            let owns = part.regions.owns(codes, Owned::Wait(code));
            self.take_if(owns, "tasks", activity, inside.tasks);
            self.take_if(owns, "wait-in-tasks", activity, inside.waits);
        }
        let in_tasks = mutexes.iter().filter(|(key, _)| key.within == Within::Task);
        self.remove_from_tasks(in_tasks.map(|(_, ticks)| ticks).sum());
    }

    /// Of what may be another region's, so much of the activity's time may be something else.
    fn take_if(&mut self, owns: Owns, entry: &'static str, activity: Activity, ticks: u64) {
        match owns {
            Owns::All => _ = self.take(entry, &[activity], ticks),
            Owns::Perhaps => _ = self.remove(&[activity], ticks),
            Owns::Nothing => {}
        }
    }
}
