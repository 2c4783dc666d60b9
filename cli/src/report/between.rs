//! What differs between processes: the first lines of a report of several. Which loops take longer on some than on
//! others, on which, and what these do more than the others. What it costs depends on who waits for whom, which a trace of loops
//! does not tell.

use std::fmt::{self, Write as _};

use ompchunk_analysis::Report;
use ompchunk_analysis::model::{BetweenReport, GroupReport, LoopReport};
use serde::Serialize;

use super::advice::{NUMBERS, named};
use super::ranges::ranges;
use super::units::{BOLD, YELLOW, counted, number, percent, time};
use super::verdict::MATTERS;
use crate::prose::wrapped;
use crate::table::printable;

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
    /// Loops that differ, those that do most first.
    pub loops: Vec<Differs>,
    pub rest: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Differs {
    /// Which of the report's.
    pub at: usize,
    /// The slowest process less the mean.
    pub seconds: f64,
    /// The same as a share of the run.
    pub share: Option<f64>,
    /// Who, and why.
    pub text: String,
}

impl Between {
    /// From a report's loops, in whatever order they are; `None`: there is one process, or nothing was timed.
    pub fn from_report(report: &Report) -> Option<Between> {
        if report.run.processes < 2 {
            return None;
        }
        let ranked = report.parts.iter().all(|part| part.rank.is_some());
        let words = Words {
            report,
            one: if ranked { "rank" } else { "process" },
            many: if ranked { "ranks" } else { "processes" },
        };
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
            let (loops, take) = match others {
                1 => ("1 other loop".to_owned(), "takes"),
                some => (counted(some as u64, "other loop"), "take"),
            };
            format!("{loops} {take} less than {least} of the run longer on the slowest {one} than on average")
        });
        match (more, others) {
            (Some(more), Some(others)) => Some(format!("{more}; {others}")),
            (more, others) => more.or(others),
        }
    }

    fn text(&self, loop_report: &LoopReport, between: &BetweenReport) -> String {
        let one = self.one;
        let slowest = self.name(between.slowest);
        let mut text = match between.of {
            all if between.processes < all => format!(
                "{} of {all} {} run it, {slowest} for {}",
                between.processes,
                self.many,
                time(between.most_seconds)
            ),
            2 => {
                format!("{} on {slowest}, {} on the other one", time(between.most_seconds), time(between.least_seconds))
            }
            _ => format!(
                "{} on {slowest}, {} on the median {one}, {} on the fastest",
                time(between.most_seconds),
                time(between.median_seconds),
                time(between.least_seconds)
            ),
        };
        for group in between.groups.iter().take(GROUPS) {
            let _ = write!(text, "; {}", self.group(loop_report, group));
        }
        match between.groups.len() {
            0 if between.processes > 2 => {
                let _ = write!(text, "; no {one} stands out from the others");
            }
            all if all > GROUPS => {
                let _ = write!(text, "; {} more stand out", all - GROUPS);
            }
            _ => {}
        }
        text
    }

    fn name(&self, part: usize) -> String {
        let part = &self.report.parts[part];
        let rank = part.rank.map(|rank| format!("rank {rank}"));
        let name = rank.unwrap_or_else(|| part.name.clone());
        match part.host.is_empty() {
            true => name,
            false => format!("{name} ({})", part.host),
        }
    }

    /// Who takes longer, and with what.
    fn group(&self, loop_report: &LoopReport, group: &GroupReport) -> String {
        let ranks = group.parts.iter().map(|at| self.report.parts[*at].rank);
        let ranks: Option<Vec<u64>> = ranks.collect();
        let many = group.parts.len();
        let which = match ranks {
            Some(ranks) => {
                let mut ranges = ranges(ranks);
                let left = ranges.len().saturating_sub(RANGES);
                ranges.truncate(RANGES);
                let left = match left {
                    0 => String::new(),
                    left => format!(" and {left} more ranges"),
                };
                let plural = if many == 1 { "" } else { "s" };
                format!("rank{plural} {}{left}", ranges.join(","))
            }
            None if many == 1 => self.report.parts[group.parts[0]].name.clone(),
            None => format!("{many} processes"),
        };
        let who = match &group.host {
            Some(host) => format!("all on {host} ({which})"),
            None => which,
        };
        let verb = if many == 1 { "takes" } else { "take" };
        format!("{who} {verb} {} times the median{}", number(group.ratio), why(loop_report, group))
    }
}

/// What the numbers say of the reason; nothing where they say nothing.
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
    if group.work_ratio.is_some_and(|of| of - 1.0 <= (1.0 - EXPLAINS) * more) {
        let work = number(group.work_ratio.unwrap_or(1.0));
        return format!(", with {work} times the work: their threads come late, or work unevenly");
    }
    // Without what was taken from it, the work would be as the others'.
    if let Some(taken) = group.taken_share.filter(|taken_share| *taken_share >= EXPLAINS * more / group.ratio) {
        return format!(", because their cores did something else for {} of the time in chunks", percent(taken));
    }
    if same(group.iterations_ratio) {
        let busy = match loop_report.off_core {
            Some(_) => "",
            None => ", or they do something else as well",
        };
        return format!(
            ", with the same number of iterations: iterations cost more there, or its cores are slower{busy}"
        );
    }
    String::new()
}

/// The lines, with an empty one before.
pub fn text(report: &Report, between: &Between, width: Option<usize>, to: &mut String) {
    // Writing to a string does not fail.
    let _ = write(report, between, width, to);
}

fn write(report: &Report, between: &Between, width: Option<usize>, to: &mut String) -> fmt::Result {
    writeln!(to, "\n{BOLD}what differs between {}{BOLD:#}", between.what)?;
    if !between.loops.is_empty() {
        writeln!(to, "{BOLD}{:>10}{:>8}  loop{BOLD:#}", "spread", "of run")?;
    }
    for the_loop in &between.loops {
        let name = named(&report.loops[the_loop.at], width, NUMBERS);
        let numbers = format!("{:>10}{:>8}", time(the_loop.seconds), percent(the_loop.share));
        writeln!(to, "{numbers}  {name}")?;
        let text = format!("  {YELLOW}→{YELLOW:#} {}\n", printable(&the_loop.text));
        *to += &wrapped(&text, width);
    }
    if let Some(rest) = &between.rest {
        *to += &wrapped(&format!("  {rest}\n"), width);
    }
    Ok(())
}
