//! Which of a loop's ways to run is faster, by turns: the arithmetic of the decision.
//!
//! In each round every way runs once, in another order than before, and is compared with the loop as compiled in the same round, so what
//! drifts from round to round falls out. Compared are differences as a part of the mean of both, which are alike in both directions, as
//! logarithms of ratios are (and close to them), and need nothing of the mathematical library: who links the shim would need that.
//!
//! Some rounds end with a look ([`LOOKS`]), which may decide. So that all looks together take a way that is slower in at most one of
//! twenty cases, each has its part of that (Bonferroni): a look at one of two ways, on the side that matters, has an interval of 99.5 %,
//! by Student's distribution of the differences.

/// Ways besides the loop as compiled.
pub(super) const OTHERS: usize = 2;
/// Rounds that end with a look, and the quantile of Student's distribution at 1 - 0.05 / (5 looks * 2 ways) with one degree of
/// freedom less.
const LOOKS: [(usize, f64); 5] = [(3, 9.92), (4, 5.84), (6, 4.03), (9, 3.36), (11, 3.17)];

/// Rounds after which the slower of two other ways is given up.
const BOTH_ROUNDS: usize = 3;
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

    /// Between which two the mean lies. None: it is not time for a look.
    pub(super) fn interval(&self) -> Option<(f64, f64)> {
        let rounds = self.rounds as f64;
        let (_, quantile) = LOOKS.iter().find(|(look, _)| *look == self.rounds)?;
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

/// All ways that were tried have run as often.
pub(super) fn verdict(others: &[Option<Ratios>; OTHERS]) -> Verdict {
    let tried = || {
        (0..)
            .zip(others)
            .filter_map(|(way, ratios)| Some((way, (*ratios)?)))
    };
    let Some((fastest, ratios)) = tried().min_by(|(_, a), (_, b)| a.mean().total_cmp(&b.mean()))
    else {
        return Verdict::Source;
    };
    let Some((_, high)) = ratios.interval() else {
        return Verdict::Open;
    };
    if high < -LEAST_GAIN {
        return Verdict::Other(fastest);
    }
    let may_gain =
        |(_, ratios): (usize, Ratios)| ratios.interval().is_none_or(|(low, _)| low < -LEAST_GAIN);
    let is_last = LOOKS.iter().all(|(look, _)| *look <= ratios.rounds);
    match tried().any(may_gain) && !is_last {
        true => Verdict::Open,
        false => Verdict::Source,
    }
}

/// Which of two other ways is given up, so that there is more to be known of the faster one.
pub(super) fn slower(others: &[Option<Ratios>; OTHERS]) -> Option<usize> {
    match others {
        [Some(first), Some(second)] if first.rounds >= BOTH_ROUNDS => {
            Some(usize::from(second.mean() > first.mean()))
        }
        _ => None,
    }
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

    /// What is decided of a way that takes so much of the time as compiled, and after how many rounds.
    fn decided(ratio: f64, deviation: f64, state: &mut u64) -> (Verdict, usize) {
        let mut ratios = Ratios::default();
        loop {
            ratios.add(ratio * (deviation * noise(state)).exp(), 1.0);
            match verdict(&[Some(ratios), None]) {
                Verdict::Open => {}
                verdict => return (verdict, ratios.rounds),
            }
        }
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
            let wrong = (0..4000)
                .filter(|_| decided(1.0, deviation, &mut state).0 != Verdict::Source)
                .count();
            assert!(wrong < 200, "{deviation}: {wrong}");
        }
    }

    #[test]
    fn what_is_much_faster_is_found_soon() {
        let mut state = 7;
        for (ratio, most) in [(0.7, 3.2), (0.9, 5.0), (0.95, 7.0)] {
            let runs: Vec<_> = (0..1000)
                .map(|_| decided(ratio, 0.01, &mut state))
                .collect();
            let found = runs.iter().filter(|run| run.0 == Verdict::Other(0)).count();
            let rounds: usize = runs.iter().map(|run| run.1).sum();
            assert!(found > 900, "{ratio}: {found}");
            assert!((rounds as f64) < most * 1000.0, "{ratio}: {rounds}");
        }
    }

    #[test]
    fn the_faster_of_two_is_taken_and_a_slower_one_is_given_up_soon() {
        let mut state = 7;
        let mut both = [Some(Ratios::default()); OTHERS];
        for _ in 0..3 {
            for (ratios, ratio) in both.iter_mut().flatten().zip([0.8, 0.6]) {
                ratios.add(ratio * (0.001 * noise(&mut state)).exp(), 1.0);
            }
        }
        assert_eq!(verdict(&both), Verdict::Other(1));
        let slower = (0..100).map(|_| decided(1.3, 0.01, &mut state));
        assert!(slower.into_iter().all(|run| run == (Verdict::Source, 3)));
        assert_eq!(verdict(&[None; OTHERS]), Verdict::Source);
    }
}
