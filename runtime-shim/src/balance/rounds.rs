//! Which of a loop's ways to run is faster, by turns: the arithmetic of the decision.
//!
//! In each round every way runs once, in another order than before, and is compared with the loop as compiled in the same round, so what
//! drifts from round to round falls out. Compared are differences as a part of the mean of both, which are alike in both directions, as
//! logarithms of ratios are (and close to them), and need nothing of the mathematical library: who links the shim would need that.
//!
//! Some rounds end with a look ([`LOOKS`]), which may decide: where three ways are tried, an early look at one of them has an interval of
//! 99.6 % on the side that matters, by Student's distribution of the differences. All looks together take a way that is no faster in at
//! most one of twenty trials. (Errors of all looks add up to one of fourteen, but a later look has the rounds of the earlier ones, too, and
//! a trial that promises nothing ends before; the tests simulate that.)
//!
//! Where costs are random, all that one execution takes differs from the next by more than ways do, but not how evenly its threads share
//! it. So a way is also taken if that interval says that its threads are more even, and its times are shorter as far as one in ten errs. It
//! may be an error only where a way is more even and loses all that by what it costs itself; then it takes about as long as before.

use core::cmp::Ordering;

/// Ways besides the loop as compiled.
pub(super) const OTHERS: usize = 3;
/// Rounds that end with a look, and quantiles of Student's distribution with one degree of freedom less than rounds: for one, two and
/// three ways that are tried at 1 - 0.012 / ways for the first four, at 1 - 0.006 / ways for the others; and at 0.9.
const LOOKS: [(usize, [f64; OTHERS], f64); 8] = [
    (3, [6.34, 9.05, 11.11], 1.89),
    (4, [4.24, 5.47, 6.32], 1.64),
    (6, [3.20, 3.85, 4.26], 1.48),
    (9, [2.78, 3.23, 3.51], 1.40),
    (14, [2.92, 3.28, 3.49], 1.35),
    (22, [2.75, 3.06, 3.23], 1.32),
    (34, [2.66, 2.94, 3.09], 1.31),
    (50, [2.61, 2.87, 3.02], 1.30),
];

/// Rounds after which ways are given up that are slower than the fastest one by more than chance explains.
pub(super) const SOME_ROUNDS: usize = 3;
/// Rounds after which the fastest of the other ways alone is left, and goes on only if it promises something.
pub(super) const ALL_ROUNDS: usize = 9;
/// Standard errors by which it must be faster for that, ...
const PROMISING: f64 = 0.5;
/// ... or in so many rounds may be, if it is more even for certain.
const EVEN_ROUNDS: usize = 22;
/// What is gained must be more than this part.
pub(super) const LEAST_GAIN: f64 = 0.01;

/// What an execution took in a turn: until its end, and the average thread.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    pub(super) end: f64,
    pub(super) mean: f64,
}

/// Differences as a part of the mean of both: from -2 to 2.
#[derive(Clone, Copy, Default)]
struct Differences {
    sum: f64,
    squares: f64,
}

impl Differences {
    fn add(&mut self, one: f64, source: f64) -> f64 {
        let difference = 2.0 * (one - source) / (one + source);
        self.sum += difference;
        self.squares += difference * difference;
        difference
    }

    fn mean(&self, count: usize) -> f64 {
        self.sum / count as f64
    }

    fn error(&self, count: usize) -> f64 {
        let count = count as f64;
        let variance = (self.squares - self.sum * self.sum / count).max(0.0) / (count - 1.0);
        (variance / count).sqrt()
    }
}

/// What a way differs by from the loop as compiled.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratios {
    rounds: usize,
    times: Differences,
    /// By which part they end later than the average thread.
    unevenness: Differences,
    early: [f64; ALL_ROUNDS],
}

impl Ratios {
    pub(super) fn add(&mut self, turn: Turn, source: Turn) {
        let difference = self.times.add(turn.end, source.end);
        if let Some(early) = self.early.get_mut(self.rounds) {
            *early = difference;
        }
        let uneven = |turn: Turn| turn.end / turn.mean;
        self.unevenness.add(uneven(turn), uneven(source));
        self.rounds += 1;
    }

    pub(super) fn mean(&self) -> f64 {
        self.times.mean(self.rounds)
    }

    fn error(&self) -> f64 {
        self.times.error(self.rounds)
    }

    /// The quantiles of a look at one of so many ways that were tried. None: it is not time for a look.
    fn quantiles(&self, tried: usize) -> Option<(f64, f64)> {
        let (_, quantiles, weak) = LOOKS.iter().find(|(look, ..)| *look == self.rounds)?;
        Some((quantiles[tried.clamp(1, OTHERS) - 1], *weak))
    }

    /// Between which two the mean of the times lies.
    pub(super) fn interval(&self, tried: usize) -> Option<(f64, f64)> {
        let (quantile, _) = self.quantiles(tried)?;
        let half = quantile * self.error();
        Some((self.mean() - half, self.mean() + half))
    }

    fn is_faster_by(&self, quantile: f64) -> bool {
        self.mean() + quantile * self.error() < -LEAST_GAIN
    }

    fn is_more_even(&self, quantile: f64) -> bool {
        let error = self.unevenness.error(self.rounds);
        self.unevenness.mean(self.rounds) + quantile * error < -LEAST_GAIN
    }

    /// It is worth more rounds, though nothing is certain after so many.
    fn is_promising(&self, quantile: f64) -> bool {
        let (mean, some) = (self.mean(), PROMISING * self.error());
        let may_be_faster = mean < 0.0 && mean - some < -LEAST_GAIN;
        mean + some < -LEAST_GAIN || self.rounds < EVEN_ROUNDS && may_be_faster && self.is_more_even(quantile)
    }

    /// It is faster than another way by a standard error of their differences, of as many rounds.
    fn is_below(&self, slower: &Ratios) -> bool {
        let mut differences = Differences::default();
        for (more, less) in slower.early.iter().zip(&self.early).take(self.rounds) {
            differences.sum += more - less;
            differences.squares += (more - less) * (more - less);
        }
        differences.mean(self.rounds) > differences.error(self.rounds)
    }
}

/// The ratio of two times of such a difference.
pub(super) fn ratio(difference: f64) -> f64 {
    let difference = difference.clamp(-2.0, 1.99);
    (2.0 + difference) / (2.0 - difference)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Open,
    /// This way is faster than the loop as compiled.
    Other(usize),
    /// Nothing is, or nothing that can be told.
    Source,
}

/// `others` are left of so many `tried` ways, and ran as often. After `patience` rounds only what is promising goes on.
pub(super) fn verdict(others: &[Option<Ratios>; OTHERS], tried: usize, patience: usize) -> Verdict {
    let left = || (0..).zip(others).filter_map(|(way, ratios)| Some((way, (*ratios)?)));
    let Some((_, ratios)) = left().min_by(by_mean) else { return Verdict::Source };
    // The same of all of them, which have run as often.
    let Some((quantile, weak)) = ratios.quantiles(tried) else { return Verdict::Open };
    // It is faster for certain, or more even for certain and faster as far as one in ten errs.
    let faster = left().filter(|(_, ratios)| ratios.is_faster_by(quantile));
    let likely = left().filter(|(_, ratios)| ratios.is_more_even(quantile) && ratios.is_faster_by(weak));
    // What is only likely differs in its times by chance.
    let taken = faster.min_by(by_mean).or_else(|| likely.min_by(by_unevenness));
    if let Some((way, _)) = taken {
        return Verdict::Other(way);
    }
    let may_gain = |(_, ratios): (usize, Ratios)| ratios.interval(tried).is_none_or(|(low, _)| low < -LEAST_GAIN);
    let is_last = LOOKS.iter().all(|(look, ..)| *look <= ratios.rounds);
    let is_promising = ratios.rounds < patience || ratios.is_promising(quantile);
    if left().any(may_gain) && is_promising && !is_last { Verdict::Open } else { Verdict::Source }
}

fn by_mean((_, first): &(usize, Ratios), (_, second): &(usize, Ratios)) -> Ordering {
    first.mean().total_cmp(&second.mean())
}

fn by_unevenness((_, first): &(usize, Ratios), (_, second): &(usize, Ratios)) -> Ordering {
    let mean = |ratios: &Ratios| ratios.unevenness.mean(ratios.rounds);
    mean(first).total_cmp(&mean(second))
}

/// Which ways are given up, so that there is more to be known of the fastest one.
pub(super) fn slower(others: &[Option<Ratios>; OTHERS]) -> [bool; OTHERS] {
    let fastest = others.iter().flatten().min_by(|first, second| first.mean().total_cmp(&second.mean()));
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
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (*state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }

    /// What is decided of ways that take so much of the time as compiled, and are as uneven, and after how many rounds.
    fn decided(parts: &[f64], deviation: f64, state: &mut u64) -> (Verdict, usize) {
        let turn = |part: f64, state: &mut u64| alike(part * (deviation * noise(state)).exp());
        decided_of(parts.len(), state, |way, state| turn(way.map_or(1.0, |way| parts[way]), state))
    }

    fn alike(time: f64) -> Turn {
        Turn { end: time, mean: time }
    }

    /// The same of so many ways whose turns take that. `None`: as compiled.
    fn decided_of(count: usize, state: &mut u64, turn: impl Fn(Option<usize>, &mut u64) -> Turn) -> (Verdict, usize) {
        let mut ways = [None; OTHERS];
        ways[..count].fill(Some(Ratios::default()));
        for rounds in 1.. {
            let source = turn(None, state);
            for (way, ratios) in ways.iter_mut().enumerate() {
                if let Some(ratios) = ratios {
                    ratios.add(turn(Some(way), state), source);
                }
            }
            match verdict(&ways, count, ALL_ROUNDS) {
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
            ratios.add(alike(7.0 * times), alike(7.0));
            assert!((ratio(ratios.mean()) / times - 1.0).abs() < 1e-9, "{times}");
        }
    }

    #[test]
    fn what_is_no_faster_is_seldom_taken() {
        let mut state = 7;
        for deviation in [0.001, 0.01, 0.1, 0.16, 0.3] {
            for parts in [&[1.0][..], &[1.0; 2], &[1.0; 3], &[1.0, 1.2, 1.2]] {
                let wrong = (0..4000).filter(|_| decided(parts, deviation, &mut state).0 != Verdict::Source).count();
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
                let runs: Vec<_> = (0..1000).map(|_| decided(&parts, 0.01, &mut state)).collect();
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
        let runs: Vec<_> = (0..1000).map(|_| decided(&[1.0, 0.88, 0.88], 0.16, &mut state)).collect();
        let found = |way| runs.iter().filter(|run| run.0 == Verdict::Other(way)).count();
        assert!(found(1) + found(2) > 500, "{} {}", found(1), found(2));
        assert!(found(0) < 50, "{}", found(0));
    }

    /// Costs that are random: the first way is as uneven as the loop as compiled, the two others share work evenly and take more by a part.
    fn decided_of_random_costs(more: f64, state: &mut u64) -> (Verdict, usize) {
        decided_of(3, state, |way, state| {
            let work = (0.16 * noise(state)).exp();
            let uneven = 1.0 + 0.16 * noise(state).abs();
            match way {
                None | Some(0) => Turn { end: work * uneven, mean: work },
                Some(_) => alike(work * (1.0 + more)),
            }
        })
    }

    #[test]
    fn what_is_more_even_is_found_though_executions_differ() {
        let mut state = 7;
        let mut runs: Vec<_> = (0..1000).map(|_| decided_of_random_costs(0.0, &mut state)).collect();
        let found = |way| runs.iter().filter(|run| run.0 == Verdict::Other(way)).count();
        assert!(found(1) + found(2) > 800, "{} {}", found(1), found(2));
        assert!(found(0) < 20, "{}", found(0));
        runs.sort_by_key(|run| run.1);
        assert!(runs[500].1 <= 9, "{}", runs[500].1);
    }

    #[test]
    fn what_is_more_even_and_slower_is_seldom_taken() {
        let mut state = 7;
        for (more, most) in [(0.13, 200), (0.2, 60), (0.3, 20)] {
            let taken = (0..1000).filter(|_| decided_of_random_costs(more, &mut state).0 != Verdict::Source).count();
            assert!(taken < most, "{more}: {taken}");
        }
    }

    #[test]
    fn the_fastest_of_several_is_taken_and_slower_ones_are_given_up_soon() {
        let mut state = 7;
        let three = decided(&[0.8, 0.6, 0.7], 0.001, &mut state);
        assert_eq!(three, (Verdict::Other(1), 3));
        let slower_ways = (0..100).map(|_| decided(&[1.3], 0.01, &mut state));
        assert!(slower_ways.into_iter().all(|run| run == (Verdict::Source, 3)));
        assert_eq!(verdict(&[None; OTHERS], 0, ALL_ROUNDS), Verdict::Source);
        let ratios = |part| {
            let mut ratios = Ratios::default();
            (0..3).for_each(|_| ratios.add(alike(part), alike(1.0)));
            Some(ratios)
        };
        let given_up = slower(&[ratios(0.9), ratios(0.8), ratios(0.85)]);
        assert_eq!(given_up, [true, false, true]);
        assert_eq!(slower(&[ratios(0.9), None, None]), [false; OTHERS]);
        assert_eq!(slower(&[Some(Ratios::default()); OTHERS]), [false; OTHERS]);
    }
}
