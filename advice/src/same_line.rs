//! One source line that is compiled into several functions, as of a template: it has one clause, and `OMPCHUNK_SCHEDULE` means all of them.
//! So each is predicted by itself, and one schedule is chosen for what all of them take.

use ompchunk_analysis::{LoopReport, Promise};
use ompchunk_figures::Interval;

use crate::advise::{Known, No, Question, fill, is_worth, lasting_share, simulable, without};
use crate::choose::{Choice, GAIN, choose};
use crate::model::LoopAdvice;
use crate::predict::{Allowed, Candidate, Prediction, predict};
use crate::words;

/// Functions that take less of the line's time do not count where nothing is known of them.
const LITTLE: f64 = 0.05;

pub fn are_in_one_line(left: &LoopReport, right: &LoopReport) -> bool {
    let (left, right) = (&left.identity, &right.identity);
    left.file.is_some() && left.line.is_some() && (&left.file, left.line) == (&right.file, right.line)
}

/// Advises the loop or all loops of a line that may be dealt. `strict`: another loop of the line, which may not.
pub(crate) fn of_line(members: &[Known<'_>], strict: Option<&LoopReport>, question: &Question<'_>) -> Vec<LoopAdvice> {
    let mut advices: Vec<LoopAdvice> = members.iter().map(|(the_loop, profile)| without(the_loop, profile)).collect();
    let judged: Vec<_> = members.iter().map(|(_, profile)| simulable(profile, question)).collect();
    let seconds = |member: &Known<'_>| member.0.metrics.seconds;
    let total: f64 = members.iter().map(seconds).sum();
    let mut unknown =
        members.iter().zip(&judged).filter(|(member, judged)| judged.is_err() && seconds(member) > LITTLE * total);
    let why = match (strict, unknown.next()) {
        (Some(report), _) => {
            Some(format!("the same line has a loop that must keep its schedule in {}", function(report)))
        }
        (None, Some(((report, _), _))) => Some(format!(
            "one clause applies to all functions that the line is compiled into, and nothing is known about {}",
            function(report)
        )),
        (None, None) => None,
    };
    let is_last_read = members.iter().any(|(_, profile)| profile.facts.last_read);
    let allowed = if is_last_read { Allowed::DealtInOrder } else { Allowed::Dealt };
    let mut predicted: Vec<(usize, Prediction)> = Vec::new();
    for (number, judged) in judged.into_iter().enumerate() {
        match (judged, &why) {
            (Err(no), _) => no.fill_in(&mut advices[number]),
            (Ok((now, _)), Some(why)) => No::new(Some(now), why).fill_in(&mut advices[number]),
            (Ok((now, executions)), None) => {
                predicted.push((number, predict(&executions, now, allowed, question.threads, &question.costs)));
            }
        }
    }
    give(&mut advices, members, &predicted, question);
    advices
}

fn function(report: &LoopReport) -> &str {
    report.identity.function.as_deref().unwrap_or("another function")
}

fn give(advices: &mut [LoopAdvice], members: &[Known<'_>], predicted: &[(usize, Prediction)], question: &Question<'_>) {
    let weighted: Vec<(&Prediction, f64)> =
        predicted.iter().map(|(number, own)| (own, members[*number].0.metrics.seconds)).collect();
    let Some(of_all) = weighted_prediction(&weighted) else { return };
    let known = predicted.iter().map(|(number, _)| members[*number]);
    let share = known.map(|(the_loop, profile)| lasting_share(the_loop, profile)).sum();
    let waits = members.iter().all(|(_, profile)| !profile.facts.no_barrier);
    let chosen = waits.then(|| choose(&of_all, share));
    for (number, own) in predicted {
        let advice = &mut advices[*number];
        fill(advice, members[*number], question, own, chosen);
        if let Some(chosen) = chosen.filter(|_| members.len() > 1) {
            explain(advice, chosen, own, predicted.len());
        }
        if let Some(Choice::Uncertain(best)) = chosen {
            let name = best.schedule.to_string();
            let found = advice.candidates.iter().find(|candidate| candidate.schedule == name);
            advice.possible = found.filter(|_| is_worth(&best, share)).cloned();
        }
    }
}

/// What schedules make of all of them together: each counts as much as it takes.
fn weighted_prediction(weighted: &[(&Prediction, f64)]) -> Option<Prediction> {
    let (longest, _) = weighted.iter().max_by(|left, right| left.1.total_cmp(&right.1))?;
    let total: f64 = weighted.iter().map(|(_, weight)| weight.max(f64::MIN_POSITIVE)).sum();
    let mean = |candidate: &Candidate| {
        let mut ratio = Interval::default();
        for (prediction, weight) in weighted {
            let share = weight.max(f64::MIN_POSITIVE) / total;
            ratio = ratio.plus(prediction.ratio_of(candidate)?.times(share));
        }
        Some(Candidate { ratio, ..*candidate })
    };
    let same = weighted.iter().all(|(own, _)| own.now == longest.now);
    let candidates = longest.candidates.iter().filter(|_| same);
    Some(Prediction { candidates: candidates.filter_map(mean).collect(), ..Prediction::clone(longest) })
}

/// Explains that the choice is that of all functions on the line.
fn explain(advice: &mut LoopAdvice, chosen: Choice, own: &Prediction, functions: usize) {
    let line = format!("one clause applies to the {functions} functions that the line is compiled into");
    advice.reason = match chosen {
        Choice::Change(candidate) | Choice::NotWorth(candidate) | Choice::Uncertain(candidate) => {
            let of_all = candidate.ratio;
            let itself = own.ratio_of(&candidate).unwrap_or(of_all).middle;
            let is_certain = of_all.high <= 1.0 - GAIN;
            let why = match itself <= 1.0 - GAIN {
                true if is_certain => advice.reason.clone(),
                true => words::balance(own),
                false => format!("this one by itself {itself:.2}"),
            };
            let doubt = if is_certain { "" } else { ", which is not a certain gain" };
            let schedule = candidate.schedule;
            format!("{line}, and under {schedule} all together would take {of_all:.2} of their time{doubt}; {why}")
        }
        Choice::Best if choose(own, None) == Choice::Best => return,
        Choice::Best => format!("{line}, and what one of them would gain under another schedule, others would lose"),
    };
}

pub(crate) fn in_its_line(loops: &[Known<'_>], number: usize) -> Vec<usize> {
    let is_free = |member: &usize| {
        let (the_loop, _) = loops[*member];
        are_in_one_line(the_loop, loops[number].0) && the_loop.promise.may_be_dealt()
    };
    let dealt: Vec<usize> = (0..loops.len()).filter(is_free).collect();
    if dealt.is_empty() { vec![number] } else { dealt }
}

/// One that is in the same line and may not be dealt.
pub(crate) fn strict_in_its_line<'a>(loops: &[Known<'a>], number: usize) -> Option<&'a LoopReport> {
    let mut reports = loops.iter().map(|(the_loop, _)| *the_loop);
    reports.find(|report| {
        let is_strict = matches!(report.promise, Promise::Bound(_) | Promise::Group(_));
        is_strict && are_in_one_line(report, loops[number].0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Kind, Schedule};
    use ompchunk_analysis::profile::Profile;

    fn prediction(ratios: &[(u64, f64)]) -> Prediction {
        let candidate = |(chunk, ratio): &(u64, f64)| Candidate {
            schedule: Schedule::with_chunk(Kind::Dynamic, *chunk),
            ratio: Interval::exactly(*ratio),
        };
        Prediction {
            now: Schedule::STATIC,
            threads: 2,
            as_is: Interval::exactly(1.0),
            candidates: ratios.iter().map(candidate).collect(),
            balanced: None,
            follows_thread: None,
            late: 0.0,
            taken: 0.0,
            overhead: 0.0,
            executions: 1,
            typical: crate::work::Work::default(),
            team: 2,
            hidden: None,
        }
    }

    #[test]
    fn each_counts_as_much_as_it_takes() {
        let long = prediction(&[(1, 0.8), (4, 0.5), (64, 0.4)]);
        let short = prediction(&[(1, 0.4), (4, 1.5)]);
        let both = weighted_prediction(&[(&long, 3.0), (&short, 1.0)]).unwrap();
        let ratios: Vec<f64> = both.candidates.iter().map(|candidate| candidate.ratio.middle).collect();
        assert_eq!(ratios.len(), 2);
        assert!((ratios[0] - 0.7).abs() < 1e-9 && (ratios[1] - 0.75).abs() < 1e-9);
        assert!(weighted_prediction(&[]).is_none());
    }

    #[test]
    fn a_loop_that_is_best_as_it_is_keeps_its_own_reason() {
        for (ratio, keeps) in [(1.1, true), (0.5, false)] {
            let mut advice = LoopAdvice { reason: "its own".to_owned(), ..LoopAdvice::default() };
            explain(&mut advice, Choice::Best, &prediction(&[(1, ratio)]), 2);
            assert_eq!(advice.reason == "its own", keeps);
        }
    }

    #[test]
    fn what_may_not_be_dealt_is_apart_from_its_line() {
        let at = |line: u32, promise: Promise| {
            let mut report = LoopReport { promise, ..LoopReport::default() };
            (report.identity.file, report.identity.line) = (Some("a.c".into()), Some(line));
            report
        };
        let reports = [at(3, Promise::Free), at(3, Promise::Bound("")), at(4, Promise::Bound(""))];
        let profile = Profile::default();
        let loops: Vec<Known<'_>> = reports.iter().map(|report| (report, &profile)).collect();
        let dealt: Vec<_> = (0..3).map(|number| in_its_line(&loops, number)).collect();
        assert_eq!(dealt, [vec![0], vec![0], vec![2]]);
    }
}
