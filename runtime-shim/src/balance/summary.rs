//! What was decided of loops, told at the program's end where the user asked for it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ompchunk_abi::run::DECISIONS;
use ompchunk_guest::floats::Floats;
use ompchunk_guest::memory;

use crate::balance::learned_file::{Entry, replace};
use crate::balance::loop_store::{Kept, Learner};
use crate::balance::plan::Mode;
use crate::balance::rounds::OTHERS;
use crate::balance::trial::Outcome;
use crate::balance::{all_kept, learned_file};
use crate::{start::environment, start::report};

struct Line {
    name: String,
    /// How it runs; none: under several in turn.
    mode: Option<Mode>,
    tried: [Option<Mode>; OTHERS],
    outcome: Option<Outcome>,
    /// The program ended before a decision.
    is_open: bool,
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
    print_decisions();
    learned_file::write(all_kept().filter_map(learned).collect());
}

/// What the next run may know of a loop, if something was learned.
fn learned(kept: &Kept) -> Option<(String, Entry)> {
    let control = kept.control.try_lock().ok()?;
    let mode = match &control.learner {
        Learner::Balanced(steady) if steady.corrections > 0 => Mode::Balanced,
        Learner::Balanced(_) => return None,
        Learner::Adaptive(trial) => trial.outcome?.mode,
    };
    let entry = Entry { mode, costs: kept.costs() };
    Some((control.key.clone()?, entry))
}

/// [`DECISIONS`] names a file, or standard error by `-`, to which `OMPCHUNK_VERBOSE=1` says the same.
fn print_decisions() {
    let wanted = environment::setting(DECISIONS);
    let is_table = wanted.as_ref().is_some_and(|wanted| wanted == "-");
    if wanted.is_none() && !report::verbose() {
        return;
    }
    let lines = lines(all_kept().filter_map(line));
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
        report::complain(format_args!("{DECISIONS}: cannot write {}: {error}", file.to_string_lossy().escape_debug()));
    }
}

/// By name. Of a loop that the regions of several threads have, the one of which most was decided.
fn lines(of: impl Iterator<Item = Line>) -> Vec<Line> {
    let mut by_name: BTreeMap<String, Line> = BTreeMap::new();
    for line in of {
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
    let name = control.name.clone();
    let Learner::Adaptive(trial) = &control.learner else {
        return Some(Line { name, mode: Some(kept.mode()), tried: [None; OTHERS], outcome: None, is_open: false });
    };
    let outcome = trial.outcome;
    let tried = outcome.map_or_else(|| trial.tries(), |outcome| outcome.tried);
    let untried = (tried == [None; OTHERS]).then_some(Mode::Source);
    let mode = outcome.map_or(untried, |outcome| Some(outcome.mode));
    Some(Line { name, mode, tried, outcome, is_open: outcome.is_none() })
}

fn ways(line: &Line) -> Vec<String> {
    line.tried.iter().flatten().map(|mode| mode.text(AS_COMPILED)).collect()
}

const AS_COMPILED: &str = "as compiled";
const TITLES: [&str; 5] = ["loop", "runs", "of its time as compiled", "tried", "regions timed until decided"];

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
    let ways = ways(line);
    [
        line.name.clone(),
        line.mode.map_or("in turn".to_owned(), |mode| mode.text(AS_COMPILED)),
        interval.map_or("-".to_owned(), |(low, high)| format!("{:.0} to {:.0} %", 100.0 * low, 100.0 * high)),
        if ways.is_empty() { "-".to_owned() } else { ways.join(", ") },
        match line.outcome {
            Some(outcome) => outcome.regions.to_string(),
            None if line.is_open => "not decided".to_owned(),
            None => "-".to_owned(),
        },
    ]
}

/// The same, of which what is not known is absent.
fn json(lines: &[Line]) -> String {
    let mut text = "{\"loops\": [".to_owned();
    for (number, line) in lines.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\n  {{\"loop\": {}", quoted(&line.name));
        if let Some(mode) = line.mode {
            let _ = write!(text, ", \"runs\": {}", quoted(&mode.text(AS_COMPILED)));
        }
        let ways: Vec<String> = ways(line).iter().map(|way| quoted(way)).collect();
        if !ways.is_empty() {
            let _ = write!(text, ", \"tried\": [{}]", ways.join(", "));
        }
        if let Some(outcome) = line.outcome {
            let (regions, decisions) = (outcome.regions, outcome.decisions);
            let _ = write!(text, ", \"timed_regions_until_decided\": {regions}, \"decisions\": {decisions}");
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

    fn lines() -> [Line; 4] {
        let outcome = Outcome {
            mode: Mode::Balanced,
            regions: 11,
            decisions: 2,
            interval: Some((0.551, 0.583)),
            tried: [Some(Mode::Balanced), None, None],
        };
        let (mode, tried, none) = (Some(Mode::Balanced), outcome.tried, [None; OTHERS]);
        let name = |name: &str| name.to_owned();
        [
            Line { name: name("a\"b.c:3:1"), mode, tried, outcome: Some(outcome), is_open: false },
            Line { name: name("c.c:4:1"), mode: Some(Mode::Source), tried: none, outcome: None, is_open: true },
            Line { name: name("d.c:5:1"), mode: None, tried, outcome: None, is_open: true },
            Line { name: name("e.c:6:1"), mode, tried: none, outcome: None, is_open: false },
        ]
    }

    #[test]
    fn a_loop_of_several_threads_is_said_once_also_where_nothing_was_decided() {
        assert_eq!(super::lines(lines().into_iter().chain(lines())).len(), 4);
    }

    #[test]
    fn what_the_table_says() {
        let table = table(&lines());
        assert_eq!(table[1], "a\"b.c:3:1  balanced     55 to 58 %               balanced  11");
        assert_eq!(table[2], "c.c:4:1    as compiled  -                        -         not decided");
        assert_eq!(table[3], "d.c:5:1    in turn      -                        balanced  not decided");
        assert_eq!(table[4], "e.c:6:1    balanced     -                        -         -");
    }

    #[test]
    fn what_is_not_known_is_absent() {
        assert_eq!(
            json(&lines()),
            "{\"loops\": [\n  {\"loop\": \"a\\\"b.c:3:1\", \"runs\": \"balanced\", \"tried\": [\"balanced\"], \
             \"timed_regions_until_decided\": 11, \"decisions\": 2, \"ratio_low\": 0.5510, \"ratio_high\": 0.5830},\
             \n  {\"loop\": \"c.c:4:1\", \"runs\": \"as compiled\"},\n  {\"loop\": \"d.c:5:1\", \"tried\": [\"balanced\"]},\
             \n  {\"loop\": \"e.c:6:1\", \"runs\": \"balanced\"}\n]}\n"
        );
    }
}
