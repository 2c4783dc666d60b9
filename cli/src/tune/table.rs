//! What is printed: predictions, then what was measured of them.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use ompchunk_trial::{Interval, Verdict};
use serde_json::{Value, json};

use super::measure::Measured;
use super::proposal::{Advised, Proposal};

/// Before anything was measured.
pub fn predictions(advised: &Advised, run: Duration) -> String {
    let mut text = format!(
        "predicted from a profile (a run of {:.3} s); nothing is measured yet:\n",
        run.as_secs_f64()
    );
    for it in &advised.proposals {
        text += &format!(
            "  {}  {} -> {}  {} of its time; {} {:.3} s of the run\n    {}\n",
            it.name,
            it.now,
            it.trial.schedule,
            interval(&it.predicted),
            match it.is_certain {
                true => "saves",
                false => "not certain, may save",
            },
            it.saves,
            it.reason
        );
    }
    for (name, why) in &advised.left {
        text += &format!("  {name}  leave it\n    {why}\n");
    }
    if advised.proposals.is_empty() {
        text += match advised.left.is_empty() {
            true => "  no loop ran of which anything is known\n",
            false => "nothing to gain by another schedule\n",
        };
    }
    text
}

/// While it is measured.
pub fn so_far(round: usize, all: &[Measured]) -> String {
    let known = all
        .iter()
        .filter(|it| it.verdict != Verdict::Unknown)
        .count();
    let widest = all
        .iter()
        .filter_map(|it| it.ratio)
        .map(|it| it.half_width());
    let widest = widest.fold(0.0, f64::max);
    format!(
        "loops in turns: {round} runs, {known} of {} known, the widest interval is ±{:.1} %",
        all.len(),
        widest * 100.0
    )
}

/// Of one loop, in a few words.
pub fn remark(measured: &Measured) -> String {
    measured.ratio.map_or_else(String::new, |it| {
        format!("{} of the time, measured", interval(&it))
    })
}

/// What was measured.
pub fn results(
    proposals: &[Proposal],
    measured: &[Measured],
    whole: Option<&Measured>,
    file: Option<&PathBuf>,
) -> String {
    let mut text = "measured, the schedules in turns:\n".to_owned();
    for (it, measured) in proposals.iter().zip(measured) {
        text += &format!(
            "  {}  {}  predicted {}, {}\n",
            it.name,
            it.trial.schedule,
            interval(&it.predicted),
            found(measured)
        );
    }
    if let Some(whole) = whole {
        let before = whole.before.map_or(0.0, |it| it.middle);
        text += &format!(
            "the whole program, {before:.3} s as it is: {}\n",
            found(whole)
        );
    }
    match file {
        Some(path) => {
            let path = path.display();
            text += &format!(
                "{path} has what is faster: OMPCHUNK_SCHEDULE=@{path}, or in the source\n"
            );
            for (it, _) in faster(proposals, measured) {
                text += &format!("  {}  schedule({})\n", it.name, it.trial.schedule);
            }
        }
        None => text += "nothing was measured to be faster, so nothing was written\n",
    }
    text
}

/// Those that were measured to be faster.
pub fn faster<'a>(
    proposals: &'a [Proposal],
    measured: &'a [Measured],
) -> impl Iterator<Item = (&'a Proposal, &'a Measured)> {
    let both = proposals.iter().zip(measured);
    both.filter(|(_, it)| it.verdict == Verdict::Faster)
}

/// Fewer executions say little of how much equal ones differ.
const FEW: usize = 32;

fn found(measured: &Measured) -> String {
    let Some(ratio) = &measured.ratio else {
        let [source, other] = measured.executions;
        return format!(
            "not measured: {source} executions as it is and {other} under the other schedule are too few (a longer --time?)"
        );
    };
    let says = match measured.verdict {
        Verdict::Faster => "faster".to_owned(),
        Verdict::Slower => "slower".to_owned(),
        Verdict::Same => "no difference".to_owned(),
        Verdict::Unknown => {
            let few = match measured.executions.iter().sum::<usize>() < FEW {
                true => ", as far as so few tell (a longer --time?)",
                false => " on this machine now",
            };
            format!(
                "not known: equal executions differ by ±{:.1} %{few}",
                measured.noise * 100.0
            )
        }
    };
    format!("measured {}: {says}", interval(ratio))
}

fn interval(it: &Interval) -> String {
    format!("{:.3} [{:.3}, {:.3}]", it.middle, it.low, it.high)
}

/// The advice's JSON, and in its loops what was measured.
pub fn json(advised: &Advised, measured: &[Measured], whole: Option<&Measured>) -> Result<String> {
    let mut all = advised.json.clone();
    for (proposal, measured) in advised.proposals.iter().zip(measured) {
        let Some(Value::Object(entry)) = all["loops"].get_mut(proposal.at) else {
            continue;
        };
        entry.extend(fields(measured));
    }
    if let Some(whole) = whole {
        all["run"] = Value::Object(fields(whole).into_iter().collect());
    }
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

fn fields(measured: &Measured) -> [(String, Value); 5] {
    let after = match (measured.before, measured.ratio) {
        (Some(before), Some(ratio)) => Some(ratio.times(before.middle)),
        _ => None,
    };
    [
        ("before_seconds".into(), json!(measured.before)),
        ("measured_seconds".into(), json!(after)),
        ("measured_ratio".into(), json!(measured.ratio)),
        (
            "noise".into(),
            json!(measured.ratio.map(|_| measured.noise)),
        ),
        ("verdict".into(), json!(measured.verdict)),
    ]
}
