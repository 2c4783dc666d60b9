//! Series of executions that are drawn: equal ones, ones that are slower, ones whose noise comes and goes, and loads.

use super::*;
use crate::model::OffCoreReport;
use crate::pace::{means, pace};
use crate::share::Share;
use crate::stretches::Stretches;

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        for by in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
            mixed = (mixed ^ mixed >> 30).wrapping_mul(by);
        }
        (mixed ^ mixed >> 31) as f64 / u64::MAX as f64
    }

    /// A number of mean 0 and standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn independent(&mut self, executions: usize, mean: f64, noise: f64) -> Vec<f64> {
        (0..executions).map(|_| (mean * (1.0 + noise * self.normal())).max(0.01)).collect()
    }

    /// Each execution has most of its noise from the one before.
    fn correlated(&mut self, executions: usize, noise: f64, from_before: f64) -> Vec<f64> {
        let fresh = (1.0 - from_before * from_before).sqrt();
        let mut state = self.normal();
        (0..executions)
            .map(|_| {
                state = from_before * state + fresh * self.normal();
                (1.0 + noise * state).max(0.01)
            })
            .collect()
    }
}

/// A loop whose executions take so long, in milliseconds, of which a share is taken from all of its threads.
fn with_load(lengths: &[f64], taken: impl Fn(usize) -> f64) -> LoopReport {
    let mut stretches = Stretches::default();
    let (mut begin, mut busy, mut lost) = (0, 0, 0);
    for (number, length) in lengths.iter().enumerate() {
        let ticks = (length * 1e6) as u64;
        let preempted = (ticks as f64 * taken(number)) as u64;
        stretches.add_execution(&[share(begin, ticks, preempted); 2]);
        (busy, lost) = (busy + 2 * ticks, lost + 2 * preempted);
        begin += ticks + 1000;
    }
    let parts = [means(&stretches, 1e9)];
    let long = lengths.len().min(8);
    let taken = OffCoreReport { preempted_seconds: lost as f64 / 1e9, ..OffCoreReport::default() };
    LoopReport {
        executions: lengths.len() as u64,
        trip_count: Some([10, 10]),
        team_size: Some([2, 2]),
        busy_seconds: busy as f64 / 1e9,
        off_core: Some(taken),
        pace: pace(&parts, long, |mean| mean.elapsed).map(|elapsed| PaceReport {
            executions: lengths.len() as u64,
            mean_trip_count: 10.0,
            mean_team_size: 2.0,
            processes: 1,
            elapsed,
            own: pace(&parts, long, |mean| mean.own),
        }),
        ..LoopReport::default()
    }
}

fn quiet(lengths: &[f64]) -> LoopReport {
    with_load(lengths, |_| 0.0)
}

fn share(begin: u64, ticks: u64, preempted: u64) -> Share {
    let mut share = Share::of_test(begin, begin + ticks);
    share.off.preempted = preempted;
    share
}

/// How many of 100 pairs of runs have this verdict.
fn of_100(verdict: Verdict, mut draw: impl FnMut(&mut Random) -> [LoopReport; 2]) -> usize {
    let mut random = Random(20);
    let has = |_: &usize| {
        let [before, after] = draw(&mut random);
        Change::between(&before, &after).verdict == verdict
    };
    (0..100).filter(has).count()
}

#[test]
fn equal_executions_do_not_differ() {
    for executions in [5, 8, 40, 1000] {
        for noise in [0.0, 0.02, 0.3] {
            let plain = of_100(Verdict::WithinNoise, |random| {
                [(); 2].map(|()| quiet(&random.independent(executions, 1.0, noise)))
            });
            println!("{executions} executions, noise {noise}: {plain} of 100");
            assert!(plain >= 95, "{executions} executions, {noise}: {plain}");
        }
    }
}

#[test]
fn a_change_of_a_tenth_is_found_in_little_noise() {
    for (after, verdict) in [(1.1, Verdict::Slower), (0.9, Verdict::Faster)] {
        let found = of_100(verdict, |random| [1.0, after].map(|mean| quiet(&random.independent(60, mean, 0.02))));
        println!("{verdict:?}: {found} of 100");
        assert!(found >= 95, "{found}");
    }
}

/// As of a machine that is slower at times.
#[test]
fn noise_that_comes_and_goes_is_no_change() {
    for from_before in [0.9, 0.98, 0.995] {
        let plain =
            of_100(Verdict::WithinNoise, |random| [(); 2].map(|()| quiet(&random.correlated(300, 0.15, from_before))));
        println!("{from_before} from before: {plain} of 100");
        assert!(plain >= 90, "{from_before}: {plain}");
    }
}

/// Half of the run at most; nothing tells that it was a load.
#[test]
fn a_run_that_is_slow_for_a_time_is_within_noise() {
    let before = quiet(&[1.0; 200]);
    for slow in [20..60, 0..100, 100..200, 150..200] {
        let mut lengths = [1.0; 200];
        lengths[slow.clone()].fill(1.6);
        let change = Change::between(&before, &quiet(&lengths));
        assert_eq!(change.verdict, Verdict::WithinNoise, "{slow:?}: {change:?}");
    }
}

#[test]
fn odd_executions_hide_no_change() {
    let mut lengths = [1.2; 100];
    (lengths[0], lengths[50]) = (90.0, 14.0);
    let change = Change::between(&quiet(&[1.0; 100]), &quiet(&lengths));
    assert_eq!(change.verdict, Verdict::Slower, "{change:?}");
}

#[test]
fn what_was_taken_from_threads_is_no_change_of_the_loop() {
    let mut random = Random(7);
    let before = with_load(&random.independent(80, 1.0, 0.02), |_| 0.01);
    let loaded = random.independent(80, 1.0 / 0.6, 0.02);
    let after = with_load(&loaded, |_| 0.4);
    let change = Change::between(&before, &after);
    assert_eq!((change.verdict, change.reason), (Verdict::Load, None));
    assert!(change.elapsed.unwrap().low > 1.0);
    assert!(change.own.unwrap().holds(1.0));
    let back = Change::between(&after, &before);
    assert_eq!((back.verdict, back.reason), (Verdict::Load, None));
    assert!(back.ratio().unwrap().high < 1.0);
    // Its work is doubled as well.
    let slower = with_load(&loaded.map_all(2.0), |_| 0.4);
    assert_eq!(Change::between(&before, &slower).verdict, Verdict::Slower);
    // The load was as heavy before.
    let change = Change::between(&after, &slower);
    assert_eq!((change.verdict, change.reason), (Verdict::Slower, None));
}

trait Longer {
    fn map_all(&self, factor: f64) -> Vec<f64>;
}

impl Longer for Vec<f64> {
    fn map_all(&self, factor: f64) -> Vec<f64> {
        self.iter().map(|length| length * factor).collect()
    }
}

/// Twice the work, while other programs have stopped: shorter on the clock, longer without what they took.
#[test]
fn contradictions_are_not_decided() {
    let before = with_load(&[4.0; 50], |_| 0.75);
    let change = Change::between(&before, &with_load(&[2.0; 50], |_| 0.0));
    assert_eq!((change.verdict, change.reason), (Verdict::Unclear, Some(Reason::LoadDiffers)), "{change:?}");
}

/// A quarter more, of which the load is a fifth or nothing.
#[test]
fn two_causes_are_both_said() {
    let ratio = |low: f64, high: f64| Interval { low, middle: (low * high).sqrt(), high };
    let judged = |taken| judged(ratio(1.1, 1.4), ratio(0.9, 1.6), taken);
    let both = (Verdict::Unclear, Some(Reason::LoadOrLoop));
    assert_eq!(judged([Some(0.02), Some(0.06)]), both);
    assert_eq!(judged([Some(0.2), Some(0.2)]), both);
    assert_eq!(judged([Some(0.0), Some(0.0)]), (Verdict::Slower, None));
}

#[test]
fn where_cores_are_not_known_it_is_said() {
    let unknown = |lengths: &[f64]| {
        let mut found = quiet(lengths);
        found.off_core = None;
        found.pace.as_mut().unwrap().own = None;
        found
    };
    let change = Change::between(&unknown(&[1.0; 30]), &quiet(&[1.5; 30]));
    let expected = (Verdict::Slower, Some(Reason::LoadUnknown));
    assert_eq!((change.verdict, change.reason), expected);
    let change = Change::between(&unknown(&[1.0; 30]), &quiet(&[1.0; 30]));
    assert_eq!((change.verdict, change.reason), (Verdict::WithinNoise, None));
}

#[test]
fn what_does_not_compare_is_not_compared() {
    let before = quiet(&[1.0; 30]);
    let reason = |change: &dyn Fn(&mut LoopReport, &mut PaceReport)| {
        let mut after = quiet(&[2.0; 30]);
        let mut pace = after.pace.take().unwrap();
        change(&mut after, &mut pace);
        after.pace.get_or_insert(pace);
        let there = Change::between(&before, &after);
        let back = Change::between(&after, &before);
        assert_eq!(there.verdict == Verdict::Unclear, there.reason.is_some());
        assert_eq!(there.reason, back.reason);
        there.reason
    };
    assert_eq!(reason(&|_, _| {}), None);
    let trips = |after: &mut LoopReport, _: &mut PaceReport| after.trip_count = Some([10, 20]);
    assert_eq!(reason(&trips), Some(Reason::TripCounts));
    let trips = |_: &mut LoopReport, pace: &mut PaceReport| pace.mean_trip_count = 10.2;
    assert_eq!(reason(&trips), Some(Reason::TripCounts));
    let team = |after: &mut LoopReport, _: &mut PaceReport| after.team_size = Some([4, 4]);
    assert_eq!(reason(&team), Some(Reason::TeamSizes));
    let ranks = |_: &mut LoopReport, pace: &mut PaceReport| pace.processes = 2;
    assert_eq!(reason(&ranks), Some(Reason::Processes));
    for nothing in [0.0, f64::NAN, f64::INFINITY] {
        let time = |_: &mut LoopReport, pace: &mut PaceReport| {
            pace.elapsed.seconds = nothing;
            pace.elapsed.stretches.fill(nothing);
        };
        assert_eq!(reason(&time), Some(Reason::NoTime), "{nothing}");
    }
    let lost = |after: &mut LoopReport, _: &mut PaceReport| {
        after.lost =
            Some(crate::model::LostReport { chunks: 1, iterations: 1, events: 0, share: None, between_seconds: None });
    };
    assert_eq!(reason(&lost), Some(Reason::Lost));
    assert_eq!(Change::between(&before, &LoopReport::default()).reason, Some(Reason::FewExecutions));
    let counted = LoopReport { counted_executions: 9, ..LoopReport::default() };
    assert_eq!(Change::between(&counted, &before).reason, Some(Reason::OnlySums));
}
