//! Curves from numbers that are made by hand.

use super::*;
use crate::scale::verdict::{Answer, Cause, verdict};

const PROCESSORS: u32 = 8;

/// A run in which each thread's useful time is known, and nothing was taken from it.
fn measured(asked: u32, round: usize, seconds: f64, threads: &[f64]) -> Measured {
    let team = threads.len() as u32;
    let work: f64 = threads.iter().sum();
    Measured {
        asked,
        round,
        sample: Sample {
            team,
            seconds,
            average: work / f64::from(team),
            busiest: threads.iter().copied().fold(0.0, f64::max),
            work,
            thread_seconds: seconds * f64::from(team),
            taken: Some(0.0),
            amount: Amount::Iterations(1000),
        },
    }
}

/// Rounds with one thread of 10 s, and with a team; each round a little slower than the one before.
fn rounds(seconds: f64, threads: &[f64]) -> Vec<Measured> {
    let all = (0..5).flat_map(|round| {
        let slower = 1.0 + 0.1 * round as f64;
        let threads: Vec<f64> = threads.iter().map(|thread| thread * slower).collect();
        [
            measured(1, round, 10.0 * slower, &[10.0 * slower]),
            measured(threads.len() as u32, round, seconds * slower, &threads),
        ]
    });
    all.collect()
}

fn middle(range: Option<Interval>) -> f64 {
    (range.unwrap().middle * 1000.0).round() / 1000.0
}

#[test]
fn work_and_waiting_are_told_apart() {
    // 10 s of work become 16 s on two threads, which work 10 and 6 s of 12.5.
    let all = rounds(12.5, &[10.0, 6.0]);
    let curve = curve(&all, PROCESSORS);
    let [one, two] = &curve.points[..] else { panic!("{curve:?}") };
    assert_eq!((one.threads, two.threads, two.rounds), (1, 2, 5));
    assert_eq!((middle(one.speedup), middle(one.work_inflation)), (1.0, 1.0));
    assert_eq!((middle(two.speedup), middle(two.efficiency)), (0.8, 0.4));
    assert_eq!(middle(two.work_inflation), 1.6);
    assert_eq!(middle(two.load_balance), 0.8);
    assert_eq!(middle(two.communication_efficiency), 0.8);
    assert_eq!(middle(two.parallel_efficiency), 0.64);
    assert_eq!(middle(two.computational_scalability), 0.625);
    // Its product is the efficiency, where the smallest team is one thread that does not wait.
    assert_eq!(middle(two.global_efficiency), 0.4);
    // 6 of the threads' 25 s are more expensive iterations, 9 waiting, and 4 of these imbalance.
    let losses = curve.losses.unwrap();
    assert_eq!(middle(Some(losses.dearer)), 0.24);
    assert_eq!(middle(Some(losses.waiting)), 0.36);
    assert_eq!(middle(Some(losses.imbalance)), 0.16);
    assert_eq!(middle(Some(losses.difference)), -0.12);
    // A machine that gets slower from round to round changes no ratio.
    assert!(losses.inflation.high - losses.inflation.low < 1e-9);
}

#[test]
fn what_dominates() {
    let said = |seconds: f64, threads: &[f64]| {
        let curve = curve(&rounds(seconds, threads), PROCESSORS);
        verdict(&curve.losses.unwrap(), curve.unit, false).unwrap()
    };
    let dearer = said(10.0, &[9.9, 9.8]);
    assert_eq!((dearer.dearer, dearer.waits), (Answer::Yes, Answer::No));
    assert_eq!(dearer.dominates, Some(Cause::Dearer));
    assert!(dearer.says.contains("Possible causes are false sharing"), "{}", dearer.says);
    let by_runtime = {
        let curve = curve(&rounds(10.0, &[9.9, 9.8]), PROCESSORS);
        verdict(&curve.losses.unwrap(), curve.unit, true).unwrap()
    };
    assert!(by_runtime.says.contains("where the runtime deals chunks"), "{}", by_runtime.says);
    assert!(!dearer.says.contains("deals chunks"), "{}", dearer.says);
    let waits = said(9.0, &[9.0, 1.0]);
    assert_eq!((waits.dearer, waits.waits), (Answer::No, Answer::Yes));
    assert_eq!(waits.dominates, Some(Cause::Waiting));
    assert!(waits.says.contains("do not get more expensive"), "{}", waits.says);
    assert!(waits.says.contains("load balance"), "{}", waits.says);
    let late = said(9.0, &[5.0, 5.0]);
    assert!(late.says.contains("communication efficiency"), "{}", late.says);
    let both = said(15.0, &[15.0, 9.0]);
    assert_eq!((both.dearer, both.waits), (Answer::Yes, Answer::Yes));
    assert_eq!(both.dominates, Some(Cause::Dearer));
    assert!(both.says.contains("its threads wait, too"), "{}", both.says);
    let scales = said(5.0, &[5.0, 4.95]);
    assert_eq!((scales.dominates, scales.dearer), (None, Answer::No));
    assert!(scales.says.starts_with("it scales"), "{}", scales.says);
    let cheaper = said(3.0, &[3.0, 3.0]);
    assert!(cheaper.says.starts_with("its iterations get cheaper"), "{}", cheaper.says);
}

/// Where the rounds do not agree nothing is certain, and two of them agree by chance.
#[test]
fn noise_claims_nothing() {
    let with = |factors: &[f64]| {
        let all = factors.iter().enumerate().flat_map(|(round, factor)| {
            let each = 5.0 * factor;
            [measured(1, round, 10.0, &[10.0]), measured(2, round, each, &[each, each])]
        });
        let curve = curve(&all.collect::<Vec<_>>(), PROCESSORS);
        verdict(&curve.losses.unwrap(), curve.unit, false)
    };
    let noisy = with(&[0.9, 1.3, 1.2, 0.95, 1.1]).unwrap();
    assert_eq!((noisy.dearer, noisy.dominates), (Answer::Open, None));
    assert!(noisy.says.starts_with("nothing is certain"), "{}", noisy.says);
    assert_eq!(with(&[1.5, 1.5]), None);
    assert_eq!(with(&[1.5, 1.5, 1.5]).unwrap().dominates, Some(Cause::Dearer));
}

/// What other programs took is neither work nor waiting; where it is much, only imbalance is told.
#[test]
fn a_busy_machine() {
    let mut all = rounds(10.0, &[5.0, 5.0]);
    for round in all.iter_mut().filter(|round| round.sample.team == 2) {
        round.sample.taken = Some(round.sample.thread_seconds - round.sample.work);
    }
    let busy = curve(&all, PROCESSORS);
    let losses = busy.losses.unwrap();
    assert_eq!((middle(Some(losses.waiting)), middle(Some(losses.dearer))), (0.0, 0.0));
    let said = verdict(&losses, busy.unit, false).unwrap();
    assert_eq!([said.waits, said.dearer], [Answer::Open; 2]);
    assert_eq!(said.dominates, None);
    assert!(said.says.contains("no core for up to 50.0 %"), "{}", said.says);
    // Where it is not known it would be in the work, so that this need not be the iterations'.
    let mut all = rounds(10.0, &[10.0, 10.0]);
    all.iter_mut().for_each(|round| round.sample.taken = None);
    let unknown = curve(&all, PROCESSORS);
    assert_eq!(unknown.points[1].taken_seconds, None);
    let said = verdict(&unknown.losses.unwrap(), unknown.unit, false).unwrap();
    assert_eq!((said.dearer, said.dominates), (Answer::Open, None));
}

#[test]
fn other_work_is_compared_per_iteration_or_not_at_all() {
    let mut all = rounds(10.0, &[10.0, 10.0]);
    for round in all.iter_mut().filter(|round| round.sample.team == 2) {
        round.sample.amount = Amount::Iterations(2000);
    }
    let twice = curve(&all, PROCESSORS);
    assert_eq!(twice.unit, Unit::Iteration);
    assert_eq!(middle(twice.points[1].work_inflation), 1.0);
    assert_eq!((twice.points[1].speedup, twice.points[1].efficiency), (None, None));
    let said = verdict(&twice.losses.unwrap(), twice.unit, false).unwrap();
    assert!(said.says.contains("work per iteration"), "{}", said.says);
    for round in all.iter_mut().filter(|round| round.sample.team == 2) {
        round.sample.amount = Amount::Executions(3, None);
    }
    let unknown = curve(&all, PROCESSORS);
    assert_eq!((unknown.unit, unknown.losses), (Unit::Nothing, None));
    assert_eq!(unknown.points[1].work_inflation, None);
    assert!(unknown.points[1].parallel_efficiency.is_some());
}

/// More threads than processors wait for cores: of these only the time stands there.
#[test]
fn more_threads_than_processors() {
    let all = rounds(10.0, &[5.0; 4]);
    let crowded = curve(&all, 2);
    let [one, four] = &crowded.points[..] else { panic!("{crowded:?}") };
    assert!(one.comparable && !four.comparable);
    assert!(four.seconds.is_some() && four.speedup.is_none() && four.work_inflation.is_none());
    assert!(four.parallel_efficiency.is_none() && crowded.losses.is_none());
}

/// Teams count as they were measured: here there is one, whatever was asked for.
#[test]
fn one_team_is_no_curve() {
    let all = [1, 2, 4].map(|asked| measured(asked, 0, 5.0, &[5.0, 5.0]));
    let fixed = curve(&all, PROCESSORS);
    assert_eq!(fixed.points.len(), 1);
    assert_eq!(fixed.points[0].asked, [1, 2, 4]);
    assert_eq!((fixed.points[0].threads, fixed.losses), (2, None));
    assert!(curve(&[], PROCESSORS).points.is_empty());
}
