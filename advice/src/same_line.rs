//! One source line that is compiled into several functions, as of a template: it has one clause, and `OMPCHUNK_SCHEDULE` means all of them.
//! So each is predicted by itself, and one schedule is chosen for what all of them take.

use ompchunk_analysis::profile::Profile;
use ompchunk_analysis::{LoopReport, Promise};

use crate::advise::{No, Question, fill, lasting_share, simulable, without};
use crate::choose::{Choice, GAIN, WORTH, choose, gain_of_run};
use crate::interval::Interval;
use crate::model::LoopAdvice;
use crate::predict::{Candidate, May, Prediction, predict};
use crate::words;

/// A loop, and what its iterations cost.
type Known<'a> = (&'a LoopReport, &'a Profile);

/// Functions that take less of the line's time do not count where nothing is known of them.
const LITTLE: f64 = 0.05;

/// Are both in the same line?
#[must_use]
pub fn are_in_one_line(one: &LoopReport, other: &LoopReport) -> bool {
    let (one, other) = (&one.identity, &other.identity);
    let is_known = one.file.is_some() && one.line.is_some();
    is_known && one.line == other.line && one.file == other.file
}

/// Of all that may be dealt in a line. `strict`: another loop of the line, which may not.
pub(crate) fn of_line(
    members: &[Known<'_>],
    strict: Option<&LoopReport>,
    question: &Question<'_>,
) -> Vec<LoopAdvice> {
    let mut all: Vec<LoopAdvice> = members.iter().map(|it| without(it.0, it.1)).collect();
    let judged: Vec<_> = members.iter().map(|it| simulable(it.1, question)).collect();
    let seconds = |it: &Known<'_>| it.0.metrics.seconds;
    let total: f64 = members.iter().map(seconds).sum();
    let unknown = members.iter().zip(&judged);
    let unknown = unknown.filter(|(it, judged)| judged.is_err() && seconds(it) > LITTLE * total);
    let why = strict.map(|it| {
        let why = "the same line is a loop that must keep its schedule in";
        format!("{why} {}", function(it))
    });
    let why = why.or_else(|| {
        let (it, _) = unknown.into_iter().next()?;
        let why = "one clause is for all functions that the line is compiled into, and nothing can be said of";
        Some(format!("{why} {}", function(it.0)))
    });
    let may = match members.iter().any(|it| it.1.facts.last_read) {
        true => May::BeDealtInOrder,
        false => May::BeDealt,
    };
    let mut predicted: Vec<(usize, Prediction)> = Vec::new();
    for (number, judged) in judged.into_iter().enumerate() {
        match (judged, &why) {
            (Err(no), _) => no.says(&mut all[number]),
            (Ok((now, _)), Some(why)) => No {
                now: Some(now),
                reason: why.clone(),
                profile: false,
            }
            .says(&mut all[number]),
            (Ok((now, executions)), None) => {
                let threads = question.threads;
                predicted.push((
                    number,
                    predict(&executions, now, may, threads, &question.costs),
                ));
            }
        }
    }
    say(&mut all, members, &predicted, question);
    all
}

fn function(it: &LoopReport) -> &str {
    let name = it.identity.function.as_deref();
    name.unwrap_or("another function")
}

/// One schedule for those that were predicted.
fn say(
    all: &mut [LoopAdvice],
    members: &[Known<'_>],
    predicted: &[(usize, Prediction)],
    question: &Question<'_>,
) {
    let weights = predicted.iter().map(|it| members[it.0].0.metrics.seconds);
    let weighted: Vec<_> = predicted.iter().map(|it| &it.1).zip(weights).collect();
    let Some(together) = together(&weighted) else {
        return;
    };
    let shares = predicted.iter().map(|it| members[it.0]);
    let share = shares.map(|it| lasting_share(it.0, it.1)).sum();
    let waits = members.iter().all(|it| !it.1.facts.no_barrier);
    let chosen = waits.then(|| choose(&together, share));
    for (number, own) in predicted {
        let of_own = chosen.map(|it| its_own(it, own));
        let advice = &mut all[*number];
        fill(advice, members[*number], question, own, of_own);
        if let Some(chosen) = chosen {
            explain(advice, chosen, own, predicted.len());
        }
        if let Some(Choice::Uncertain(best)) = chosen {
            let is_worth = gain_of_run(best.ratio, share.unwrap_or(1.0)).middle >= WORTH;
            let name = best.schedule.to_string();
            let found = advice.candidates.iter().find(|it| it.schedule == name);
            advice.possible = found.filter(|_| is_worth).cloned();
        }
    }
}

/// What schedules make of all of them together: each counts as much as it takes.
fn together(all: &[(&Prediction, f64)]) -> Option<Prediction> {
    let (longest, _) = all.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let total: f64 = all.iter().map(|it| it.1.max(f64::MIN_POSITIVE)).sum();
    let mean = |candidate: &Candidate| {
        let mut ratio = Interval::default();
        for (it, weight) in all {
            let own = ratio_of(it, candidate)?;
            let share = weight.max(f64::MIN_POSITIVE) / total;
            ratio = Interval {
                low: ratio.low + own.low * share,
                middle: ratio.middle + own.middle * share,
                high: ratio.high + own.high * share,
            };
        }
        Some(Candidate {
            ratio,
            ..*candidate
        })
    };
    let same = all.iter().all(|it| it.0.now == longest.now);
    let candidates = longest.candidates.iter().filter(|_| same);
    Some(Prediction {
        candidates: candidates.filter_map(mean).collect(),
        ..Prediction::clone(longest)
    })
}

fn ratio_of(it: &Prediction, candidate: &Candidate) -> Option<Interval> {
    let mut all = it.candidates.iter();
    let own = all.find(|one| one.schedule == candidate.schedule)?;
    Some(own.ratio)
}

/// The same for one of them.
fn its_own(chosen: Choice, own: &Prediction) -> Choice {
    let of = |it: Candidate| Candidate {
        ratio: ratio_of(own, &it).unwrap_or(it.ratio),
        ..it
    };
    match chosen {
        Choice::Change(it) => Choice::Change(of(it)),
        Choice::NotWorth(it) => Choice::NotWorth(of(it)),
        Choice::Uncertain(it) => Choice::Uncertain(of(it)),
        Choice::Best => Choice::Best,
    }
}

/// That the choice is that of all.
fn explain(advice: &mut LoopAdvice, chosen: Choice, own: &Prediction, functions: usize) {
    let line =
        format!("one clause is for the {functions} functions that the line is compiled into");
    advice.reason = match chosen {
        Choice::Change(it) | Choice::NotWorth(it) | Choice::Uncertain(it) => {
            let all = it.ratio;
            let itself = ratio_of(own, &it).unwrap_or(all).middle;
            let is_certain = all.high <= 1.0 - GAIN;
            let why = match itself <= 1.0 - GAIN {
                true if is_certain => advice.reason.clone(),
                true => words::balance(own),
                false => format!("this one by itself {itself:.2}"),
            };
            format!(
                "{line}, and under {} all together would take {:.2} of their time ({:.2} to {:.2}){}; {why}",
                it.schedule,
                all.middle,
                all.low,
                all.high,
                match is_certain {
                    true => "",
                    false => ", which is no certain gain",
                }
            )
        }
        Choice::Best if choose(own, None) == Choice::Best => return,
        Choice::Best => format!(
            "{line}, and what one of them would gain under another schedule, others would lose"
        ),
    };
}

/// Which of these are dealt together with the loop at `number`.
pub(crate) fn in_its_line(loops: &[Known<'_>], number: usize) -> Vec<usize> {
    let line = (0..loops.len()).filter(|it| are_in_one_line(loops[*it].0, loops[number].0));
    let free = line.filter(|it| loops[*it].0.promise.may_be_dealt());
    let mut all: Vec<usize> = free.collect();
    if all.is_empty() {
        all.push(number);
    }
    all
}

/// One that is in the same line and may not be dealt.
pub(crate) fn strict<'a>(loops: &[Known<'a>], number: usize) -> Option<&'a LoopReport> {
    let is_strict = |it: &&Known<'_>| {
        let promise = &it.0.promise;
        matches!(promise, Promise::Bound(_) | Promise::Group(_))
            && are_in_one_line(it.0, loops[number].0)
    };
    loops.iter().find(is_strict).map(|it| it.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Kind, Schedule};

    fn prediction(ratios: &[(u64, f64)]) -> Prediction {
        let candidate = |(chunk, ratio): &(u64, f64)| Candidate {
            schedule: Schedule::of(Kind::Dynamic, *chunk),
            ratio: Interval::exactly(*ratio),
        };
        Prediction {
            now: Schedule::STATIC,
            threads: 2,
            as_is: Interval::exactly(1.0),
            candidates: ratios.iter().map(candidate).collect(),
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
        let all = together(&[(&long, 3.0), (&short, 1.0)]).unwrap();
        let ratios: Vec<f64> = all.candidates.iter().map(|it| it.ratio.middle).collect();
        assert_eq!(ratios.len(), 2);
        assert!((ratios[0] - 0.7).abs() < 1e-9 && (ratios[1] - 0.75).abs() < 1e-9);
        assert!(together(&[]).is_none());
    }
}
