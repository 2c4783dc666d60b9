//! The critical path through explicit tasks, with the constructs whose work is on it.

use anyhow::Result;
use ompchunk_analysis::model::{CriticalPath, OnPath, TaskRegionReport};
use ompchunk_analysis::{Analysis, Report};
use ompchunk_export as export;
use ompchunk_trace_format::Part;

use super::units::{percent, time};
use crate::table::printable;

const NAMED: usize = 3;

/// Finds it, where tasks were recorded one by one and all that orders them is known. The parts are read once more, in the order of time.
pub fn add(analysis: &Analysis, report: &mut Report, parts: &[&Part]) -> Result<()> {
    let Some(tasks) = &mut report.tasks else {
        return Ok(());
    };
    let is_known = |of: &TaskRegionReport| of.span_seconds.is_some();
    if tasks.regions.is_empty() || !tasks.regions.iter().all(is_known) {
        return Ok(());
    }
    let mut longest: Option<(&Part, export::CriticalPath)> = None;
    for part in parts {
        let Some(path) = export::critical_path(part)? else {
            // A longer one may be in what is not told.
            return Ok(());
        };
        let is_longer = |(_, known): &(_, export::CriticalPath)| path.seconds > known.seconds;
        if longest.as_ref().is_none_or(is_longer) {
            longest = Some((part, path));
        }
    }
    tasks.critical_path = longest.map(|(part, path)| named(analysis, part, path));
    Ok(())
}

fn named(analysis: &Analysis, part: &Part, path: export::CriticalPath) -> CriticalPath {
    let code = |whose| match whose {
        export::OnPath::Construct(code) => Some(code),
        export::OnPath::Outside | export::OnPath::Further => None,
    };
    let codes: Vec<u64> = path.parts.iter().filter_map(|(whose, _)| code(*whose)).collect();
    let mut sites = analysis.sites(part, &codes).into_iter();
    let part_of = |(whose, seconds)| OnPath {
        site: code(whose).and_then(|_| sites.next()),
        in_tasks: whose != export::OnPath::Outside,
        seconds,
    };
    let mut parts: Vec<OnPath> = path.parts.into_iter().map(part_of).collect();
    parts.sort_by(|one, two| two.seconds.total_cmp(&one.seconds));
    CriticalPath { seconds: path.seconds, work_seconds: path.work_seconds, parts }
}

pub fn text(path: &CriticalPath) -> String {
    let share = |seconds: f64| percent(seconds / path.seconds);
    let part = |part: &OnPath| {
        let whose = match (&part.site, part.in_tasks) {
            (Some(site), _) => printable(&site.name),
            (None, true) => "other tasks".to_owned(),
            (None, false) => "outside of explicit tasks".to_owned(),
        };
        format!("{whose} {}", share(part.seconds))
    };
    let mut parts: Vec<String> = path.parts.iter().take(NAMED).map(part).collect();
    let rest: f64 = path.parts.iter().skip(NAMED).map(|part| part.seconds).sum();
    if rest > 0.0 {
        parts.push(format!("the rest {}", share(rest)));
    }
    format!("critical path, {} of {} of work: {}", time(path.seconds), time(path.work_seconds), parts.join(", "))
}
