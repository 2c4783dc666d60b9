//! What to do, as text: a few lines, numbers first.

use ompchunk_analysis::{LoopReport, Report};

use super::causes::Cause;
use super::units::{BOLD, GREEN, YELLOW, loss, percent, schedule, time};
use super::verdict::Verdict;
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{printable, shortened};

/// Before a loop's name: what it loses, in seconds and of the run.
const NUMBERS: usize = 20;

pub fn text(report: &Report, verdict: &Verdict, width: Option<usize>, to: &mut String) {
    *to += &format!("\n{BOLD}what to do{BOLD:#}\n");
    if let Some(nothing) = &verdict.nothing {
        let style = if report.loops.is_empty() { YELLOW } else { GREEN };
        *to += &wrapped(&format!("  {style}{nothing}{style:#}\n"), width);
    }
    if let Some(first) = &verdict.first {
        *to += &wrapped(&format!("  {YELLOW}{}{YELLOW:#}\n", first.text), width);
    }
    if !verdict.loops.is_empty() || !verdict.causes.is_empty() {
        let what = if verdict.loops.is_empty() { "what" } else { "loop" };
        *to += &format!("{BOLD}{:>10}{:>8}  {what}{BOLD:#}\n", "lost", "of run");
    }
    let beside_loops = |cause: &Cause| entry(&time(cause.seconds), cause.share, &cause.name, &cause.text, width);
    // Both have the largest first.
    let mut causes = verdict.causes.iter().peekable();
    for advice in &verdict.loops {
        while let Some(cause) = causes.next_if(|cause| cause.seconds >= Some(advice.weight)) {
            *to += &beside_loops(cause);
        }
        let lost = loss(advice.seconds, advice.least);
        *to += &entry(&lost, advice.share, &named(&report.loops[advice.at], width), &advice.text, width);
    }
    to.extend(causes.map(beside_loops));
    let why = verdict.profile.as_ref().map(|profile| &profile.why);
    let prose: String = verdict.rest.iter().chain(why).map(|line| format!("  {line}\n")).collect();
    *to += &wrapped(&prose, width);
    // Whole, to be copied: a terminal breaks them without a break.
    for command in verdict.profile.iter().flat_map(|profile| &profile.commands) {
        *to += &format!("    {BOLD}{}{BOLD:#}\n", printable(command));
    }
    to.push('\n');
}

pub fn entry(seconds: &str, share: Option<f64>, name: &str, text: &str, width: Option<usize>) -> String {
    let text = wrapped(&format!("  {YELLOW}→{YELLOW:#} {}\n", printable(text)), width);
    format!("{seconds:>10}{:>8}  {name}\n{text}", percent(share))
}

pub fn named(loop_report: &LoopReport, width: Option<usize>) -> String {
    let mut name = loop_report.name.clone();
    if let Some(function) = loop_report.identity.function.as_deref() {
        name += &format!(" in {}", short(function));
    }
    let schedule = match schedule(loop_report).as_str() {
        "-" => String::new(),
        schedule => format!(", {schedule}"),
    };
    let room = width.unwrap_or(usize::MAX).saturating_sub(NUMBERS + schedule.len()).max(12);
    shortened(&printable(&name), room) + &printable(&schedule)
}
