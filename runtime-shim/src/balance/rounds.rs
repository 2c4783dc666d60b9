//! Which of a loop's ways to run is faster, by turns: the arithmetic of the decision.
//!
//! In each round every way runs once, in another order than before, and is compared with the loop as compiled in the same round, so what
//! drifts from round to round falls out. Compared are differences as a part of the mean of both, which are alike in both directions, as
//! logarithms of ratios are (and close to them), and need nothing of the mathematical library: who links the shim would need that.
//!
//! Some rounds end with a look ([`LOOKS`]), which may decide: where three ways are tried, an early look at one of them has an interval of
//! 99.6 % on the side that matters, by Student's distribution of the differences. All looks together take a way that is no faster in at
//! most one of twenty trials. (Errors of all looks add up to one of fourteen, but a later look has the rounds of the earlier ones, too, and
//! a trial that promises nothing ends before; the tests simulate that.) Costs that are random need the late looks: what one execution
//! takes then differs more from the next than ways do.

use core::cmp::Ordering;

/// Ways besides the loop as compiled.
pub(super) const OTHERS: usize = 3;
/// Rounds that end with a look, and for one, two and three ways that are tried the quantile of Student's distribution with one degree
/// of freedom less than rounds: at 1 - 0.012 / ways for the first four, at 1 - 0.006 / ways for the others.
const LOOKS: [(usize, [f64; OTHERS]); 8] = [
    (3, [6.34, 9.05, 11.11]),
    (4, [4.24, 5.47, 6.32]),
    (6, [3.20, 3.85, 4.26]),
    (9, [2.78, 3.23, 3.51]),
    (14, [2.92, 3.28, 3.49]),
    (22, [2.75, 3.06, 3.23]),
    (34, [2.66, 2.94, 3.09]),
    (50, [2.61, 2.87, 3.02]),
];

/// Rounds after which ways are given up that are slower than the fastest one by more than chance explains.
const SOME_ROUNDS: usize = 3;
/// Rounds after which the fastest of the other ways alone is left, and goes on only if it promises something.
const ALL_ROUNDS: usize = 9;
/// Standard errors by which it must be faster for that.
const PROMISING: f64 = 0.5;
/// What is gained must be more than this part.
const LEAST_GAIN: f64 = 0.01;

/// What a way's times differ by from those of the loop as compiled, as a part of the mean of both: from -2 to 2.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratios {
    sum: f64,
    squares: f64,
    rounds: usize,
    /// The first of them.
    early: [f64; ALL_ROUNDS],
}

impl Ratios {
    pub(super) fn add(&mut self, time: f64, source: f64) {
        let difference = 2.0 * (time - source) / (time + source);
        self.sum += difference;
        self.squares += difference * difference;
        if let Some(early) = self.early.get_mut(self.rounds) {
            *early = difference;
        }
        self.rounds += 1;
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.rounds as f64
    }

    /// Between which two the mean lies, of one of so many ways that were tried. None: it is not time for a look.
    pub(super) fn interval(&self, tried: usize) -> Option<(f64, f64)> {
        let (_, quantiles) = LOOKS.iter().find(|(look, _)| *look == self.rounds)?;
        let quantile = quantiles[tried.clamp(1, OTHERS) - 1];
        let half = quantile * error(self.sum, self.squares, self.rounds);
        Some((self.mean() - half, self.mean() + half))
    }

    /// It is worth more rounds, though nothing is certain after so many.
    fn is_promising(&self) -> bool {
        let error = error(self.sum, self.squares, self.rounds);
        self.mean() + PROMISING * error < -LEAST_GAIN
    }

    /// It is faster than another way by a standard error of their differences, of as many rounds.
    fn is_below(&self, slower: &Ratios) -> bool {
        let pairs = slower.early.iter().zip(&self.early).take(self.rounds);
        let (mut sum, mut squares) = (0.0, 0.0);
        for (more, less) in pairs {
            sum += more - less;
            squares += (more - less) * (more - less);
        }
        sum / self.rounds as f64 > error(sum, squares, self.rounds)
    }
}

/// The standard error of the mean of so many numbers, by their sum and that of their squares.
fn error(sum: f64, squares: f64, count: usize) -> f64 {
    let count = count as f64;
    let variance = (squares - sum * sum / count).max(0.0) / (count - 1.0);
    (variance / count).sqrt()
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
    let is_promising = ratios.rounds < ALL_ROUNDS || ratios.is_promising();
    match left().any(may_gain) && is_promising && !is_last {
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
        .min_by(|first, second| first.mean().total_cmp(&second.mean()));
    let is_given_up = |ratios: &Option<Ratios>| match (ratios, fastest) {
        (Some(ratios), Some(fastest)) if ratios.mean() > fastest.mean() => {
            let is_slower = ratios.rounds >= SOME_ROUNDS && fastest.is_below(ratios);
            is_slower || ratios.rounds >= ALL_ROUNDS
        }
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
        for deviation in [0.001, 0.01, 0.1, 0.16, 0.3] {
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

    /// As where costs are random: one execution differs from the next by more than ways do.
    #[test]
    fn what_is_faster_is_found_in_noise() {
        let mut state = 7;
        let runs: Vec<_> = (0..1000)
            .map(|_| decided(&[1.0, 0.88, 0.88], 0.16, &mut state))
            .collect();
        let found = |way| {
            runs.iter()
                .filter(|run| run.0 == Verdict::Other(way))
                .count()
        };
        assert!(found(1) + found(2) > 500, "{} {}", found(1), found(2));
        assert!(found(0) < 50, "{}", found(0));
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
