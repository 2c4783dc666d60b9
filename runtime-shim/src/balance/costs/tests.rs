//! Blocks are a partition whatever the costs, and usual loops come into balance.

use super::*;
use crate::balance::has_more_chunks;

/// Blocks of a team, as numbers of iterations before their ends.
fn ends(costs: &Costs, team: u32, iterations: u64) -> Vec<u64> {
    let of = |threads| iterations_before(costs.share(threads, team), iterations);
    (0..=team).map(of).collect()
}

/// Costs as odd as can be.
fn odd(random: &mut u64) -> Costs {
    let mut costs = Costs::even();
    let rounds = next(random) % 6;
    for _ in 0..rounds {
        let team = 1 + next(random) % 300;
        let times: Vec<u64> = (0..team)
            .map(|_| match next(random) % 4 {
                0 => 0,
                1 => next(random) % 100,
                2 => next(random) % 1_000_000_000,
                _ => next(random),
            })
            .collect();
        costs = costs.after(&times).unwrap_or(costs);
        if next(random) % 2 == 0 {
            costs = costs.half_way(&Costs::even());
        }
    }
    costs
}

fn next(random: &mut u64) -> u64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 11) ^ (*random << 40)
}

#[test]
fn each_iteration_is_in_one_block() {
    let mut random = 1;
    for _ in 0..3000 {
        let costs = odd(&mut random);
        assert!(costs.0.is_sorted());
        let team = 1 + (next(&mut random) % 1024) as u32;
        for iterations in [0, 1, 2, 3, 7, u64::from(team), 1000, next(&mut random), u64::MAX, 1 << 63] {
            let ends = ends(&costs, team, iterations);
            assert!(ends.is_sorted(), "{team} {iterations}: {ends:?}");
            assert_eq!((ends[0], ends[team as usize]), (0, iterations), "{team}");
        }
    }
}

/// What blocks end behind where no chunk of so many iterations is cut, of such ends.
fn at_chunks(ends: &[u64], iterations: u64, whole: u32) -> Vec<u64> {
    let at_chunk = |before: &u64| at_chunk(*before, iterations, whole);
    ends.iter().map(at_chunk).collect()
}

#[test]
fn no_chunk_of_the_source_is_cut() {
    let mut random = 5;
    for _ in 0..3000 {
        let costs = odd(&mut random);
        let team = 1 + (next(&mut random) % 300) as u32;
        for iterations in [0, 1, 99, 100, 3000, next(&mut random), u64::MAX] {
            let ends = ends(&costs, team, iterations);
            assert_eq!(at_chunks(&ends, iterations, 1), ends);
            for whole in [2, 7, 100, u32::MAX] {
                let whole_ends = at_chunks(&ends, iterations, whole);
                assert!(whole_ends.is_sorted(), "{team} {iterations}");
                let is_end = |end: &u64| end % u64::from(whole) == 0 || *end == iterations;
                assert!(whole_ends.iter().all(is_end), "{whole}: {whole_ends:?}");
                let first_and_last = (whole_ends[0], whole_ends[team as usize]);
                assert_eq!(first_and_last, (0, iterations), "{team}");
            }
        }
    }
    let nearest = [0, 50, 51, 149, 151, 249, 250];
    assert_eq!(at_chunks(&nearest, 250, 100), [0, 0, 100, 100, 200, 200, 250]);
}

#[test]
fn the_last_thread_has_the_last_iteration_if_it_must() {
    let mut random = 3;
    for round in 0..3000 {
        let costs = odd(&mut random);
        let team = 1 + (next(&mut random) % 300) as u32;
        let whole = [1, 2, 7, 100][round % 4];
        for iterations in [1, 2, u64::from(team), next(&mut random).max(1), u64::MAX] {
            let ends = at_chunks(&ends(&costs, team, iterations), iterations, whole);
            let has_more = has_more_chunks(iterations, whole.into(), team.into());
            // Who has it under `static`.
            let last = iterations.min(team.into()) as u32;
            let mut runs = 0;
            for (thread, block) in (1..).zip(ends.windows(2)) {
                let place = (thread - 1, team);
                let block = if has_more { (block[0], block[1]) } else { only_chunk(place.0, iterations, whole.into()) };
                let (begin, end) = with_last(block, place, iterations, whole);
                assert!(has_more || end - begin <= whole.into(), "{team} {iterations}");
                assert!(begin <= end && end <= iterations);
                assert_eq!(begin < end && end == iterations, thread == last);
                if begin < end {
                    assert_eq!(begin, runs, "{team} {iterations}: {ends:?}");
                    assert_eq!(begin % u64::from(whole), 0);
                    runs = end;
                }
            }
            assert_eq!(runs, iterations);
        }
    }
}

#[test]
fn even_costs_are_even_blocks() {
    assert_eq!(ends(&Costs::even(), 4, 1000), [0, 250, 500, 750, 1000]);
    assert_eq!(ends(&Costs::even(), 2, 3), [0, 1, 3]);
    assert_eq!(ends(&Costs::even(), 1, 7), [0, 7]);
}

/// How much more the busiest thread works than the average one after so many corrections.
fn imbalance(team: u32, corrections: u32, cost: impl Fn(f64) -> f64) -> f64 {
    const SAMPLES: u64 = 100_000;
    let mut costs = Costs::even();
    let mut measured = 0.0;
    for _ in 0..=corrections {
        let ends = ends(&costs, team, SAMPLES);
        let times: Vec<u64> = ends
            .windows(2)
            .map(|block| {
                let sum: f64 = (block[0]..block[1]).map(|place| cost(place as f64 / SAMPLES as f64)).sum();
                (sum * 1000.0) as u64
            })
            .collect();
        let mean = times.iter().sum::<u64>() as f64 / f64::from(team);
        measured = *times.iter().max().unwrap() as f64 / mean;
        costs = costs.after(&times).unwrap();
    }
    measured
}

#[test]
fn few_corrections_balance_usual_loops() {
    for team in [2, 3, 8, 64] {
        let triangle = |place: f64| 1.0 - place;
        let step = |place: f64| if place < 0.3 { 10.0 } else { 1.0 };
        assert!(imbalance(team, 0, triangle) > 1.3);
        assert!(imbalance(team, 6, triangle) < 1.02, "{team}: {}", imbalance(team, 6, triangle));
        assert!(imbalance(team, 10, step) < 1.1, "{team}: {}", imbalance(team, 10, step));
    }
    // Others' costs become known only as ends of blocks come near.
    let spike = |place: f64| {
        if (0.6..0.61).contains(&place) { 100.0 } else { 1.0 }
    };
    assert!(imbalance(4, 20, spike) < imbalance(4, 0, spike) / 1.5);
}

#[test]
fn times_of_nothing_tell_nothing() {
    assert!(Costs::even().after(&[0, 0]).is_none());
    assert!(Costs::even().after(&[]).is_none());
    let costs = Costs::even().after(&[u64::MAX, u64::MAX]).unwrap();
    assert_eq!(ends(&costs, 2, 100), [0, 50, 100]);
    // A block that took nothing keeps a little.
    let costs = Costs::even().after(&[0, 1]).unwrap();
    assert!(ends(&costs, 2, 1000)[1] > 700);
}
