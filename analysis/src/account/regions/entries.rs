//! The accounts of regions, in seconds, the regions of all parts together.

use std::collections::BTreeMap;
use std::path::Path;

use ompchunk_trace_format::name::demangle;

use super::join::RegionSums;
use super::sums::Taker;
use crate::account::Place;
use crate::account::entries::{Rest, entry_of};
use crate::context::Context;
use crate::model::{AccountEntry, RegionReport};
use crate::symbols::Lines;

/// Regions by their place, those with most thread time first.
pub(crate) fn regions(context: &Context<'_>) -> Vec<RegionReport> {
    let mut found: BTreeMap<(Option<String>, u64), RegionReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for (at, sums) in context.sums.iter().enumerate() {
        for (code, region) in &sums.regions.by_code {
            let place = sums.codes.get(code);
            let object = place.map(|place| place.object.clone());
            let key = (object, place.map_or(*code, |place| place.offset));
            let report = found
                .entry(key)
                .or_insert_with(|| named(context, at, *code, &mut lines));
            add(report, context, at, (*code, region));
        }
    }
    let mut regions: Vec<RegionReport> = found.into_values().collect();
    regions.sort_by(|left, right| right.thread_seconds.total_cmp(&left.thread_seconds));
    regions
}

/// What a region is called, with nothing in it yet.
fn named(context: &Context<'_>, at: usize, code: u64, lines: &mut Lines) -> RegionReport {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let Some(place) = context.sums[at].codes.get(&code) else {
        return RegionReport {
            name: format!("{code:#x}"),
            ..RegionReport::default()
        };
    };
    let meta = context.parts[at].meta();
    let path = Path::new(&meta.directory).join(&place.object);
    let line = lines.before(path, place.offset, meta.started);
    let name = match &line {
        Some((file, line)) => format!("{}:{line}", base(file)),
        None => format!("{}+{:#x}", base(&place.object), place.offset),
    };
    let file = line.as_ref().map(|(file, _)| file.clone());
    let symbol = Some(&place.function).filter(|symbol| !symbol.is_empty());
    RegionReport {
        name,
        function: symbol.map(|symbol| demangle(symbol, file.as_deref().unwrap_or_default())),
        line: line.map(|(_, line)| line),
        file,
        object: Some(place.object.clone()),
        offset: Some(place.offset),
        ..RegionReport::default()
    }
}

/// Adds a part's executions.
fn add(
    report: &mut RegionReport,
    context: &Context<'_>,
    at: usize,
    (code, region): (u64, &RegionSums),
) {
    let seconds = |ticks: u64| context.seconds(at, ticks as f64);
    let [least, most] = region.team_size;
    report.team_size = match report.executions {
        0 => region.team_size,
        _ => [
            report.team_size[0].min(least),
            report.team_size[1].max(most),
        ],
    };
    report.executions += region.executions;
    report.seconds += seconds(region.elapsed) / context.processes.count.max(1) as f64;
    report.thread_seconds += seconds(region.all);
    let mut known = 0.0;
    for (code, ticks) in entries(context, at, (code, region)) {
        let more = seconds(ticks);
        known += more;
        let entry = report.entries.iter_mut().find(|entry| entry.code == code);
        match entry {
            Some(entry) => entry.seconds += more,
            None if ticks > 0 => report.entries.push(AccountEntry {
                code,
                seconds: more,
            }),
            None => {}
        }
    }
    report.unknown_seconds += (seconds(region.all) - known).max(0.0);
}

/// Where its threads' time went, in ticks.
fn entries(
    context: &Context<'_>,
    at: usize,
    (code, region): (u64, &RegionSums),
) -> Vec<(&'static str, u64)> {
    let spent = &region.team.spent;
    let mut taker = Taker {
        context,
        at,
        code,
        rest: Rest(Place::ALL.map(|place| spent[place as usize].ticks)),
        entries: Vec::new(),
    };
    taker.take_sums();
    let Taker {
        mut rest,
        mut entries,
        ..
    } = taker;
    for place in Place::ALL {
        let of_it = spent[place as usize];
        entries.push(("recorder", rest.take(&[place], of_it.recorder)));
        entries.push(("off-core", rest.take(&[place], of_it.off_core)));
    }
    let told = Place::ALL
        .into_iter()
        .filter(|place| *place != Place::Paused);
    entries.extend(told.map(|place| (entry_of(place), rest.0[place as usize])));
    entries.push(("nested", region.team.nested));
    let begun = region.team.ticks.saturating_add(region.missing);
    entries.push(("start", region.all.saturating_sub(begun)));
    entries
}
