//! Does the cost follow the thread instead of the iteration? A core may be slower, or its memory further away. Where one
//! thread's iterations end and another's begin, the cost of iterations changes little as a rule; what it jumps there,
//! everywhere and alike, is the threads'.

use ompchunk_analysis::profile::Piece;
use ompchunk_figures::median;

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
const STEPS: usize = 100;

/// How much longer each thread takes for the same iterations; the mean is 1. `None`: nothing to see, or too much to be the threads.
pub fn factors(pieces: &[Piece], threads: usize) -> Option<Vec<f64>> {
    let jumps = between(pieces, threads);
    if jumps.is_empty() {
        return None;
    }
    let logarithms = solved(&jumps, threads);
    let range = |pick: fn(f64, f64) -> f64, from: f64| logarithms.iter().copied().fold(from, pick);
    let spread = (range(f64::max, f64::MIN) - range(f64::min, f64::MAX)).exp();
    (LEAST..=MOST).contains(&spread).then(|| {
        let factors: Vec<f64> = logarithms.iter().map(|logarithm| logarithm.exp()).collect();
        let mean = factors.iter().sum::<f64>() / factors.len() as f64;
        factors.into_iter().map(|factor| factor / mean).collect()
    })
}

pub fn divide_by(factors: &[f64], pieces: &mut [Piece]) {
    for piece in pieces {
        piece.ns /= factors.get(piece.thread as usize).copied().unwrap_or(1.0);
    }
}

/// Left and right thread, and what the cost changes by, where one ends and the other begins.
fn between(pieces: &[Piece], threads: usize) -> Vec<(usize, usize, f64)> {
    let jump_at = |edge: usize| {
        let (left, right) = (pieces[edge - 1].thread as usize, pieces[edge].thread as usize);
        let is_between = left != right && left.max(right) < threads;
        is_between.then(|| Some((left, right, jump(pieces, edge)?)))?
    };
    (1..pieces.len()).filter_map(jump_at).collect()
}

/// Do costs jump within a thread's iterations as much as between threads? Then a jump says nothing of threads. Only what executions
/// have in common can answer that: what is noise may hide a thread that is slow.
pub fn are_uneven(pieces: &[Piece], threads: usize) -> bool {
    let most = between(pieces, threads).iter().map(|(_, _, jump)| jump.abs()).fold(0.0, f64::max);
    within(pieces).is_some_and(|(usual, largest)| most < UNUSUAL * usual || most > PLAIN.ln() && most < FAR * largest)
}

/// What the cost changes by, as a logarithm, between the pieces on both sides.
fn jump(pieces: &[Piece], number: usize) -> Option<f64> {
    let edge = pieces[number].first;
    let (of_left, of_right) = pieces.split_at(number);
    let (left, right) = (pieces[number - 1].thread, pieces[number].thread);
    let before = cost_at(edge, of_left.iter().rev().take(AROUND).take_while(|piece| piece.thread == left))?;
    let after = cost_at(edge, of_right.iter().take(AROUND).take_while(|piece| piece.thread == right))?;
    Some((after / before).ln())
}

/// Jumps where no thread ends: the root of their mean square, and the largest.
fn within(pieces: &[Piece]) -> Option<(f64, f64)> {
    let is_within = |edge: &usize| {
        let around = &pieces[edge - AROUND..edge + AROUND];
        around.iter().all(|piece| piece.thread == around[0].thread)
    };
    let ends = pieces.len().saturating_sub(AROUND);
    let jumps = (AROUND..ends).filter(is_within).filter_map(|edge| jump(pieces, edge));
    let squares: Vec<f64> = jumps.map(|jump| jump * jump).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    let largest = squares.iter().copied().fold(0.0, f64::max);
    (squares.len() >= ENOUGH).then(|| (mean.sqrt(), largest.sqrt()))
}

/// The cost of an iteration at the edge of some pieces, by a line through them: of slopes and heights the median, as a few take long.
fn cost_at<'a>(edge: u64, pieces: impl Iterator<Item = &'a Piece>) -> Option<f64> {
    let middle = |piece: &Piece| piece.first as f64 + piece.iterations as f64 / 2.0;
    let points: Vec<(f64, f64)> = pieces.map(|piece| (middle(piece) - edge as f64, piece.density())).collect();
    let mut slopes = Vec::new();
    for (number, right) in points.iter().enumerate() {
        let before = points[..number].iter();
        slopes.extend(before.map(|left| (right.1 - left.1) / (right.0 - left.0)));
    }
    let slope = median(slopes).unwrap_or(0.0);
    let at_edge = median(points.iter().map(|point| point.1 - slope * point.0)).unwrap_or(0.0);
    let least = points.iter().map(|point| point.1).fold(f64::MAX, f64::min);
    // A line that goes below what was seen is no line of costs.
    let cost = at_edge.max(least / 2.0);
    (cost > 0.0 && cost.is_finite()).then_some(cost)
}

/// Least squares, by turns.
fn solved(jumps: &[(usize, usize, f64)], threads: usize) -> Vec<f64> {
    let mut logarithms = vec![0.0f64; threads];
    for _ in 0..STEPS {
        for thread in 0..threads {
            let (mut sum, mut count) = (0.0, 0.0);
            for (left, right, jump) in jumps {
                if *right == thread {
                    sum += logarithms[*left] + jump;
                    count += 1.0;
                }
                if *left == thread {
                    sum += logarithms[*right] - jump;
                    count += 1.0;
                }
            }
            if count > 0.0 {
                logarithms[thread] = sum / count;
            }
        }
        let mean = logarithms.iter().sum::<f64>() / threads.max(1) as f64;
        logarithms.iter_mut().for_each(|logarithm| *logarithm -= mean);
    }
    logarithms
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of equal size, of `each` pieces.
    fn blocks(threads: u32, each: u64, cost: impl Fn(u64, u32) -> f64) -> Vec<Piece> {
        (0..u64::from(threads) * each)
            .map(|number| {
                let thread = (number / each) as u32;
                Piece { first: number * 10, iterations: 10, ns: 10.0 * cost(number * 10, thread), thread, readings: 1 }
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
        assert_eq!(factors(&blocks(2, 8, |iteration, _| (200 - iteration) as f64), 2), None);
        let step = |_, thread| if thread == 0 { 900.0 } else { 100.0 };
        assert_eq!(factors(&blocks(2, 8, step), 2), None);
        assert_eq!(factors(&blocks(1, 8, |iteration, _| iteration as f64), 1), None);
        assert_eq!(factors(&[], 2), None);
    }

    /// As uneven as that, nobody can tell who is slow.
    #[test]
    fn uneven_costs_are_no_slow_thread() {
        let uneven = |iteration: u64| 100.0 + (iteration / 10 * 7919 % 17) as f64 * 40.0;
        let slow = |thread| if thread == 1 { 1.2 } else { 1.0 };
        assert!(are_uneven(&blocks(2, 60, |iteration, thread| uneven(iteration) * slow(thread)), 2));
        let little = |iteration: u64| 100.0 + (iteration / 10 * 7919 % 17) as f64 / 4.0;
        let noisy = blocks(2, 60, |iteration, thread| little(iteration) * slow(thread));
        assert!(!are_uneven(&noisy, 2) && !are_uneven(&noisy[..8], 2));
        let found = factors(&noisy, 2).unwrap();
        assert!((found[1] / found[0] - 1.2).abs() < 0.04, "{found:?}");
    }

    /// A large jump is the threads' only where nothing like it is within a thread.
    #[test]
    fn a_step_among_steps_is_none() {
        let steps = |iteration: u64, _| match iteration {
            ..600 => 100.0,
            600..900 => 250.0,
            _ => 600.0,
        };
        assert!(are_uneven(&blocks(2, 60, steps), 2));
        let slow_one = |_, thread| if thread == 1 { 250.0 } else { 100.0 };
        let pieces = blocks(2, 60, slow_one);
        assert!(!are_uneven(&pieces, 2));
        let found = factors(&pieces, 2).unwrap();
        assert!((found[1] / found[0] - 2.5).abs() < 0.01, "{found:?}");
    }

    /// One dear piece at the edge bends no line.
    #[test]
    fn an_edge_is_told_by_medians() {
        let cost = |iteration: u64, thread: u32| match (iteration, thread) {
            (590, _) => 140.0,
            (_, 1) => 130.0,
            _ => 100.0,
        };
        let found = factors(&blocks(2, 60, cost), 2).unwrap();
        assert!((found[1] / found[0] - 1.3).abs() < 0.05, "{found:?}");
    }

    #[test]
    fn in_turn_a_ramp_is_none() {
        let mut pieces = blocks(2, 100, |iteration, _| (3000 - iteration) as f64);
        for (number, piece) in pieces.iter_mut().enumerate() {
            piece.thread = number as u32 % 2;
        }
        assert_eq!(factors(&pieces, 2), None);
        for piece in pieces.iter_mut().filter(|piece| piece.thread == 1) {
            piece.ns *= 1.3;
        }
        let found = factors(&pieces, 2).unwrap();
        assert!((found[1] / found[0] - 1.3).abs() < 0.02, "{found:?}");
    }
}
