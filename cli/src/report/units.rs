//! Numbers, names and rows for people, and their colours.

use anstyle::{AnsiColor, Style};
use ompchunk_analysis::model::LoopReport;
pub use ompchunk_figures::{count, counted, number, percent, time};

use crate::signature::short;
use crate::table::{Cell, Field, render};

/// From here on an efficiency is acceptable, and from there on bad, as the POP project colours them.
const ACCEPTABLE: f64 = 0.8;
const BAD: f64 = 0.6;

pub fn efficiency(share: Option<f64>, at_most: bool, matters: bool) -> Cell {
    let style = match share.filter(|_| matters) {
        Some(share) if share < BAD => RED,
        Some(share) if share < ACCEPTABLE => YELLOW,
        Some(_) => GREEN,
        None => Style::new(),
    };
    Cell::styled(percent_at_most(share, at_most), style)
}

/// `at_most`: something that is a loss may not have been measured.
pub fn percent_at_most(share: Option<f64>, at_most: bool) -> String {
    let at_most = if at_most && share.is_some() { "≤ " } else { "" };
    format!("{at_most}{}", percent(share))
}

pub fn loss(seconds: Option<f64>, least: bool) -> String {
    format!("{}{}", if least { "> " } else { "" }, time(seconds))
}

pub const RED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));
pub const YELLOW: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub const GREEN: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub const BOLD: Style = Style::new().bold();

/// How many of so many rows are shown (`top`: 0 is all).
pub fn shown(top: usize, all: usize) -> usize {
    if top == 0 { all } else { top.min(all) }
}

pub fn joined(said: [Option<String>; 2]) -> Option<String> {
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

pub fn first_rows<T>(all: &[T], top: usize, row: impl Fn(&T) -> Vec<Field>, width: Option<usize>, to: &mut String) {
    let shown = shown(top, all.len());
    let rows: Vec<Vec<Field>> = all[..shown].iter().map(row).collect();
    *to += &render(&rows, 0, width);
    if shown < all.len() {
        *to += &format!("{} more: --top 0 lists all\n", count((all.len() - shown) as u64));
    }
}

pub fn place(loop_report: &LoopReport) -> String {
    let identity = &loop_report.identity;
    let mut text = match (&identity.file, identity.line, identity.column) {
        (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        _ => loop_report.name.clone(),
    };
    if let Some(function) = &identity.function {
        text += &format!(" in {}", short(function));
    }
    text
}

/// Its clause without the word that every row would begin with.
pub fn schedule(loop_report: &LoopReport) -> String {
    let Some(clause) = loop_report.identity.schedule.as_deref() else { return "-".to_owned() };
    clause.strip_prefix("schedule(").and_then(|suffix| suffix.strip_suffix(')')).unwrap_or(clause).to_owned()
}

/// Of more lines, those with the most and the least are listed.
const MOST: usize = 16;
const BAR: usize = 20;

/// A table of these, of a long list of the most and the least, in its own order.
pub fn extreme_rows<T>(
    all: &[T],
    value: impl Fn(&T) -> f64,
    row: impl Fn(&T) -> Vec<Field>,
    width: Option<usize>,
    to: &mut String,
) {
    let gone = all.len().saturating_sub(MOST);
    let mut places: Vec<usize> = (0..all.len()).collect();
    if gone > 0 {
        places.sort_by(|one, other| value(&all[*other]).total_cmp(&value(&all[*one])));
        places.drain(MOST / 2..MOST / 2 + gone);
        places.sort_unstable();
    }
    let rows: Vec<Vec<Field>> = places.into_iter().map(|at| row(&all[at])).collect();
    *to += &render(&rows, 2, width);
    if gone > 0 {
        *to += &format!("  {gone} between these: --json has all\n");
    }
}

pub fn share_bar(value: f64, most: f64) -> String {
    if most <= 0.0 { String::new() } else { "█".repeat((value / most * BAR as f64).round() as usize) }
}
