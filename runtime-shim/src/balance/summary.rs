//! What was decided of loops, told at the program's end where the user asked for it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ompchunk_abi::DECISIONS_ENV;
use ompchunk_guest::floats::Floats;
use ompchunk_guest::memory;

use super::all_kept;
use super::kept::{Kept, Way};
use super::plan::Mode;
use super::remembered::{self, Entry, replace};
use super::trial::Outcome;
use crate::{environment, report};

/// What is said of a loop.
struct Line {
    name: String,
    /// How it runs.
    mode: Mode,
    /// None: nothing was decided.
    outcome: Option<Outcome>,
}

/// More bytes than are needed for a loop.
const EACH: usize = 32 << 10;

/// The program ends: what was decided is said where somebody wants it, and kept for the next run.
pub(crate) fn end() {
    let _floats = Floats::keep();
    if !memory::has(all_kept().count() * EACH) {
        return report::complain(format_args!(
            "the program has left no memory to say or keep what was decided of its loops. Raise its limit (ulimit -v)"
        ));
    }
    say();
    remembered::write(all_kept().filter_map(learned).collect());
}

/// What the next run may know of a loop, if something was learned.
fn learned(kept: &Kept) -> Option<(String, Entry)> {
    let control = kept.control.try_lock().ok()?;
    let mode = match &control.way {
        Way::Balanced(steady) if steady.has_learned() => Mode::Balanced,
        Way::Balanced(_) => return None,
        Way::Adaptive(trial) => trial.outcome?.mode,
    };
    let entry = Entry { mode, costs: kept.costs() };
    Some((control.key.clone()?, entry))
}

/// `OMPCHUNK_DECISIONS` names a file, or standard error by `-`, to which `OMPCHUNK_VERBOSE=1` says the same.
fn say() {
    let wanted = environment::file(DECISIONS_ENV);
    let is_table = wanted.as_ref().is_some_and(|wanted| wanted == "-");
    if wanted.is_none() && !report::verbose() {
        return;
    }
    let lines = lines();
    if is_table && lines.is_empty() {
        report::complain(format_args!(
            "no loop was balanced: none ran that can be, in a team of several threads, and with nothing that relies on who \
             runs which iteration. `ompchunk loops PROGRAM` says which loops these are"
        ));
    }
    if is_table || report::verbose() {
        for line in table(&lines) {
            report::complain(format_args!("{line}"));
        }
    }
    if let Some(file) = wanted.filter(|_| !is_table)
        && let Err(error) = replace(&file, &json(&lines))
    {
        report::complain(format_args!(
            "{DECISIONS_ENV}: cannot write {}: {error}",
            file.to_string_lossy().escape_debug()
        ));
    }
}

/// By name. Of a loop that the regions of several threads have, the one of which most was decided.
fn lines() -> Vec<Line> {
    let mut by_name: BTreeMap<String, Line> = BTreeMap::new();
    for line in all_kept().filter_map(line) {
        let known = by_name.get(&line.name).map_or(0, decisions);
        if known <= decisions(&line) {
            by_name.insert(line.name.clone(), line);
        }
    }
    by_name.into_values().collect()
}

fn decisions(line: &Line) -> u32 {
    line.outcome.map_or(0, |outcome| outcome.decisions)
}

fn line(kept: &Kept) -> Option<Line> {
    // A thread that decides just now holds it.
    let control = kept.control.try_lock().ok()?;
    let outcome = match &control.way {
        Way::Balanced(_) => None,
        Way::Adaptive(trial) => trial.outcome,
    };
    Some(Line { name: control.name.clone(), mode: outcome.map_or(kept.mode(), |outcome| outcome.mode), outcome })
}

fn name(mode: Mode) -> String {
    match (mode, mode.schedule()) {
        (_, Some(schedule)) => schedule.to_string(),
        (Mode::Balanced, None) => "balanced".to_owned(),
        (_, None) => "as compiled".to_owned(),
    }
}

fn tried(outcome: &Outcome) -> Vec<String> {
    outcome.tried.iter().flatten().map(|mode| name(*mode)).collect()
}

const TITLES: [&str; 5] = ["loop", "runs", "of its time as compiled", "tried", "regions timed until decided"];

/// Columns of equal width, where there are loops.
fn table(lines: &[Line]) -> Vec<String> {
    if lines.is_empty() {
        return Vec::new();
    }
    let mut rows = vec![TITLES.map(str::to_owned)];
    rows.extend(lines.iter().map(cells));
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    let padded = |row: &[String; 5]| {
        let mut text = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "{cell:width$}  ");
        }
        text.trim_end().to_owned()
    };
    rows.iter().map(padded).collect()
}

fn cells(line: &Line) -> [String; 5] {
    let interval = line.outcome.and_then(|outcome| outcome.interval);
    let ways = line.outcome.map_or(Vec::new(), |outcome| tried(&outcome));
    [
        line.name.clone(),
        name(line.mode),
        interval.map_or("-".to_owned(), |(low, high)| format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high)),
        match ways.is_empty() {
            true => "-".to_owned(),
            false => ways.join(", "),
        },
        line.outcome.map_or("not decided".to_owned(), |outcome| outcome.regions.to_string()),
    ]
}

/// The same, of which what is not known is absent.
fn json(lines: &[Line]) -> String {
    let mut text = "{\"loops\": [".to_owned();
    for (number, line) in lines.iter().enumerate() {
        let comma = match number {
            0 => "",
            _ => ",",
        };
        let _ = write!(text, "{comma}\n  {{\"loop\": {}, \"runs\": {}", quoted(&line.name), quoted(&name(line.mode)));
        if let Some(outcome) = &line.outcome {
            let ways: Vec<String> = tried(outcome).iter().map(|way| quoted(way)).collect();
            let _ = write!(
                text,
                ", \"tried\": [{}], \"timed_regions_until_decided\": {}, \"decisions\": {}",
                ways.join(", "),
                outcome.regions,
                outcome.decisions
            );
            if let Some((low, high)) = outcome.interval {
                let _ = write!(text, ", \"ratio_low\": {low:.4}, \"ratio_high\": {high:.4}");
            }
        }
        text.push('}');
    }
    text.push_str("\n]}\n");
    text
}

fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> [Line; 2] {
        let outcome = Outcome {
            mode: Mode::Balanced,
            regions: 11,
            decisions: 2,
            interval: Some((0.551, 0.583)),
            tried: [Some(Mode::Balanced), None, None],
        };
        [
            Line { name: "a\"b.c:3:1".to_owned(), mode: Mode::Balanced, outcome: Some(outcome) },
            Line { name: "c.c:4:1".to_owned(), mode: Mode::Source, outcome: None },
        ]
    }

    #[test]
    fn what_the_table_says() {
        let table = table(&lines());
        assert_eq!(table[1], "a\"b.c:3:1  balanced     55 to 58 %               balanced  11");
        assert_eq!(table[2], "c.c:4:1    as compiled  -                        -         not decided");
    }

    #[test]
    fn what_is_not_known_is_absent() {
        assert_eq!(
            json(&lines()),
            "{\"loops\": [\n  {\"loop\": \"a\\\"b.c:3:1\", \"runs\": \"balanced\", \"tried\": [\"balanced\"], \
             \"timed_regions_until_decided\": 11, \"decisions\": 2, \"ratio_low\": 0.5510, \"ratio_high\": 0.5830},\
             \n  {\"loop\": \"c.c:4:1\", \"runs\": \"as compiled\"}\n]}\n"
        );
    }
}
