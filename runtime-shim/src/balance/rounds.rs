//! Which of a loop's ways to run is faster, by turns: the arithmetic of the decision.
//!
//! In each round every way runs once, in another order than before, and is compared with the loop as compiled in the same round, so what
//! drifts from round to round falls out. Compared are differences as a part of the mean of both, which are alike in both directions, as
//! logarithms of ratios are (and close to them), and need nothing of the mathematical library: who links the shim would need that.
//!
//! Some rounds end with a look ([`LOOKS`]), which may decide. So that all looks together take a way that is slower in at most one of
//! twenty cases, each has its part of that (Bonferroni): where three ways are tried, a look at one of them has an interval of 99.6 % on
//! the side that matters, by Student's distribution of the differences.

use core::cmp::Ordering;

/// Ways besides the loop as compiled.
pub(super) const OTHERS: usize = 3;
/// Rounds that end with a look, and for one, two and three ways that are tried the quantile of Student's distribution at
/// 1 - 0.05 / (4 looks * ways) with one degree of freedom less than rounds.
const LOOKS: [(usize, [f64; OTHERS]); 4] = [
    (3, [6.21, 8.86, 10.89]),
    (4, [4.18, 5.40, 6.24]),
    (6, [3.17, 3.81, 4.22]),
    (9, [2.76, 3.21, 3.48]),
];

/// Rounds after which the fastest of the other ways alone is left.
const ALL_ROUNDS: usize = 3;
/// What is gained must be more than this part.
const LEAST_GAIN: f64 = 0.01;

/// What a way's times differ by from those of the loop as compiled, as a part of the mean of both: from -2 to 2.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratios {
    sum: f64,
    squares: f64,
    rounds: usize,
}

impl Ratios {
    pub(super) fn add(&mut self, time: f64, source: f64) {
        let difference = 2.0 * (time - source) / (time + source);
        self.sum += difference;
        self.squares += difference * difference;
        self.rounds += 1;
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.rounds as f64
    }

    /// Between which two the mean lies, of one of so many ways that were tried. None: it is not time for a look.
    pub(super) fn interval(&self, tried: usize) -> Option<(f64, f64)> {
        let rounds = self.rounds as f64;
        let (_, quantiles) = LOOKS.iter().find(|(look, _)| *look == self.rounds)?;
        let quantile = quantiles[tried.clamp(1, OTHERS) - 1];
        let variance = (self.squares - self.sum * self.sum / rounds).max(0.0) / (rounds - 1.0);
        let half = quantile * (variance / rounds).sqrt();
        Some((self.mean() - half, self.mean() + half))
    }
}

/// The ratio of two times of such a difference.
pub(super) fn ratio(difference: f64) -> f64 {
    let difference = difference.clamp(-2.0, 1.99);
    (2.0 + difference) / (2.0 - difference)
}

/// What the rounds so far say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Another round.
    Open,
    /// That way is faster than the loop as compiled.
    Other(usize),
    /// Nothing is, or nothing that can be told.
    Source,
}

/// Of so many ways that were tried these are left, and have run as often.
pub(super) fn verdict(others: &[Option<Ratios>; OTHERS], tried: usize) -> Verdict {
    let left = || {
        (0..)
            .zip(others)
            .filter_map(|(way, ratios)| Some((way, (*ratios)?)))
    };
    let Some((fastest, ratios)) = left().min_by(by_mean) else {
        return Verdict::Source;
    };
    let Some((_, high)) = ratios.interval(tried) else {
        return Verdict::Open;
    };
    if high < -LEAST_GAIN {
        return Verdict::Other(fastest);
    }
    let may_gain = |(_, ratios): (usize, Ratios)| {
        ratios
            .interval(tried)
            .is_none_or(|(low, _)| low < -LEAST_GAIN)
    };
    let is_last = LOOKS.iter().all(|(look, _)| *look <= ratios.rounds);
    match left().any(may_gain) && !is_last {
        true => Verdict::Open,
        false => Verdict::Source,
    }
}

fn by_mean((_, first): &(usize, Ratios), (_, second): &(usize, Ratios)) -> Ordering {
    first.mean().total_cmp(&second.mean())
}

/// Which ways are given up, so that there is more to be known of the fastest one.
pub(super) fn slower(others: &[Option<Ratios>; OTHERS]) -> [bool; OTHERS] {
    let fastest = others
        .iter()
        .flatten()
        .map(Ratios::mean)
        .min_by(f64::total_cmp);
    let is_given_up = |ratios: &Option<Ratios>| match (ratios, fastest) {
        (Some(ratios), Some(fastest)) => ratios.rounds >= ALL_ROUNDS && ratios.mean() > fastest,
        _ => false,
    };
    others.each_ref().map(is_given_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers with a mean of 0 and a deviation of 1, alike in each run.
    fn noise(state: &mut u64) -> f64 {
        let mut uniform = || {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (*state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }

    /// What is decided of ways that take so much of the time as compiled, and after how many rounds.
    fn decided(parts: &[f64], deviation: f64, state: &mut u64) -> (Verdict, usize) {
        let mut ways = [None; OTHERS];
        ways[..parts.len()].fill(Some(Ratios::default()));
        for rounds in 1.. {
            let source = (deviation * noise(state)).exp();
            for (way, part) in ways.iter_mut().zip(parts) {
                if let Some(ratios) = way {
                    ratios.add(part * (deviation * noise(state)).exp(), source);
                }
            }
            match verdict(&ways, parts.len()) {
                Verdict::Open => {}
                verdict => return (verdict, rounds),
            }
            let given_up = slower(&ways);
            for (way, is_given_up) in ways.iter_mut().zip(given_up) {
                if is_given_up {
                    *way = None;
                }
            }
        }
        unreachable!()
    }

    #[test]
    fn a_difference_is_a_ratio() {
        for times in [0.001, 0.5, 0.99, 1.0, 3.0, 100.0] {
            let mut ratios = Ratios::default();
            ratios.add(7.0 * times, 7.0);
            assert!((ratio(ratios.mean()) / times - 1.0).abs() < 1e-9, "{times}");
        }
    }

    #[test]
    fn what_is_no_faster_is_seldom_taken() {
        let mut state = 7;
        for deviation in [0.001, 0.01, 0.1] {
            for parts in [&[1.0][..], &[1.0; 2], &[1.0; 3], &[1.0, 1.2, 1.2]] {
                let wrong = (0..4000)
                    .filter(|_| decided(parts, deviation, &mut state).0 != Verdict::Source)
                    .count();
                assert!(wrong < 200, "{deviation}, {parts:?}: {wrong}");
            }
        }
    }

    #[test]
    fn what_is_much_faster_is_found_soon() {
        let mut state = 7;
        for (part, most) in [(0.7, 3.2), (0.9, 5.0), (0.95, 7.0)] {
            for others in [&[][..], &[1.1], &[1.1, 1.3]] {
                let parts = [&[part], others].concat();
                let runs: Vec<_> = (0..1000)
                    .map(|_| decided(&parts, 0.01, &mut state))
                    .collect();
                let found = runs.iter().filter(|run| run.0 == Verdict::Other(0)).count();
                let rounds: usize = runs.iter().map(|run| run.1).sum();
                assert!(found > 900, "{parts:?}: {found}");
                assert!((rounds as f64) < most * 1000.0, "{parts:?}: {rounds}");
            }
        }
    }

    #[test]
    fn the_fastest_of_several_is_taken_and_slower_ones_are_given_up_soon() {
        let mut state = 7;
        let three = decided(&[0.8, 0.6, 0.7], 0.001, &mut state);
        assert_eq!(three, (Verdict::Other(1), 3));
        let slower_ways = (0..100).map(|_| decided(&[1.3], 0.01, &mut state));
        assert!(
            slower_ways
                .into_iter()
                .all(|run| run == (Verdict::Source, 3))
        );
        assert_eq!(verdict(&[None; OTHERS], 0), Verdict::Source);
        let ratios = |part| {
            let mut ratios = Ratios::default();
            (0..3).for_each(|_| ratios.add(part, 1.0));
            Some(ratios)
        };
        let given_up = slower(&[ratios(0.9), ratios(0.8), ratios(0.85)]);
        assert_eq!(given_up, [true, false, true]);
        assert_eq!(slower(&[ratios(0.9), None, None]), [false; OTHERS]);
        assert_eq!(slower(&[Some(Ratios::default()); OTHERS]), [false; OTHERS]);
    }
}
