//! `--gate`: are the schedules of a file still what they were kept for? They are measured, and the exit code answers.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use ompchunk_figures::{Interval, Verdict, counted, percent, time};
use ompchunk_trace_format::parts_in;
use serde_json::{Map, Value, json};

use super::listed::{Listed, listed, read, seen};
use super::measure::{self, Limit, Measured, OF_LOOPS};
use super::runs::{Checked, Recorded, Trial};
use super::table;
use crate::args::Tune;
use crate::condition::{Answer, Shortfall, code, print_answers};
use crate::output;
use crate::repeat::progress;
use crate::table::printable;

struct Outcome {
    file: String,
    listed: Listed,
    /// What was measured, by trial.
    measured: Vec<Measured>,
    /// The program under the whole file. `None`: a loop's schedule was odd before.
    whole: Option<Measured>,
}

/// Closer to the time as compiled than this is no difference.
const EQUAL: f64 = 0.02;

pub fn run(tune: &Tune, file: &Path) -> Result<ExitCode> {
    let table = read(file)?;
    // Wherever the program goes before it reads it.
    let path = std::path::absolute(file).context("cannot tell where the file is")?;
    let directory = tempfile::tempdir().context("cannot make a directory for traces")?;
    let bar = progress();
    let mut runs = Checked::new(&tune.program, tune.check.as_deref())?;
    bar.set_message("as compiled");
    let trace = directory.path().join("loops");
    runs.plain(Recorded::Executions(&trace))?;
    if parts_in(&trace).unwrap_or_default().is_empty() {
        return Err(runs.runs.nothing().into());
    }
    let listed = listed(&table, &seen(&trace)?);
    runs.plain(Recorded::Not)?;
    let begin = Instant::now();
    let all = Duration::from_secs_f64(tune.seconds);
    let of_loops = all.mul_f64(OF_LOOPS);
    // The whole program decides as well, so its time is kept for it in any case.
    let limit = Limit { all: of_loops, of_loops };
    let measured = measure::loops(&mut runs, &listed.trials, directory.path(), limit, |round, all| {
        bar.set_message(table::so_far(round, all));
    })?;
    let rest = all.saturating_sub(begin.elapsed());
    // Under the whole file, which has what cannot be measured in turns as well.
    let mut whole = None;
    if measured.iter().all(|one| one.alarm.is_none()) {
        let (schedules, name) = (format!("@{}", path.display()), printable(&path.to_string_lossy()));
        whole = Some(measure::alone(&mut runs, &schedules, &name, rest, |pairs| {
            bar.set_message(format!("the whole program, {} of runs", counted(pairs as u64, "pair")));
        })?);
    }
    bar.finish_and_clear();
    if let Some(found) = runs.varies() {
        output::notice(&table::varies(found));
    }
    let outcome = Outcome { file: printable(&file.to_string_lossy()), listed, measured, whole };
    let conditions = match &tune.fail_if[..] {
        [] => &[Shortfall::Slower(0.0)],
        given => given,
    };
    let answers = outcome.answers(conditions);
    output::print(&if tune.json { outcome.json(code(&answers))? } else { outcome.text() })?;
    print_answers(&answers);
    Ok(ExitCode::from(code(&answers)))
}

impl Outcome {
    fn answers(&self, conditions: &[Shortfall]) -> Vec<Answer> {
        let idle = |(entry, why): &(String, String)| Answer::CannotBeTold(format!("{}: {why}", printable(entry)));
        let mut answers: Vec<Answer> = self.listed.idle.iter().map(idle).collect();
        let loops = self.listed.trials.iter().map(name).zip(&self.measured);
        let whole = self.whole.iter().map(|whole| ("the whole program".to_owned(), whole));
        for (name, measured) in loops.chain(whole) {
            match &measured.alarm {
                Some(alarm) => answers.push(Answer::Holds(alarm.clone())),
                None => answers.extend(conditions.iter().filter_map(|asked| judged(&name, measured, *asked))),
            }
        }
        answers
    }

    fn text(&self) -> String {
        let mut text = format!("the schedules of {}, measured in turns, {}:\n", self.file, Interval::<90>::legend());
        for (trial, measured) in self.listed.trials.iter().zip(&self.measured) {
            let found = table::found(measured, true);
            text += &format!("  {}  {}  {found}\n", name(trial), trial.schedule);
        }
        for entry in &self.listed.whole_only {
            let entry = printable(entry);
            text += &format!("  {entry}  takes turns itself: measured with the whole program\n");
        }
        for (entry, why) in &self.listed.idle {
            text += &format!("  {}  changes nothing: {why}\n", printable(entry));
        }
        text += &match &self.whole {
            Some(whole) => {
                let before = time(whole.before.map_or(0.0, |before| before.middle));
                let found = table::found(whole, true);
                let told = if self.listed.whole_only.is_empty() {
                    table::disagreed(self.measured.iter(), whole)
                } else {
                    String::new()
                };
                format!("the whole program ({before} as compiled): {found}\n{told}")
            }
            None => "the whole program was not measured\n".to_owned(),
        };
        text
    }

    fn json(&self, code: u8) -> Result<String> {
        let fields = |measured: &Measured| Map::from_iter(table::fields(measured));
        let loops = self.listed.trials.iter().zip(&self.measured);
        let loops = loops.map(|(trial, measured)| {
            let mut all = fields(measured);
            all.insert("loops".into(), json!(trial.loops));
            all.insert("schedule".into(), json!(trial.schedule));
            Value::Object(all)
        });
        let idle = self.listed.idle.iter();
        let all = json!({
            "schema": "ompchunk-gate",
            "version": 1,
            "file": self.file,
            "loops": loops.collect::<Vec<_>>(),
            "whole_only": self.listed.whole_only,
            "idle": idle.map(|(entry, why)| json!({"entry": entry, "reason": why})).collect::<Vec<_>>(),
            "run": self.whole.as_ref().map(fields),
            "exit_code": code,
        });
        Ok(serde_json::to_string_pretty(&all)? + "\n")
    }
}

fn name(trial: &Trial) -> String {
    let short = trial.loops.iter().map(|the_loop| printable(the_loop.rsplit('/').next().unwrap_or_default()));
    short.collect::<Vec<_>>().join(", ")
}

/// `None`: the condition does not hold.
fn judged(name: &str, measured: &Measured, asked: Shortfall) -> Option<Answer> {
    let Some(ratio) = measured.ratio else {
        return Some(Answer::CannotBeTold(format!("{name} has too few executions under one of the schedules")));
    };
    let takes = format!("{name} takes {ratio:.3} of its time as compiled");
    let holds = || Some(Answer::Holds(takes.clone()));
    let unknown = || {
        Some(Answer::CannotBeTold(format!("{takes}, and equal executions differ by \u{b1}{}", percent(measured.noise))))
    };
    match (asked, measured.verdict) {
        (Shortfall::Slower(limit), Verdict::Slower) if ratio.low > 1.0 + limit => holds(),
        (Shortfall::Slower(_), Verdict::Slower) => None,
        (Shortfall::Slower(limit), Verdict::Unknown) if ratio.high > 1.0 + limit.max(EQUAL) => unknown(),
        (Shortfall::NotFaster, Verdict::Slower | Verdict::Same) => holds(),
        (Shortfall::NotFaster, Verdict::Unknown) => unknown(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(low: f64, high: f64, verdict: Verdict, asked: Shortfall) -> Option<u8> {
        let middle = (low + high) / 2.0;
        let measured = Measured {
            alarm: None,
            ratio: Some(Interval { low, middle, high }),
            noise: 0.01,
            before: None,
            of_run: None,
            executions: [40, 40],
            verdict,
            alone: None,
        };
        judged("a.c:3", &measured, asked).map(|answer| code(&[answer]))
    }

    #[test]
    fn what_is_not_known_is_no_pass() {
        let slower = Shortfall::Slower(0.0);
        assert_eq!(answer(0.5, 0.6, Verdict::Faster, slower), None);
        assert_eq!(answer(0.99, 1.01, Verdict::Same, slower), None);
        assert_eq!(answer(1.1, 1.2, Verdict::Slower, slower), Some(3));
        assert_eq!(answer(0.7, 1.2, Verdict::Unknown, slower), Some(4));
        // Not known to be faster, but certainly not slower.
        assert_eq!(answer(0.7, 1.01, Verdict::Unknown, slower), None);
        let by_much = Shortfall::Slower(0.15);
        assert_eq!(answer(1.1, 1.2, Verdict::Slower, by_much), None);
        assert_eq!(answer(0.9, 1.1, Verdict::Unknown, by_much), None);
        assert_eq!(answer(1.2, 1.3, Verdict::Slower, by_much), Some(3));
    }

    #[test]
    fn what_shall_be_faster() {
        let asked = Shortfall::NotFaster;
        assert_eq!(answer(0.5, 0.6, Verdict::Faster, asked), None);
        assert_eq!(answer(0.99, 1.01, Verdict::Same, asked), Some(3));
        assert_eq!(answer(1.1, 1.2, Verdict::Slower, asked), Some(3));
        assert_eq!(answer(0.7, 1.01, Verdict::Unknown, asked), Some(4));
    }
}
