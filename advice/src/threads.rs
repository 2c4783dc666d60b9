//! Does the cost follow the thread instead of the iteration? A core may be slower, or its memory further away. Where one
//! thread's iterations end and another's begin, the cost of iterations changes little as a rule; what it jumps there,
//! everywhere and alike, is the threads'.

use ompchunk_analysis::profile::Piece;

use crate::world::median;

/// A larger factor between threads is taken for the iterations' own.
const MOST: f64 = 3.0;
/// A smaller one cannot be told from noise.
const LEAST: f64 = 1.02;
/// Pieces on each side of a change from which the cost there is told.
const AROUND: usize = 6;
/// A jump between threads says something that is so many times the usual one within a thread, ...
const UNUSUAL: f64 = 2.0;
/// ... where there are so many of these at least.
const ENOUGH: usize = 8;
/// A larger factor than this may as well be a step of the costs, ...
const PLAIN: f64 = 1.5;
/// ... unless it is so many times the largest jump within a thread.
const FAR: f64 = 3.0;
/// Steps in which the factors are found.
const STEPS: usize = 100;

/// How much longer each thread takes for the same iterations, as far as that can be seen; the mean is 1. `None`: there is
/// nothing to see, or too much for it to be the threads.
#[must_use]
pub fn factors(pieces: &[Piece], threads: usize) -> Option<Vec<f64>> {
    let jumps = between(pieces, threads);
    if jumps.is_empty() {
        return None;
    }
    let logarithms = solved(&jumps, threads);
    let range = |pick: fn(f64, f64) -> f64, from: f64| logarithms.iter().copied().fold(from, pick);
    let spread = (range(f64::max, f64::MIN) - range(f64::min, f64::MAX)).exp();
    (LEAST..=MOST).contains(&spread).then(|| {
        let all: Vec<f64> = logarithms.iter().map(|it| it.exp()).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        all.into_iter().map(|it| it / mean).collect()
    })
}

/// Left and right thread, and what the cost changes by, where one ends and the other begins.
fn between(pieces: &[Piece], threads: usize) -> Vec<(usize, usize, f64)> {
    let jumps = (1..pieces.len()).filter_map(|at| {
        let (left, right) = (pieces[at - 1].thread as usize, pieces[at].thread as usize);
        if left == right || left.max(right) >= threads {
            return None;
        }
        Some((left, right, jump(pieces, at)?))
    });
    jumps.collect()
}

/// Do costs jump within a thread's iterations as much as between threads? Then a jump says nothing of threads. Only what executions
/// have in common can answer that: what is noise may hide a thread that is slow.
#[must_use]
pub fn are_uneven(pieces: &[Piece], threads: usize) -> bool {
    let jumps = between(pieces, threads);
    let most = jumps.iter().map(|it| it.2.abs()).fold(0.0, f64::max);
    within(pieces).is_some_and(|(usual, largest)| {
        most < UNUSUAL * usual || most > PLAIN.ln() && most < FAR * largest
    })
}

/// What the cost changes by, as a logarithm, between the pieces on both sides.
fn jump(pieces: &[Piece], at: usize) -> Option<f64> {
    let (left, right) = (pieces[at - 1].thread, pieces[at].thread);
    let before = (0..at).rev().take(AROUND);
    let before = before.take_while(|it| pieces[*it].thread == left);
    let after = (at..pieces.len()).take(AROUND);
    let after = after.take_while(|it| pieces[*it].thread == right);
    let edge = pieces[at].first;
    let before = cost_at(edge, before.map(|it| &pieces[it]))?;
    let after = cost_at(edge, after.map(|it| &pieces[it]))?;
    Some((after / before).ln())
}

/// Jumps where no thread ends: the root of their mean square, and the largest. Costs that are uneven everywhere jump between threads,
/// too.
fn within(pieces: &[Piece]) -> Option<(f64, f64)> {
    let within = |at: &usize| {
        let all = &pieces[at - AROUND..at + AROUND];
        all.iter().all(|it| it.thread == all[0].thread)
    };
    let ends = pieces.len().saturating_sub(AROUND);
    let jumps = (AROUND..ends)
        .filter(within)
        .filter_map(|at| jump(pieces, at));
    let squares: Vec<f64> = jumps.map(|it| it * it).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    let largest = squares.iter().copied().fold(0.0, f64::max);
    (squares.len() >= ENOUGH).then(|| (mean.sqrt(), largest.sqrt()))
}

/// The cost of an iteration at the edge of some pieces, by a straight line through them: of slopes and heights the median, since a piece
/// may be one that took long for reasons of its own.
fn cost_at<'a>(edge: u64, pieces: impl Iterator<Item = &'a Piece>) -> Option<f64> {
    let points: Vec<(f64, f64)> = pieces
        .map(|it| {
            let middle = it.first as f64 + it.iterations as f64 / 2.0;
            (middle - edge as f64, it.density())
        })
        .collect();
    let mut slopes = Vec::new();
    for (at, other) in points.iter().enumerate() {
        let before = points[..at].iter();
        slopes.extend(before.map(|one| (other.1 - one.1) / (other.0 - one.0)));
    }
    let slope = median(&mut slopes);
    let mut heights: Vec<f64> = points.iter().map(|it| it.1 - slope * it.0).collect();
    let at_edge = median(&mut heights);
    let least = points.iter().map(|it| it.1).fold(f64::MAX, f64::min);
    // A line that goes below what was seen is no line of costs.
    let cost = at_edge.max(least / 2.0);
    (cost > 0.0 && cost.is_finite()).then_some(cost)
}

/// Least squares, by turns.
fn solved(jumps: &[(usize, usize, f64)], threads: usize) -> Vec<f64> {
    let mut all = vec![0.0f64; threads];
    for _ in 0..STEPS {
        for thread in 0..threads {
            let (mut sum, mut count) = (0.0, 0.0);
            for (left, right, jump) in jumps {
                if *right == thread {
                    sum += all[*left] + jump;
                    count += 1.0;
                }
                if *left == thread {
                    sum += all[*right] - jump;
                    count += 1.0;
                }
            }
            if count > 0.0 {
                all[thread] = sum / count;
            }
        }
        let mean = all.iter().sum::<f64>() / threads.max(1) as f64;
        all.iter_mut().for_each(|it| *it -= mean);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of equal size, of `each` pieces.
    fn blocks(threads: u32, each: u64, cost: impl Fn(u64, u32) -> f64) -> Vec<Piece> {
        (0..u64::from(threads) * each)
            .map(|at| {
                let thread = (at / each) as u32;
                Piece {
                    first: at * 10,
                    iterations: 10,
                    ns: 10.0 * cost(at * 10, thread),
                    thread,
                    readings: 1,
                }
            })
            .collect()
    }

    #[test]
    fn a_slow_thread_is_seen() {
        let slow = |_, thread| if thread == 1 { 120.0 } else { 100.0 };
        let found = factors(&blocks(3, 8, slow), 3).unwrap();
        assert!((found[1] / found[0] - 1.2).abs() < 0.01, "{found:?}");
        assert!((found[2] / found[0] - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_ramp_is_none_and_a_steep_step_is_too_much() {
        assert_eq!(factors(&blocks(2, 8, |at, _| (200 - at) as f64), 2), None);
        let step = |_, thread| if thread == 0 { 900.0 } else { 100.0 };
        assert_eq!(factors(&blocks(2, 8, step), 2), None);
        assert_eq!(factors(&blocks(1, 8, |at, _| at as f64), 1), None);
        assert_eq!(factors(&[], 2), None);
    }

    /// As uneven as that, nobody can tell who is slow.
    #[test]
    fn uneven_costs_are_no_slow_thread() {
        let uneven = |at: u64| 100.0 + (at / 10 * 7919 % 17) as f64 * 40.0;
        let slow = |thread| if thread == 1 { 1.2 } else { 1.0 };
        assert!(are_uneven(
            &blocks(2, 60, |at, it| uneven(at) * slow(it)),
            2
        ));
        let little = |at: u64| 100.0 + (at / 10 * 7919 % 17) as f64 / 4.0;
        let all = blocks(2, 60, |at, it| little(at) * slow(it));
        assert!(!are_uneven(&all, 2) && !are_uneven(&all[..8], 2));
        let found = factors(&all, 2).unwrap();
        assert!((found[1] / found[0] - 1.2).abs() < 0.04, "{found:?}");
    }

    /// A large jump is the threads' only where nothing like it is within a thread.
    #[test]
    fn a_step_among_steps_is_none() {
        let steps = |at: u64, _| match at {
            ..600 => 100.0,
            600..900 => 250.0,
            _ => 600.0,
        };
        assert!(are_uneven(&blocks(2, 60, steps), 2));
        let one = |_, thread| if thread == 1 { 250.0 } else { 100.0 };
        let all = blocks(2, 60, one);
        assert!(!are_uneven(&all, 2));
        let found = factors(&all, 2).unwrap();
        assert!((found[1] / found[0] - 2.5).abs() < 0.01, "{found:?}");
    }

    /// One dear piece at the edge bends no line.
    #[test]
    fn an_edge_is_told_by_medians() {
        let cost = |at: u64, thread: u32| match (at, thread) {
            (590, _) => 140.0,
            (_, 1) => 130.0,
            _ => 100.0,
        };
        let found = factors(&blocks(2, 60, cost), 2).unwrap();
        assert!((found[1] / found[0] - 1.3).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn in_turn_a_ramp_is_none() {
        let mut pieces = blocks(2, 100, |at, _| (3000 - at) as f64);
        for (at, it) in pieces.iter_mut().enumerate() {
            it.thread = at as u32 % 2;
        }
        assert_eq!(factors(&pieces, 2), None);
        for it in pieces.iter_mut().filter(|it| it.thread == 1) {
            it.ns *= 1.3;
        }
        let found = factors(&pieces, 2).unwrap();
        assert!((found[1] / found[0] - 1.3).abs() < 0.02, "{found:?}");
    }
}
