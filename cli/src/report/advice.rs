//! What to do, as text: a few lines, numbers first.

use std::fmt::{self, Write as _};

use ompchunk_analysis::{LoopReport, Report};

use super::causes::Cause;
use super::units::schedule;
use super::units::{BOLD, GREEN, YELLOW, percent, time};
use super::verdict::{Advice, Verdict};
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{printable, shortened};

/// Before a loop's name: what it loses, in seconds and of the run.
pub const NUMBERS: usize = 20;

/// The lines, with an empty one on both sides.
pub fn text(report: &Report, verdict: &Verdict, width: Option<usize>, to: &mut String) {
    // Writing to a string does not fail.
    let _ = write(report, verdict, width, to);
}

fn write(report: &Report, verdict: &Verdict, width: Option<usize>, to: &mut String) -> fmt::Result {
    writeln!(to, "\n{BOLD}what to do{BOLD:#}")?;
    if let Some(nothing) = &verdict.nothing {
        let style = if report.loops.is_empty() { YELLOW } else { GREEN };
        *to += &wrapped(&format!("  {style}{nothing}{style:#}\n"), width);
    }
    if let Some(first) = &verdict.first {
        *to += &wrapped(&format!("  {YELLOW}{}{YELLOW:#}\n", first.text), width);
    }
    if !verdict.loops.is_empty() || !verdict.causes.is_empty() {
        let what = if verdict.loops.is_empty() { "what" } else { "loop" };
        writeln!(to, "{BOLD}{:>10}{:>8}  {what}{BOLD:#}", "lost", "of run")?;
    }
    // Both have the largest first.
    let mut causes = verdict.causes.iter().peekable();
    for advice in &verdict.loops {
        while let Some(cause) = causes.next_if(|cause| cause.seconds >= Some(advice.weight)) {
            beside_loops(cause, width, to)?;
        }
        one(report, advice, width, to)?;
    }
    for cause in causes {
        beside_loops(cause, width, to)?;
    }
    let mut prose = String::new();
    if let Some(rest) = &verdict.rest {
        writeln!(prose, "  {rest}")?;
    }
    if let Some(profile) = &verdict.profile {
        writeln!(prose, "  {}", profile.why)?;
    }
    *to += &wrapped(&prose, width);
    // Whole, to be copied: a terminal breaks them without a break.
    let commands = verdict.profile.iter().flat_map(|profile| &profile.commands);
    for command in commands {
        writeln!(to, "    {BOLD}{}{BOLD:#}", printable(command))?;
    }
    writeln!(to)
}

/// A loss that is no loop's, in the same form.
fn beside_loops(cause: &Cause, width: Option<usize>, to: &mut String) -> fmt::Result {
    let seconds = time(cause.seconds);
    writeln!(to, "{seconds:>10}{:>8}  {}", percent(cause.share), cause.name)?;
    *to += &wrapped(&format!("  {YELLOW}→{YELLOW:#} {}\n", printable(&cause.text)), width);
    Ok(())
}

fn one(report: &Report, advice: &Advice, width: Option<usize>, to: &mut String) -> fmt::Result {
    let the_loop = &report.loops[advice.at];
    let seconds = match advice.seconds {
        Some(seconds) if advice.least => format!("> {}", time(seconds)),
        Some(seconds) => time(seconds),
        None => "-".to_owned(),
    };
    let name = named(the_loop, width, NUMBERS);
    writeln!(to, "{seconds:>10}{:>8}  {name}", percent(advice.share))?;
    let text = format!("  {YELLOW}→{YELLOW:#} {}\n", printable(&advice.text));
    *to += &wrapped(&text, width);
    Ok(())
}

/// A loop with its function and schedule, in what a line has beside so many characters.
pub fn named(loop_report: &LoopReport, width: Option<usize>, beside: usize) -> String {
    let mut name = loop_report.name.clone();
    if let Some(function) = loop_report.identity.function.as_deref() {
        name += &format!(" in {}", short(function));
    }
    let schedule = match schedule(loop_report).as_str() {
        "-" => String::new(),
        schedule => format!(", {schedule}"),
    };
    let room = width.unwrap_or(usize::MAX);
    let room = room.saturating_sub(beside + schedule.len()).max(12);
    shortened(&printable(&name), room) + &printable(&schedule)
}
