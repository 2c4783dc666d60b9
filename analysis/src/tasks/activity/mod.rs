//! How many threads ran explicit tasks at a time, in the longest execution of each region with tasks. The parts are read twice more: for
//! the longest executions (`longest`), then for the time in tasks within these (`lane`). Memory depends on the numbers of lanes and of
//! regions that are looked at, not on the number of tasks.

mod lane;

use std::collections::BTreeMap;

use ompchunk_trace_format::{Ending, Error, Part};

use self::lane::{Execution, Found, LaneActivity, Longest, SLICES};
use super::model::{NOT_ONE_BY_ONE, TaskActivity, TaskRegionReport};
use crate::model::Site;
use crate::process::Context;
use crate::scan::{Progress, scan};
use crate::symbols::Lines;

/// Regions that are looked at, the first of the report.
const REGIONS: usize = 20;
/// So much of the team is all of it: at the ends of a task its thread is briefly in none.
const ALL: f64 = 0.95;

/// The longest execution of a region in a part, or why it is not looked at.
type Chosen = Result<(usize, Execution), &'static str>;

pub(crate) fn add(
    context: &Context<'_>,
    regions: &mut [TaskRegionReport],
    progress: Progress<'_>,
) -> Result<(), Error> {
    let meant = REGIONS.min(regions.len());
    for region in &mut regions[meant..] {
        region.activity_missing = Some("only the first 20 regions with tasks are looked at");
    }
    let regions = &mut regions[..meant];
    let chosen = choose(context, regions, progress)?;
    for at in 0..context.parts.len() {
        let (mut places, mut executions) = (Vec::new(), Vec::new());
        for (place, chosen) in chosen.iter().enumerate() {
            if let Some(Ok((_, execution))) = chosen.filter(|chosen| chosen.is_ok_and(|(part, _)| part == at)) {
                places.push(place);
                executions.push(execution);
            }
        }
        if places.is_empty() {
            continue;
        }
        let new = || LaneActivity::new(&executions);
        let lanes = scan(context.parts[at], new, |_, bytes| progress(bytes))?;
        let whole = lanes.iter().fold(new(), LaneActivity::with);
        for (place, found) in places.iter().zip(&whole.found) {
            regions[*place].set(activity(context, at, found));
        }
    }
    for (region, chosen) in regions.iter_mut().zip(chosen) {
        match chosen {
            Some(Err(why)) => region.set(Err(why)),
            None => region.set(Err(NOT_WHOLE)),
            Some(Ok(_)) => {}
        }
    }
    Ok(())
}

const NOT_WHOLE: &str = "no execution is recorded from begin to end outside of other regions";

impl TaskRegionReport {
    fn set(&mut self, found: Result<TaskActivity, &'static str>) {
        match found {
            Ok(activity) => self.activity = Some(activity),
            Err(why) => self.activity_missing = Some(why),
        }
    }
}

fn choose(
    context: &Context<'_>,
    regions: &[TaskRegionReport],
    progress: Progress<'_>,
) -> Result<Vec<Option<Chosen>>, Error> {
    let places: BTreeMap<&Site, usize> = regions.iter().map(|of| &of.site).zip(0..).collect();
    let mut chosen: Vec<Option<Chosen>> = vec![None; regions.len()];
    let mut lines = Lines::default();
    for (at, (part, sums)) in context.parts.iter().zip(&context.sums).enumerate() {
        let mut codes: Vec<(u64, usize)> = Vec::new();
        for code in sums.tasks.regions.keys() {
            codes.extend(places.get(&context.site(at, *code, &mut lines)).map(|place| (*code, *place)));
        }
        if codes.is_empty() {
            continue;
        }
        let longest = longest(part, progress)?;
        for (code, place) in codes {
            let known = &mut chosen[place];
            match &longest {
                Err(why) => *known = Some(Err(*why)),
                Ok(longest) => {
                    keep_longer(context, known, longest.found.get(&code).map(|execution| (at, *execution)));
                }
            }
        }
    }
    Ok(chosen)
}

fn keep_longer(context: &Context<'_>, known: &mut Option<Chosen>, new: Option<(usize, Execution)>) {
    let seconds = |(part, execution): (usize, Execution)| context.seconds(part, execution.ticks() as f64);
    let Some(new) = new.filter(|(_, execution)| execution.ticks() > 0) else { return };
    match known {
        None => *known = Some(Ok(new)),
        Some(Ok(longest)) if seconds(new) > seconds(*longest) => *longest = new,
        Some(_) => {}
    }
}

/// The longest executions of a part, or why it does not tell all tasks.
fn longest(part: &Part, progress: Progress<'_>) -> Result<Result<Longest, &'static str>, Error> {
    let mode = &part.meta().mode;
    if !mode.tasks || mode.aggregate || mode.sample > 1 {
        return Ok(Err(NOT_ONE_BY_ONE));
    }
    if part.ending() != Ending::Clean {
        return Ok(Err("the recording has no end"));
    }
    let lost = "not all events are recorded";
    if part.head().lost_events > 0 {
        return Ok(Err(lost));
    }
    let lanes = scan(part, Longest::default, |_, bytes| progress(bytes))?;
    let all = lanes.into_iter().fold(Longest::default(), Longest::with);
    Ok(match (all.has_lost, all.is_paused) {
        (true, _) => Err(lost),
        (_, true) => Err("the recording pauses"),
        _ => Ok(all),
    })
}

fn activity(context: &Context<'_>, part: usize, found: &Found) -> Result<TaskActivity, &'static str> {
    let execution = &found.execution;
    if found.is_beside_another {
        return Err("another region runs at the same time");
    }
    if found.is_partial || found.team_size == 0 {
        return Err("not all events are recorded");
    }
    let team = f64::from(found.team_size);
    let width = execution.ticks() as f64 / SLICES as f64;
    let slices: Vec<f64> = found.slices.iter().map(|ticks| ticks / width).collect();
    // Sums of many short times are not exact.
    let share =
        |is_meant: &dyn Fn(f64) -> bool| slices.iter().filter(|busy| is_meant(**busy)).count() as f64 / SLICES as f64;
    let rounding = 1e-6;
    Ok(TaskActivity {
        part,
        begin_seconds: context.sums[part].clock.since_start(execution.from) / 1e9,
        seconds: context.seconds(part, execution.ticks() as f64),
        threads: found.team_size,
        at_most_one_share: share(&|busy| busy <= 1.0 + rounding),
        at_most_half_share: share(&|busy| busy <= team / 2.0 + rounding),
        all_share: share(&|busy| busy >= ALL * team - rounding),
        slices,
    })
}
