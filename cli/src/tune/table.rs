//! What is printed: predictions, then what was measured of them, and whether the loops' ratios and the program's agree. Loops are
//! measured in recorded runs, the program by itself: where recording changes a loop's time, its ratio is not what users get.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use ompchunk_figures::{Interval, Verdict, counted, percent, time};
use serde_json::{Value, json};

use super::measure::Measured;
use super::proposal::{Advised, Proposal};
use crate::repeat::no_loop;
use crate::table::printable;

pub fn predictions(advised: &Advised, run: Duration, command: &str) -> String {
    let took = time(run.as_secs_f64());
    if advised.proposals.is_empty() && advised.left.is_empty() {
        return no_loop(run, command, "there is no schedule to change");
    }
    let mut text =
        format!("predicted from a profile (a run of {took}), {}; nothing is measured yet:\n", Interval::<90>::legend());
    for proposal in &advised.proposals {
        let says = match (proposal.predicted, proposal.is_certain) {
            (None, _) => "of which nothing is predicted, so the whole program is measured".to_owned(),
            (Some(range), true) => format!("{range:.3} of its time; saves {} of the run", time(proposal.saves)),
            (Some(range), false) => {
                format!("{range:.3} of its time; not certain, may save {} of the run", time(proposal.saves))
            }
        };
        let Proposal { name, now, trial, reason, .. } = proposal;
        text += &format!("  {name}  {now} -> {}  {says}\n    {reason}\n", trial.schedule);
    }
    for (name, why) in &advised.left {
        text += &format!("  {name}  leave it\n    {why}\n");
    }
    if advised.proposals.is_empty() {
        text += if advised.is_any_judged {
            "nothing to gain by another schedule\n"
        } else {
            "no loop can be judged, so none is tried\n"
        };
    }
    text
}

pub fn so_far(round: usize, all: &[Measured]) -> String {
    let known = all.iter().filter(|measured| measured.verdict != Verdict::Unknown).count();
    let widest = all.iter().filter_map(|measured| measured.ratio).map(|ratio| ratio.spread()).fold(0.0, f64::max);
    format!(
        "loops in turns: {}, {known} of {} known, the widest interval is ±{}",
        counted(round as u64, "run"),
        all.len(),
        percent(widest)
    )
}

pub fn results(
    proposals: &[Proposal],
    measured: &[Measured],
    whole: Option<&Measured>,
    file: Option<&PathBuf>,
) -> String {
    let mut text = "measured, the schedules in turns:\n".to_owned();
    for (proposal, measured) in proposals.iter().zip(measured) {
        let predicted = match proposal.predicted {
            Some(predicted) => format!("predicted {predicted:.3}"),
            None => "of the whole program".to_owned(),
        };
        let Proposal { name, trial, .. } = proposal;
        text += &format!("  {name}  {}  {predicted}, {}\n", trial.schedule, found(measured, file.is_none()));
    }
    if let Some(whole) = whole {
        let before = time(whole.before.map_or(0.0, |before| before.middle));
        text += &format!("the whole program ({before} as compiled): {}\n", found(whole, file.is_none()));
        let changed = faster(proposals, measured).map(|(_, measured)| measured);
        text += &disagreed(changed, whole);
    }
    match file {
        Some(path) => {
            let path = path.display();
            text +=
                &format!("{path} has the faster schedules: use OMPCHUNK_SCHEDULE=@{path}, or write in the source\n");
            for (proposal, _) in faster(proposals, measured) {
                text += &format!("  {}  schedule({})\n", proposal.name, proposal.trial.schedule);
            }
        }
        None => text += "nothing was measured to be faster, so nothing was written\n",
    }
    text
}

pub fn balanced(measured: &Measured, command: &str) -> String {
    let before = measured.before.map_or_else(String::new, |before| format!(" ({} as compiled)", time(before.middle)));
    let mut text = format!("the whole program, balancing itself{before}: {}\n", found(measured, true));
    if measured.is_faster() {
        text += &format!("  ompchunk run --balance {command}\n");
    }
    text
}

/// What is closer than this is no disagreement.
const CLOSE: f64 = 0.02;

/// What the loops that changed predict for the whole program, where that lies outside what was measured of it.
fn disagreement<'a>(loops: impl Iterator<Item = &'a Measured>, whole: &Measured) -> Option<Interval> {
    let (measured, before) = (whole.ratio?, whole.before?);
    let mut predicted: Interval = Interval::exactly(1.0);
    for measured in loops {
        // `None`: it is not known how much of a run it takes.
        let (of_run, ratio) = (measured.of_run?, measured.ratio?);
        predicted.low -= of_run / before.low * (1.0 - ratio.low);
        predicted.middle -= of_run / before.middle * (1.0 - ratio.middle);
        predicted.high -= of_run / before.high * (1.0 - ratio.high);
    }
    // More cannot be saved than there is.
    let predicted = predicted.map(|ratio| ratio.max(0.0));
    let apart = (predicted.low - measured.high).max(measured.low - predicted.high);
    (apart > CLOSE).then_some(predicted)
}

pub fn disagreed<'a>(loops: impl Iterator<Item = &'a Measured>, whole: &Measured) -> String {
    disagreement(loops, whole).map_or_else(String::new, |predicted| {
        format!(
            "loops and program do not agree: by what was measured of the loops, the program would take {predicted:.3} of its time; believe what was \
             measured of the program\n"
        )
    })
}

pub fn faster<'a>(
    proposals: &'a [Proposal],
    measured: &'a [Measured],
) -> impl Iterator<Item = (&'a Proposal, &'a Measured)> {
    proposals.iter().zip(measured).filter(|(_, measured)| measured.is_faster())
}

/// What is kept of it: entries for `OMPCHUNK_SCHEDULE`, each with a remark.
pub fn entries(proposals: &[Proposal], measured: &[Measured]) -> Vec<(String, String)> {
    let all = faster(proposals, measured).flat_map(|(proposal, measured)| {
        let remark = measured.ratio.map_or_else(String::new, |ratio| format!("{ratio:.3} of the time, measured"));
        proposal.trial.entries().into_iter().map(move |entry| (entry, remark.clone()))
    });
    all.collect()
}

pub fn varies(found: &str) -> String {
    format!(
        "the program's output cannot be compared: two runs as compiled differ ({found}), as they do if it prints times or adds up \
         sums in a different order each time. So nothing checks whether another schedule breaks the program; --check CMD names a \
         command that verifies a run"
    )
}

pub fn uncut(names: &[String]) -> String {
    format!(
        "not tried: what is proposed for {} cuts chunks of the source, or is of loops that were compiled without the plugin, and no \
         output tells whether the program is right then; --check CMD names a command that verifies a run",
        printable(&names.join(", "))
    )
}

/// Fewer executions say little of how much equal ones differ.
const FEW: usize = 32;

/// Where nothing was found yet, more time may find it.
pub fn found(measured: &Measured, is_in_vain: bool) -> String {
    if measured.alarm.is_some() {
        return "NOT RECOMMENDED: the program does something else under it".to_owned();
    }
    let longer = if is_in_vain { " (a longer --time?)" } else { "" };
    let Some(ratio) = &measured.ratio else {
        let [source, other] = measured.executions;
        return format!(
            "not measured: {} as it is and {other} under the other schedule are too few{longer}",
            counted(source as u64, "execution")
        );
    };
    let says = match measured.verdict {
        Verdict::Faster => measured.alone.map_or_else(|| "faster".to_owned(), alone),
        Verdict::Slower => "slower".to_owned(),
        Verdict::Same => "no difference".to_owned(),
        Verdict::Unknown => {
            let few = if measured.executions.iter().sum::<usize>() < FEW {
                ", as far as so few show"
            } else {
                " on this machine now"
            };
            format!("not known: equal executions differ by ±{}{few}{longer}", percent(measured.noise))
        }
    };
    // The loop's time, so that it can be set against the program's.
    let of_run = measured.of_run.map_or_else(String::new, |seconds| format!(" of {} in a run", time(seconds)));
    format!("measured {ratio:.3}{of_run}: {says}")
}

fn alone(team: u32) -> String {
    format!(
        "NOT RECOMMENDED: one thread of {team} runs all of it then and is faster alone, so its threads wait for each other in its body, \
         or it is too short for a team; no schedule changes that (ompchunk record --sample-stacks and report name what they wait for)"
    )
}

pub fn json(
    advised: &Advised,
    measured: &[Measured],
    whole: Option<&Measured>,
    balance: Option<&Measured>,
) -> Result<String> {
    let mut all = advised.json.clone();
    for (proposal, measured) in advised.proposals.iter().zip(measured) {
        for number in &proposal.at {
            if let Some(Value::Object(entry)) = all["loops"].get_mut(*number) {
                entry.extend(fields(measured));
            }
        }
    }
    for (name, measured) in [("run", whole), ("balance", balance)] {
        if let Some(measured) = measured {
            all[name] = Value::Object(fields(measured).into_iter().collect());
        }
    }
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

pub fn fields(measured: &Measured) -> [(String, Value); 6] {
    let after = measured.before.zip(measured.ratio).map(|(before, ratio)| ratio.times(before.middle));
    let against = measured.alone.filter(|_| measured.verdict == Verdict::Faster).map(alone);
    let alarm = measured.alarm.clone().or(against);
    [
        ("before_seconds".into(), json!(measured.before)),
        ("measured_seconds".into(), json!(after)),
        ("measured_ratio".into(), json!(measured.ratio)),
        ("noise".into(), json!(measured.ratio.map(|_| measured.noise))),
        ("verdict".into(), json!(alarm.is_none().then_some(measured.verdict))),
        ("alarm".into(), json!(alarm)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_that_do_not_agree_with_the_program_are_told_in_a_line() {
        let of = |low, middle, high| Measured {
            ratio: Some(Interval { low, middle, high }),
            before: Some(Interval { low: 0.26, middle: 0.26, high: 0.26 }),
            of_run: Some(0.21),
            ..crate::tune::measure::compared(&[], &[])
        };
        let whole = of(0.380, 0.386, 0.390);
        let text = disagreed([&of(0.085, 0.088, 0.090)].into_iter(), &whole);
        assert!(text.starts_with("loops and program do not agree"), "{text}");
        assert!(text.contains("0.263 [0.261, 0.265]"), "{text}");
        assert_eq!(disagreed([&of(0.22, 0.24, 0.25)].into_iter(), &whole), "");
    }

    /// Each of the loop's chunks took the recorder longer than the chunk itself: of a loop that is said to take 0.77 s of a run, the program
    /// itself knows that it takes 0.21 s.
    #[test]
    fn a_loop_that_recording_slows_down_is_told() {
        let ratio = |low, middle, high| Some(Interval { low, middle, high });
        let found = |of_run, of_loop, of_program| {
            let of_loop = Measured { of_run, ratio: of_loop, ..crate::tune::measure::compared(&[], &[]) };
            let whole = Measured { before: ratio(0.26, 0.26, 0.26), ratio: of_program, ..of_loop.clone() };
            disagreement([&of_loop].into_iter(), &whole).map(|predicted| predicted.middle)
        };
        let program = ratio(0.380, 0.386, 0.390);
        let wrong = ratio(0.085, 0.088, 0.090);
        assert_eq!(found(Some(0.77), wrong, program), Some(0.0));
        assert_eq!(found(None, wrong, program), None);
        assert_eq!(found(Some(0.77), None, program), None);
        assert_eq!(found(Some(0.77), wrong, None), None);
        // Close to it.
        assert_eq!(found(Some(0.21), ratio(0.20, 0.21, 0.22), program), None);
    }

    #[test]
    fn only_what_is_faster_is_proposed() {
        let interval = |middle: f64| Some(Interval { low: middle - 0.01, middle, high: middle + 0.01 });
        let of = |verdict, ratio, alarm: Option<&str>| {
            let none = crate::tune::measure::compared(&[], &[]);
            let (alarm, ratio, before) = (alarm.map(str::to_owned), interval(ratio), interval(1.5));
            let measured = Measured { alarm, ratio, noise: 0.01, before, executions: [4, 4], verdict, ..none };
            balanced(&measured, "./app 3")
        };
        assert_eq!(
            of(Verdict::Faster, 0.7, None),
            "the whole program, balancing itself (1.50 s as compiled): measured 0.700 [0.690, 0.710]: faster\n  \
             ompchunk run --balance ./app 3\n"
        );
        for (verdict, ratio, alarm) in [
            (Verdict::Slower, 1.2, None),
            (Verdict::Same, 1.0, None),
            (Verdict::Unknown, 0.98, None),
            (Verdict::Faster, 0.7, Some("odd")),
        ] {
            let text = of(verdict, ratio, alarm);
            assert_eq!((text.lines().count(), text.contains("--balance")), (1, false), "{text}");
        }
    }

    /// More time is asked for only where nothing came of the time that there was.
    #[test]
    fn a_longer_time_is_no_advice_after_success() {
        let few = Measured { executions: [1, 0], ..crate::tune::measure::compared(&[], &[]) };
        let said = found(&few, true);
        assert!(said.contains("1 execution as it is and 0 under"), "{said}");
        assert!(said.ends_with("too few (a longer --time?)"), "{said}");
        let undecided = Measured { ratio: Some(Interval { low: 0.9, middle: 1.0, high: 1.1 }), ..few.clone() };
        assert!(found(&undecided, true).ends_with("(a longer --time?)"));
        let path = PathBuf::from("schedules.txt");
        let alone = Measured { alone: Some(2), verdict: Verdict::Faster, ..undecided.clone() };
        assert!(!alone.is_faster() && fields(&alone)[4].1.is_null());
        let against = "NOT RECOMMENDED: one thread of 2 runs all of it";
        assert!(found(&alone, true).contains(against) && fields(&alone)[5].1.as_str().unwrap().starts_with(against));
        for measured in [few, undecided] {
            let text = results(&[], &[], Some(&measured), Some(&path));
            assert!(!text.contains("--time"), "{text}");
        }
    }
}
