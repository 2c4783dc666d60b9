//! Which schedule to advise, if any: only a gain that holds over the whole interval, and that is worth a change.

use ompchunk_figures::Interval;

use crate::dealing_time::By;
use crate::predict::{Candidate, Prediction};
use crate::words::busiest;

/// The loop gains at least this much, also at the bad end of the interval.
pub const GAIN: f64 = 0.03;
/// A change must save at least this share of the run, by the middle of its interval.
pub const WORTH: f64 = 0.005;
/// Ratios that differ less are alike: then the simplest schedule is best, and the largest chunk.
const ALIKE: f64 = 0.01;
/// ... where iterations cannot be told from dealing, and so neither from each other.
const ALIKE_HIDDEN: f64 = 0.1;
/// ... or from waiting for cache lines: then large blocks differ by chance alone.
const ALIKE_IN_LINES: f64 = 0.5;
/// A gain of this much needs no reason of its own.
const UNEXPLAINED: f64 = 0.05;
/// What is expected to be so much faster is worth measuring, however uncertain it is.
const CLEAR: f64 = 0.1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    Change(Candidate),
    /// This would gain, but what it saves is too little of the run.
    NotWorth(Candidate),
    Uncertain(Candidate),
    Best,
}

/// Chooses. `share`: the loop's time as a share of the run, if that is known.
pub fn choose(prediction: &Prediction, share: Option<f64>) -> Choice {
    let alternatives = || prediction.candidates.iter().filter(|candidate| candidate.schedule != prediction.now);
    let certain = alternatives().filter(|candidate| candidate.ratio.high <= 1.0 - GAIN);
    let alike = match prediction.hidden.map(|hidden| hidden.by) {
        Some(By::RecordingAndLines) => ALIKE_IN_LINES,
        Some(By::Dealing | By::Recording) => ALIKE_HIDDEN,
        None => ALIKE,
    };
    if let Some(best) = simplest(certain, careful, alike) {
        let saves = share.map(|share| gain_of_run(best.ratio, share).middle);
        return if saves.is_some_and(|saved| saved < WORTH) { Choice::NotWorth(best) } else { Choice::Change(best) };
    }
    let surest = simplest(alternatives(), careful, alike).filter(|best| best.ratio.middle <= 1.0 - GAIN);
    let likeliest = || simplest(alternatives(), |ratio| ratio.middle, alike);
    let best = surest.or_else(|| likeliest().filter(|best| best.ratio.middle <= 1.0 - CLEAR));
    best.map_or(Choice::Best, |best| uncertain(prediction, best))
}

/// A gain that is not certain is named only where the numbers give a reason that carries it: a busiest thread that works less, dealing
/// that is saved, threads that come late or are slow.
fn uncertain(prediction: &Prediction, best: Candidate) -> Choice {
    let (now, then) = (busiest(prediction, &prediction.now), busiest(prediction, &best.schedule));
    let balance = (1.0 - then / now).max(0.0);
    let other_reason = prediction.hidden.is_some() || prediction.follows_thread.is_some();
    let carried = balance + prediction.late + prediction.overhead + UNEXPLAINED;
    if other_reason || 1.0 - best.ratio.middle <= carried { Choice::Uncertain(best) } else { Choice::Best }
}

/// What blocks of equal cost make of a loop, where that is a certain gain and better than what is expected of any clause.
pub fn best_in_blocks(prediction: &Prediction) -> Option<Interval> {
    let least = prediction.candidates.iter().map(|candidate| candidate.ratio.middle).fold(f64::MAX, f64::min);
    let is_better = |ratio: &Interval| ratio.high <= 1.0 - GAIN && ratio.middle <= least - GAIN;
    prediction.balanced.filter(is_better)
}

/// The best by some measure, and of those that are as good the simplest.
fn simplest<'c>(
    candidates: impl Iterator<Item = &'c Candidate> + Clone,
    measure: impl Fn(Interval) -> f64,
    alike: f64,
) -> Option<Candidate> {
    let best = candidates.clone().map(|candidate| measure(candidate.ratio)).min_by(f64::total_cmp)?;
    let as_good = candidates.filter(|candidate| measure(candidate.ratio) <= best + alike);
    as_good.min_by_key(|candidate| candidate.schedule.effort()).copied()
}

/// A third of the way from what is expected to the bad end. Of schedules of which as much is expected, small chunks have the worse bad
/// end: they part what shares cache lines, and no profile shows that.
fn careful(ratio: Interval) -> f64 {
    (2.0 * ratio.middle + ratio.high) / 3.0
}

/// What a loop with this share of the run saves of it.
pub fn gain_of_run(ratio: Interval, share: f64) -> Interval {
    Interval { low: (1.0 - ratio.high) * share, middle: (1.0 - ratio.middle) * share, high: (1.0 - ratio.low) * share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Kind, Schedule};
    use crate::work::Work;

    fn candidate(schedule: Schedule, low: f64, middle: f64, high: f64) -> Candidate {
        Candidate { schedule, ratio: Interval { low, middle, high } }
    }

    fn prediction(alternatives: &[Candidate]) -> Prediction {
        let now = candidate(Schedule::STATIC, 1.0, 1.0, 1.0);
        Prediction {
            now: Schedule::STATIC,
            threads: 2,
            as_is: Interval::exactly(1.0),
            candidates: [&[now], alternatives].concat(),
            balanced: None,
            follows_thread: None,
            late: 0.0,
            taken: 0.0,
            overhead: 0.0,
            executions: 1,
            typical: Work::default(),
            team: 2,
            hidden: None,
        }
    }

    #[test]
    fn of_those_that_are_alike_the_simplest() {
        let dynamic = |chunk| Schedule::with_chunk(Kind::Dynamic, chunk);
        let candidates = [
            candidate(dynamic(1), 0.48, 0.500, 0.6),
            candidate(dynamic(16), 0.48, 0.505, 0.6),
            candidate(dynamic(64), 0.5, 0.53, 0.6),
            candidate(Schedule::with_chunk(Kind::Static, 1), 0.5, 0.52, 0.6),
        ];
        assert_eq!(choose(&prediction(&candidates), Some(0.5)), Choice::Change(candidates[1]));
        assert_eq!(choose(&prediction(&candidates), Some(0.001)), Choice::NotWorth(candidates[1]));
        assert_eq!(choose(&prediction(&candidates), None), Choice::Change(candidates[1]));
    }

    #[test]
    fn of_those_that_promise_as_much_the_surer_one() {
        let candidates = [
            candidate(Schedule::with_chunk(Kind::Static, 4), 0.52, 0.573, 0.91),
            candidate(Schedule::with_chunk(Kind::Dynamic, 1024), 0.54, 0.591, 0.67),
        ];
        assert_eq!(choose(&prediction(&candidates), None), Choice::Change(candidates[1]));
    }

    #[test]
    fn blocks_of_equal_cost_where_they_beat_all_clauses() {
        let best = candidate(Schedule::with_chunk(Kind::Dynamic, 4), 0.6, 0.7, 0.8);
        let is_said = |low, middle, high| {
            let balanced = Some(Interval { low, middle, high });
            let prediction = Prediction { balanced, ..prediction(&[best]) };
            best_in_blocks(&prediction).is_some()
        };
        assert!(is_said(0.5, 0.6, 0.9));
        assert!(!is_said(0.5, 0.69, 0.9), "alike");
        assert!(!is_said(0.5, 0.6, 0.99), "not certain");
        assert_eq!(best_in_blocks(&prediction(&[best])), None);
    }

    #[test]
    fn leave_it() {
        let likely = candidate(Schedule::with_chunk(Kind::Dynamic, 4), 0.5, 0.7, 0.98);
        let late = |alternatives: &[Candidate]| Prediction { late: 0.5, ..prediction(alternatives) };
        assert_eq!(choose(&late(&[likely]), None), Choice::Uncertain(likely));
        // Threads work alike and come in time: nothing would be the reason for such a gain.
        assert_eq!(choose(&prediction(&[likely]), None), Choice::Best);
        let no = candidate(Schedule::with_chunk(Kind::Dynamic, 4), 0.9, 0.99, 1.1);
        assert_eq!(choose(&prediction(&[no]), None), Choice::Best);
        // What is expected to be much faster is to be measured, even if what is surer gains nothing.
        let wide = candidate(Schedule::with_chunk(Kind::Dynamic, 8), 0.5, 0.85, 1.9);
        assert_eq!(choose(&late(&[no, wide]), None), Choice::Uncertain(wide));
        let little = candidate(Schedule::with_chunk(Kind::Dynamic, 8), 0.5, 0.95, 1.9);
        assert_eq!(choose(&late(&[no, little]), None), Choice::Best);
        assert_eq!(choose(&prediction(&[]), None), Choice::Best);
    }

    /// Even iterations, of which a thread that comes late as a rule would better get fewer: but the machine may have held it up.
    #[test]
    fn lateness_alone_is_no_certain_gain() {
        use ompchunk_analysis::profile::{Execution, Piece, Thread};
        let execution = |late: f64, slope: f64| Execution {
            trips: 4000,
            pieces: (0..40)
                .map(|number| Piece {
                    first: number * 100,
                    iterations: 100,
                    ns: 1e5 * (1.0 + slope * number as f64),
                    thread: (number / 20) as u32,
                    readings: 1,
                })
                .collect(),
            threads: (0..2)
                .map(|thread| Thread {
                    thread,
                    arrives_ns: late * f64::from(thread),
                    ends_ns: 2e6 + late * f64::from(thread),
                    taken_ns: 0.0,
                })
                .collect(),
            elapsed_ns: 2e6 + late,
            divided: true,
            ..Execution::default()
        };
        let chosen = |late, slope| {
            let executions = vec![execution(late, slope); 8];
            let executions: Vec<&Execution> = executions.iter().collect();
            let costs = crate::costs::Costs::default();
            use crate::predict::Allowed;
            let prediction = crate::predict::predict(&executions, Schedule::STATIC, Allowed::Dealt, None, &costs);
            (choose(&prediction, None), prediction.late)
        };
        let (choice, late) = chosen(1.5e6, 0.0);
        assert!(matches!(choice, Choice::Uncertain(_)), "{choice:?}");
        assert!((late - 1.5 / 3.5).abs() < 0.01, "{late}");
        assert_eq!(chosen(1e3, 0.0).0, Choice::Best);
        // Iterations that become more expensive are dearer whoever comes late.
        let (choice, _) = chosen(2e5, 0.5);
        assert!(matches!(choice, Choice::Change(_)), "{choice:?}");
    }
}
