//! What phases give their loops.

use super::*;

fn share(work: u32, thread: u32, (begin, inside, busy): (u32, u32, u32)) -> Share {
    let begin = u64::from(begin);
    let mut off = crate::off_core::Off::default();
    (off.preempted, off.recorder) = (u64::from(busy / 3), u64::from(inside / 5));
    Share {
        the_loop: 3,
        region: 1,
        team_size: 8,
        occurrence: Default::default(),
        thread,
        begin,
        end: begin + u64::from(inside),
        busy: busy.into(),
        off,
        between: Default::default(),
        chunks: 1,
        iterations: 1,
        count: 1,
        work,
        told: true,
        costly: false,
        whole: true,
        nested: false,
    }
}

fn portions(mut phase: Phase) -> Vec<Portion> {
    let mut all = Vec::new();
    phase.apportion(|portion| all.push(portion.clone()));
    all
}

fn leave(thread: u32, arrived: u64, after: Option<u32>) -> Leave {
    Leave {
        region: 1,
        barriers: 0,
        team_size: 2,
        thread,
        arrived,
        left: Some(40),
        recorder: 0,
        after,
        executions: 1,
        omitted: false,
        forked: None,
        since: Some(0),
    }
}

#[test]
fn who_comes_from_another_loop_waits_for_that_one() {
    let mut phase = Phase::default();
    phase.executed(&[Share::of_test(0, 10), Share { thread: 1, ..Share::of_test(0, 30) }], false);
    for (thread, arrived, after) in [(0, 12, Some(4)), (1, 30, None)] {
        phase.leaves(leave(thread, arrived, after));
    }
    let waits: Vec<_> = portions(phase).into_iter().map(|portion| (portion.the_loop, portion.waits)).collect();
    assert_eq!(waits, [(1, vec![]), (4, vec![(0, 28)])]);
}

#[test]
fn a_core_is_lost_to_the_others_unless_chunks_are_dealt() {
    let busiest = |work: u32| {
        let mut shares = [Share { work, ..Share::of_test(0, 10) }, Share { work, thread: 1, ..Share::of_test(0, 10) }];
        shares[0].off.preempted = 5;
        let mut phase = Phase::default();
        phase.executed(&shares, false);
        portions(phase)[0].times.busiest
    };
    assert_eq!((busiest(10), busiest(11)), (10.0, 7.5));
}

#[test]
fn a_thread_is_late_to_its_first_loop_alone() {
    let mut phase = Phase::default();
    for (the_loop, begin) in [(1, 0), (2, 10)] {
        let share =
            |thread: u32, late: u64| Share { the_loop, thread, ..Share::of_test(begin + late, begin + late + 10) };
        phase.executed(&[share(0, 0), share(1, 5)], false);
    }
    let late: Vec<_> = portions(phase).iter().map(|portion| (portion.the_loop, portion.times.late)).collect();
    assert_eq!(late, [(1, 5), (2, 0)]);
}

#[test]
fn code_before_a_loop_makes_threads_late() {
    let code_before = |since: Option<u64>, omitted: bool, loops: u32| {
        let mut phase = Phase::default();
        for the_loop in 0..loops {
            let begin = 10 + 20 * u64::from(the_loop);
            let share = |thread: u32, late: u64| Share { the_loop, thread, ..Share::of_test(begin + late, begin + 10) };
            phase.executed(&[share(0, 0), share(1, 5)], false);
        }
        for thread in 0..2 {
            let since = if thread == 0 { Some(8) } else { since };
            let leave = Leave { since, omitted, ..leave(thread, 100, None) };
            phase.leaves(leave);
        }
        portions(phase).iter().map(|portion| portion.times.code_before).collect::<Vec<_>>()
    };
    assert_eq!(code_before(Some(9), false, 1), [4]);
    assert_eq!(code_before(Some(9), false, 2), [4, 0]);
    // It comes late from elsewhere; not more than it is late; nothing is known of it.
    assert_eq!(code_before(Some(13), false, 1), [0]);
    assert_eq!(code_before(Some(0), false, 1), [5]);
    assert_eq!((code_before(None, false, 1), code_before(Some(9), true, 1)), (vec![0], vec![0]));
}

proptest::proptest! {
    /// The short way and the long one give the same.
    #[test]
    fn a_single_loop_gets_what_it_would_among_others(
        team in proptest::collection::vec((0u32..50, 0u32..1000, 0u32..1000, 0u32..300), 1..6),
        after in proptest::bool::ANY,
        omitted in proptest::bool::ANY,
        work in 10u32..13,
    ) {
        let mut phase = Phase::default();
        for (thread, (begin, inside, busy, wait)) in (0..).zip(&team) {
            phase.executed(&[share(work, thread, (*begin, *inside, *busy))], false);
            let arrived = u64::from(begin + inside);
            phase.leaves(Leave {
                region: 1,
                barriers: 0,
                team_size: team.len() as u32,
                thread,
                arrived,
                left: Some(arrived + u64::from(*wait)),
                recorder: u64::from(wait / 4),
                after: after.then_some(3),
                executions: 1,
                omitted,
                forked: Some(0),
                since: Some(7),
            });
        }
        phase.gather();
        let (one, all) = (phase.apportion_one(3), phase.apportion_all().remove(0));
        let near = |one: f64, other: f64| (one - other).abs() < 1e-6 * (1.0 + one);
        proptest::prop_assert!(near(one.times.time, all.times.time) && near(one.times.average, all.times.average));
        proptest::prop_assert!(near(one.times.busiest, all.times.busiest));
        proptest::prop_assert!(near(one.times.longest, all.times.longest) && near(one.times.behind, all.times.behind));
        proptest::prop_assert_eq!((one.times.late, one.start), (all.times.late, all.start));
        for (thread, wait) in all.waits {
            let short = one.waits.iter().find(|wait| wait.0 == thread).map_or(0, |wait| wait.1);
            proptest::prop_assert!(short.abs_diff(wait) <= 1, "{} {}", short, wait);
        }
    }
}

#[test]
fn a_single_column_is_as_long_as_its_longest() {
    assert_eq!(even(&[vec![30.0], vec![10.0]]), [(20.0, 10.0)]);
}

/// Each loop has a slow thread, but another one: nobody waits, and nothing is lost.
#[test]
fn what_evens_out_is_not_lost() {
    assert_eq!(even(&[vec![30.0, 10.0], vec![10.0, 30.0]]), [(20.0, 0.0), (20.0, 0.0)]);
}

/// The first loop has all of the imbalance; the second is even.
#[test]
fn the_cause_pays() {
    assert_eq!(even(&[vec![30.0, 10.0], vec![10.0, 10.0]]), [(20.0, 10.0), (10.0, 0.0)]);
}

proptest::proptest! {
    #[test]
    fn columns_add_up_to_the_fullest_row(
        rows in proptest::collection::vec(proptest::collection::vec(0u32..1000, 3), 1..6)
    ) {
        let rows: Vec<Vec<f64>> = rows
            .into_iter()
            .map(|row| row.into_iter().map(f64::from).collect())
            .collect();
        let most = rows.iter().map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
        let columns = even(&rows);
        let sum: f64 = columns.iter().map(|column| column.0 + column.1).sum();
        proptest::prop_assert!((sum - most).abs() < 1e-6 * (1.0 + most));
        proptest::prop_assert!(columns.iter().all(|column| column.1 >= 0.0));
    }
}
