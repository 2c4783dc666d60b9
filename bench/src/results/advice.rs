//! What became of advice: each candidate's predicted and measured ratio to the schedule as it is, and the figures that sum
//! them up. Pure.

use ompchunk_trial::{Verdict, verdict};
use serde::{Deserialize, Serialize};

use super::stats::{Interval, median};

/// Another schedule of a loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// As `OMPCHUNK_SCHEDULE` has it.
    pub schedule: String,
    /// What was predicted, if that was asked.
    pub predicted: Option<Interval>,
    /// What was measured.
    pub measured: Interval,
    /// Once more, in processes of its own.
    pub again: Interval,
    /// Both together.
    pub both: Interval,
    /// How far two halves of executions under the schedule as it is seem to differ, in the same processes.
    pub noise: f64,
}

impl Candidate {
    /// How far the prediction is from what was measured, as a share of that.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        Some((self.predicted?.middle / self.both.middle - 1.0).abs())
    }

    /// How far its two measurements are from each other, as a share of the smaller one: nothing predicts it better than that.
    #[must_use]
    pub fn apart(&self) -> f64 {
        let (first, second) = (self.measured.middle, self.again.middle);
        first.max(second) / first.min(second) - 1.0
    }

    /// Is each measurement's middle in the predicted interval?
    #[must_use]
    pub fn covered(&self) -> Option<[bool; 2]> {
        let predicted = self.predicted?;
        Some([self.measured, self.again].map(|measured| predicted.holds(measured.middle)))
    }

    /// Is it faster than the schedule as it is?
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let Interval { low, middle, high } = self.both;
        verdict(&ompchunk_trial::Interval { low, middle, high }, self.noise)
    }
}

/// A program on a runtime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Of the corpus.
    pub program: String,
    /// Its runtime.
    pub runtime: String,
    /// Why it is out of balance; `None`: it is not.
    pub cause: Option<String>,
    /// How often the loop ran where it was recorded.
    pub executions: Option<u64>,
    /// What all of them took.
    pub seconds_now: Option<Interval>,
    /// The schedule that was advised; `None`: to leave it.
    pub advice: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// Why there is no advice and nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

impl Case {
    /// What an execution took on the average.
    #[must_use]
    pub fn seconds_of_one(&self) -> Option<f64> {
        let executions = self.executions.filter(|count| *count > 0)?;
        Some(self.seconds_now?.middle / executions as f64)
    }

    /// The candidate that was advised.
    #[must_use]
    pub fn advised(&self) -> Option<&Candidate> {
        let advice = self.advice.as_ref()?;
        self.candidates.iter().find(|candidate| candidate.schedule == *advice)
    }

    /// The fastest of all, the schedule as it is among them: its name and ratio.
    #[must_use]
    pub fn best(&self) -> (&str, f64) {
        self.best_by(|candidate| candidate.both.middle)
    }

    fn best_by(&self, ratio: impl Fn(&Candidate) -> f64) -> (&str, f64) {
        let candidates = self.candidates.iter();
        let ratios = candidates.map(|candidate| (&*candidate.schedule, ratio(candidate)));
        ratios.fold(("as it is", 1.0), |best, next| if next.1 < best.1 { next } else { best })
    }

    /// By how much what was advised takes longer than the best. The best of many is partly the luckiest, so it is chosen by
    /// one of the two measurements and its time taken from the other one, each way; the mean of both can be below 0.
    #[must_use]
    pub fn regret(&self) -> Option<f64> {
        if self.failed.is_some() || (self.advice.is_some() && self.advised().is_none()) {
            return None;
        }
        let first: fn(&Candidate) -> f64 = |candidate| candidate.measured.middle;
        let second: fn(&Candidate) -> f64 = |candidate| candidate.again.middle;
        let of = |chosen_by: fn(&Candidate) -> f64, taken_from: fn(&Candidate) -> f64| {
            let (best, _) = self.best_by(chosen_by);
            let found = self.candidates.iter().find(|candidate| candidate.schedule == best);
            self.advised().map_or(1.0, taken_from) / found.map_or(1.0, taken_from) - 1.0
        };
        Some((of(first, second) + of(second, first)) / 2.0)
    }
}

/// Figures of some cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Candidates that were predicted and measured.
    pub candidates: usize,
    /// Half of the errors are smaller.
    pub median_error: f64,
    /// The share of candidates whose error is at most 10 %.
    pub within_tenth: f64,
    /// The share of candidates whose two measurements are at most 10 % from each other.
    pub repeated: f64,
    /// The share of candidates whose predicted interval holds what was measured; and what was measured again.
    pub covered: [f64; 2],
    /// Half of the width of the predicted intervals, as a share of their middle: the median.
    pub half_width: f64,
    /// The median regret and the worst.
    pub regret: Option<(f64, f64)>,
    /// Cases with another schedule advised, and of these those measured faster, slower, and too little different to tell.
    pub advised: usize,
    /// All of the measured interval is.
    pub faster: usize,
    /// Likewise.
    pub slower: usize,
    /// Cases that are balanced, and of these those whose advice is to leave it.
    pub balanced: usize,
    /// Likewise.
    pub left: usize,
    /// Cases of which nothing is known.
    pub failed: usize,
}

impl Figures {
    /// Of cases.
    #[must_use]
    pub fn of<'a>(cases: impl Iterator<Item = &'a Case>) -> Figures {
        let cases: Vec<&Case> = cases.collect();
        let count = |counts: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| counts(case)).count();
        let judged = |verdict| move |case: &Case| case.advised().is_some_and(|advised| advised.verdict() == verdict);
        let candidates = || cases.iter().flat_map(|case| &case.candidates);
        let errors: Vec<f64> = candidates().filter_map(Candidate::error).collect();
        let share = |counts: &dyn Fn(&Candidate) -> bool| {
            let counted = candidates().filter(|candidate| counts(candidate));
            counted.count() as f64 / errors.len() as f64
        };
        let covered = |run: usize| share(&|candidate| candidate.covered().is_some_and(|of| of[run]));
        let widths = candidates().filter_map(|candidate| candidate.predicted);
        let widths: Vec<f64> = widths.map(|of| of.half_width() / of.middle).collect();
        let regrets: Vec<f64> = cases.iter().filter_map(|case| case.regret()).collect();
        let worst = regrets.iter().copied().reduce(f64::max);
        Figures {
            candidates: errors.len(),
            median_error: median(&errors),
            within_tenth: share(&|candidate| candidate.error().is_some_and(|error| error <= 0.1)),
            repeated: share(&|candidate| candidate.predicted.is_some() && candidate.apart() <= 0.1),
            covered: [covered(0), covered(1)],
            half_width: median(&widths),
            regret: worst.map(|worst| (median(&regrets), worst)),
            advised: count(&|case| case.advice.is_some()),
            faster: count(&judged(Verdict::Faster)),
            slower: count(&judged(Verdict::Slower)),
            balanced: count(&|case| case.cause.is_none()),
            left: count(&|case| case.cause.is_none() && case.advice.is_none() && case.failed.is_none()),
            failed: count(&|case| case.failed.is_some()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn interval(low: f64, middle: f64, high: f64) -> Interval {
        Interval { low, middle, high }
    }

    /// Measured at two ratios.
    pub(crate) fn candidate(schedule: &str, predicted: f64, first: f64, second: f64) -> Candidate {
        let about = |middle: f64| interval(middle * 0.98, middle, middle * 1.02);
        Candidate {
            schedule: schedule.to_owned(),
            predicted: Some(about(predicted)),
            measured: about(first),
            again: about(second),
            both: about((first + second) / 2.0),
            noise: 0.01,
        }
    }

    pub(crate) fn case(cause: Option<&str>, advice: Option<&str>, candidates: Vec<Candidate>) -> Case {
        Case {
            program: "stencil".into(),
            runtime: "libomp".into(),
            cause: cause.map(Into::into),
            executions: Some(200),
            seconds_now: Some(interval(0.3, 0.4, 0.5)),
            advice: advice.map(Into::into),
            reason: None,
            failed: None,
            candidates,
        }
    }

    #[test]
    fn errors_and_intervals() {
        let faster = candidate("dynamic,4", 0.8, 0.8, 0.82);
        assert!((faster.error().unwrap() - 0.0123).abs() < 0.001);
        assert_eq!(faster.covered(), Some([true, false]));
        assert_eq!(faster.verdict(), Verdict::Faster);
        assert_eq!(candidate("guided", 0.8, 1.2, 1.2).verdict(), Verdict::Slower);
        let unasked = Candidate { predicted: None, ..faster };
        assert_eq!((unasked.error(), unasked.covered()), (None, None));
    }

    #[test]
    fn regret_is_to_the_best() {
        let candidates = vec![candidate("dynamic,4", 0.8, 0.8, 0.8), candidate("guided", 0.8, 0.5, 0.5)];
        let regret = |advice| case(Some("it"), advice, candidates.clone()).regret();
        assert!((regret(Some("dynamic,4")).unwrap() - 0.6).abs() < 1e-9);
        assert!(regret(Some("guided")).unwrap().abs() < 1e-9);
        assert!((regret(None).unwrap() - 1.0).abs() < 1e-9);
        // What was advised and not measured is not known.
        assert_eq!(regret(Some("dynamic,8")), None);
        // Nothing is faster than what is there.
        let slow = case(None, None, vec![candidate("guided", 1.3, 1.3, 1.3)]);
        assert_eq!((slow.regret(), slow.best()), (Some(0.0), ("as it is", 1.0)));
        // Luck: each is best once, by 10 %.
        let luck = vec![candidate("dynamic,4", 1.0, 0.9, 1.0), candidate("guided", 1.0, 1.0, 0.9)];
        let luck = case(None, None, luck).regret().unwrap();
        assert!(luck.abs() < 1e-9, "{luck}");
    }

    #[test]
    fn figures_of_cases() {
        let good = case(Some("it"), Some("guided"), vec![candidate("guided", 0.6, 0.6, 0.6)]);
        let harmful = case(None, Some("guided"), vec![candidate("guided", 0.6, 1.5, 1.5)]);
        let left = case(None, None, vec![candidate("guided", 1.4, 1.5, 1.5)]);
        let mut failed = case(None, None, Vec::new());
        failed.failed = Some("no".into());
        let figures = Figures::of([&good, &harmful, &left, &failed].into_iter());
        assert_eq!(figures.candidates, 3);
        assert!((figures.within_tenth - 2.0 / 3.0).abs() < 1e-9);
        assert!((figures.covered[0] - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(figures.repeated, 1.0);
        let twice = Figures::of([&case(None, None, vec![candidate("guided", 1.0, 1.0, 1.2)])].into_iter());
        assert_eq!((twice.candidates, twice.repeated), (1, 0.0));
        assert_eq!((figures.advised, figures.faster, figures.slower), (2, 1, 1));
        assert_eq!((figures.balanced, figures.left, figures.failed), (3, 1, 1));
        assert!((figures.regret.unwrap().1 - 0.5).abs() < 1e-9);
        let nothing = Figures::of(std::iter::empty());
        assert!(nothing.median_error.is_nan() && nothing.regret.is_none());
    }
}
