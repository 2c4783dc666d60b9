//! The accounts of regions, in seconds, the regions of all parts together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ompchunk_trace_format::name::demangle;

use super::join::RegionSums;
use super::sums::Taker;
use crate::account::Activity;
use crate::account::entries::{Rest, entry_of};
use crate::context::Context;
use crate::definition::base;
use crate::model::{AccountEntry, RegionReport};
use crate::symbols::Lines;

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
        let report = named(context, at, code, lines);
        let key = (report.name.clone(), report.file.clone(), report.function.clone(), report.offset);
        let (_, codes) = found.entry(key).or_insert_with(|| (report, BTreeSet::new()));
        codes.insert(code);
    }
    found
}

/// What a region is called, with nothing in it yet.
pub(crate) fn named(context: &Context<'_>, at: usize, code: u64, lines: &mut Lines) -> RegionReport {
    let Some(place) = context.sums[at].codes.get(&code) else {
        return RegionReport { name: format!("{code:#x}"), ..RegionReport::default() };
    };
    let meta = context.parts[at].meta();
    let path = Path::new(&meta.directory).join(&place.object);
    let by_linker = Some(place.function.clone()).filter(|symbol| !symbol.is_empty());
    let symbol = by_linker.or_else(|| lines.function(path.clone(), place.offset, meta.started));
    let function = |file: &str| symbol.map(|symbol| demangle(&symbol, file));
    match lines.before(path, place.offset, meta.started) {
        Some((file, line)) => RegionReport {
            name: format!("{}:{line}", base(&file)),
            function: function(&file),
            line: Some(line),
            file: Some(file),
            ..RegionReport::default()
        },
        None => RegionReport {
            name: format!("{}+{:#x}", base(&place.object), place.offset),
            function: function(""),
            object: Some(place.object.clone()),
            offset: Some(place.offset),
            ..RegionReport::default()
        },
    }
}

/// Adds a part's executions.
fn add(report: &mut RegionReport, context: &Context<'_>, at: usize, codes: &BTreeSet<u64>) {
    let region = context.sums[at].regions.of(codes);
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
