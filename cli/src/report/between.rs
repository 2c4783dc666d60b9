//! What differs between processes: which loops take longer on some, and what these do more than the others. What it costs
//! depends on who waits for whom, which a trace of loops does not tell.

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{BetweenReport, GroupReport, LoopReport};
use serde::Serialize;

use super::advice::{entry, named};
use super::ranges::ranges;
use super::units::{BOLD, counted, joined, number, percent, time};
use super::verdict::MATTERS;
use crate::prose::wrapped;

const MOST: usize = 5;
/// So many machines and sets of processes of each.
const GROUPS: usize = 3;
/// So many ranges of ranks of a set.
const RANGES: usize = 6;
/// A ratio of two counts that are as good as equal.
const SAME: f64 = 0.05;
/// One that explains another.
const EXPLAINS: f64 = 0.75;

#[derive(Debug, Serialize)]
pub struct Between {
    /// `ranks`, or `processes` that have no rank.
    pub what: &'static str,
    pub loops: Vec<Differs>,
    pub rest: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Differs {
    /// Which of the report's.
    pub at: usize,
    /// The slowest process less the mean, and that as a share of the run.
    pub seconds: f64,
    pub share: Option<f64>,
    pub text: String,
}

impl Between {
    /// From a report's loops, in whatever order they are; `None`: there is one process, or nothing was timed.
    pub fn from_report(report: &Report) -> Option<Between> {
        if report.run.processes < 2 {
            return None;
        }
        let ranked = report.parts.iter().all(|part| part.rank.is_some());
        let (one, many) = if ranked { ("rank", "ranks") } else { ("process", "processes") };
        let words = Words { report, one, many };
        let run = report.run.seconds;
        let share = |seconds: f64| (run > 0.0).then(|| seconds / run);
        let known =
            report.loops.iter().enumerate().filter_map(|(at, found)| Some((at, found, found.between.as_ref()?)));
        let (mut telling, equal): (Vec<_>, Vec<_>) =
            known.partition(|(_, _, between)| share(between.spread_seconds).is_none_or(|share| share >= MATTERS));
        if telling.is_empty() && equal.is_empty() {
            return None;
        }
        telling.sort_by(|(_, _, left), (_, _, right)| right.spread_seconds.total_cmp(&left.spread_seconds));
        let more = telling.len().saturating_sub(MOST);
        telling.truncate(MOST);
        let differs = |(at, found, between): &(usize, &LoopReport, &BetweenReport)| Differs {
            at: *at,
            seconds: between.spread_seconds,
            share: share(between.spread_seconds),
            text: words.text(found, between),
        };
        let loops: Vec<Differs> = telling.iter().map(differs).collect();
        Some(Between { what: words.many, rest: words.rest(loops.is_empty(), more, equal.len()), loops })
    }
}

struct Words<'r> {
    report: &'r Report,
    one: &'static str,
    many: &'static str,
}

impl Words<'_> {
    fn rest(&self, is_all: bool, more: usize, others: usize) -> Option<String> {
        let least = format!("{:.0} %", MATTERS * 100.0);
        let one = self.one;
        if is_all {
            return Some(format!("no loop takes {least} of the run longer on the slowest {one} than on average"));
        }
        let more = (more > 0).then(|| format!("{more} more differ as much: --json has all"));
        let others = (others > 0).then(|| {
            let (loops, take) = (counted(others as u64, "other loop"), if others == 1 { "takes" } else { "take" });
            format!("{loops} {take} less than {least} of the run longer on the slowest {one} than on average")
        });
        joined([more, others])
    }

    fn text(&self, loop_report: &LoopReport, between: &BetweenReport) -> String {
        let one = self.one;
        let slowest = self.name(between.slowest);
        let [most, median, least] = [between.most_seconds, between.median_seconds, between.least_seconds].map(time);
        let mut text = match between.of {
            all if between.processes < all => {
                format!("{} of {all} {} run it, {slowest} for {most}", between.processes, self.many)
            }
            2 => format!("{most} on {slowest}, {least} on the other one"),
            _ => format!("{most} on {slowest}, {median} on the median {one}, {least} on the fastest"),
        };
        for group in between.groups.iter().take(GROUPS) {
            text += &format!("; {}", self.group(loop_report, group));
        }
        match between.groups.len() {
            0 if between.processes > 2 => text += &format!("; no {one} stands out from the others"),
            all if all > GROUPS => text += &format!("; {} more stand out", all - GROUPS),
            _ => {}
        }
        text
    }

    fn name(&self, part: usize) -> String {
        let part = &self.report.parts[part];
        let name = part.rank.map_or_else(|| part.name.clone(), |rank| format!("rank {rank}"));
        if part.host.is_empty() { name } else { format!("{name} ({})", part.host) }
    }

    fn group(&self, loop_report: &LoopReport, group: &GroupReport) -> String {
        let ranks: Option<Vec<u64>> = group.parts.iter().map(|at| self.report.parts[*at].rank).collect();
        let many = group.parts.len();
        let which = match ranks {
            Some(ranks) => {
                let mut ranges = ranges(ranks);
                let left = match ranges.len().saturating_sub(RANGES) {
                    0 => String::new(),
                    left => format!(" and {left} more ranges"),
                };
                ranges.truncate(RANGES);
                let plural = if many == 1 { "" } else { "s" };
                format!("rank{plural} {}{left}", ranges.join(","))
            }
            None if many == 1 => self.report.parts[group.parts[0]].name.clone(),
            None => format!("{many} processes"),
        };
        let who = group.host.as_ref().map_or(which.clone(), |host| format!("all on {host} ({which})"));
        let verb = if many == 1 { "takes" } else { "take" };
        format!("{who} {verb} {} times the median{}", number(group.ratio), why(loop_report, group))
    }
}

fn why(loop_report: &LoopReport, group: &GroupReport) -> String {
    let more = group.ratio - 1.0;
    let explains = |of: Option<f64>| of.filter(|of| of - 1.0 >= EXPLAINS * more);
    let same = |of: Option<f64>| of.is_some_and(|of| (of - 1.0).abs() <= SAME);
    if let Some(ratio) = explains(group.executions_ratio) {
        return format!(", with {} times the runs", number(ratio));
    }
    if let Some(ratio) = explains(group.iterations_ratio) {
        return format!(", with {} times the iterations", number(ratio));
    }
    if let Some(ratio) = group.work_ratio.filter(|of| of - 1.0 <= (1.0 - EXPLAINS) * more) {
        return format!(", with {} times the work: their threads come late, or work unevenly", number(ratio));
    }
    // Without what was taken from it, the work would be as the others'.
    if let Some(taken) = group.taken_share.filter(|taken_share| *taken_share >= EXPLAINS * more / group.ratio) {
        return format!(", because their cores did something else for {} of the time in chunks", percent(taken));
    }
    if same(group.iterations_ratio) {
        let busy = loop_report.off_core.map_or(", or they do something else as well", |_| "");
        return format!(
            ", with the same number of iterations: iterations cost more there, or its cores are slower{busy}"
        );
    }
    String::new()
}

pub fn text(report: &Report, between: &Between, width: Option<usize>, to: &mut String) {
    *to += &format!("\n{BOLD}what differs between {}{BOLD:#}\n", between.what);
    if !between.loops.is_empty() {
        *to += &format!("{BOLD}{:>10}{:>8}  loop{BOLD:#}\n", "spread", "of run");
    }
    for the_loop in &between.loops {
        let name = named(&report.loops[the_loop.at], width);
        *to += &entry(&time(the_loop.seconds), the_loop.share, &name, &the_loop.text, width);
    }
    if let Some(rest) = &between.rest {
        *to += &wrapped(&format!("  {rest}\n"), width);
    }
}
