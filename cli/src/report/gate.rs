//! `--fail-if`: which conditions hold in a report, or in a comparison.

use std::process::ExitCode;

use ompchunk_analysis::{Diff, Pair, Report, Verdict};

use super::units::{number, percent};
use super::verdict::Loss;
use crate::condition::{Answer, Condition, code, print_answers};

pub fn judge(conditions: &[Condition], report: &Report, diff: Option<&Diff<'_>>) -> ExitCode {
    let mut answers = Vec::new();
    for condition in conditions {
        match (condition, diff) {
            (Condition::Lost(limit), _) => answers.extend(lost(report, *limit)),
            (Condition::Slower(limit), Some(diff)) => {
                answers.extend(diff.loops.iter().filter_map(|pair| slower(pair, *limit)));
            }
            // An error of the command line (`lacks_diff`).
            (Condition::Slower(_), None) => {}
        }
    }
    print_answers(&answers);
    ExitCode::from(code(&answers))
}

fn slower(pair: &Pair<'_>, limit: f64) -> Option<Answer> {
    let Some(change) = pair.change else {
        let loop_report = pair.after.or(pair.before)?;
        let run = if pair.after.is_some() { "before" } else { "after" };
        return Some(Answer::CannotBeTold(format!("{} did not run {run} the change", loop_report.name)));
    };
    let name = &pair.after?.name;
    match (change.verdict, change.ratio()) {
        (Verdict::Slower, Some(ratio)) if ratio.low > 1.0 + limit => {
            Some(Answer::Holds(format!("{name} takes {} times as long as before", ratio.written(number))))
        }
        (Verdict::Unclear, _) => {
            Some(Answer::CannotBeTold(format!("whether {name} is slower is unclear; the comparison says why")))
        }
        _ => None,
    }
}

fn lost(report: &Report, limit: f64) -> Option<Answer> {
    let losses: Vec<Option<Loss>> = report.loops.iter().map(|the_loop| Loss::from_loop(report, the_loop)).collect();
    let shares = losses.iter().map(|loss| loss.and_then(|loss| loss.share));
    let known: f64 = shares.clone().flatten().sum();
    let is_least = losses.iter().flatten().any(|loss| loss.least);
    let limit_in_words = percent(limit);
    if known > limit {
        let least = if is_least { "at least " } else { "" };
        let known = percent(known);
        return Some(Answer::Holds(format!("loops lose {least}{known} of the run, more than {limit_in_words}")));
    }
    let unknown = shares.filter(Option::is_none).count();
    let why = match (report.loops.is_empty(), unknown, is_least) {
        (true, ..) => "no loop was recorded".to_owned(),
        (false, 0, false) => return None,
        (false, 0, true) => "loops lose what was not measured, as dealing their chunks".to_owned(),
        (false, 1, _) => "what one loop loses is not known".to_owned(),
        (false, count, _) => format!("what {count} loops lose is not known"),
    };
    Some(Answer::CannotBeTold(format!("{why}; what is known is {}, and the limit {limit_in_words}", percent(known))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_loops_nothing_is_known() {
        let answer = lost(&Report::default(), 0.5);
        assert!(matches!(answer, Some(Answer::CannotBeTold(_))), "{answer:?}");
    }
}
