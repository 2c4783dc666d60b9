//! Does a loop take longer in one run than in another, beyond what equal executions differ by? Neighbours are not independent: loads come
//! and go. So a run is one observation, however long, which is off by as much as its long stretches differ from each other.

use std::collections::BTreeMap;

use ompchunk_figures::{Interval, median};
use serde::{Serialize, Serializer};

use crate::metrics::ratio;
use crate::model::{LoopReport, Pace, PaceReport, Report};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Slower,
    Faster,
    WithinNoise,
    Load,
    Unclear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    Lost,
    OnlySums,
    FewExecutions,
    TripCounts,
    TeamSizes,
    Processes,
    NoTime,
    /// Whether threads lost their cores is not known of both runs: that may be the cause.
    LoadUnknown,
    /// What threads lost hides, or makes, the change: with and without it times contradict each other.
    LoadDiffers,
    /// Threads lost their cores in the one run or the other, which may be the cause, and so may be the loop.
    LoadOrLoop,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Change {
    pub verdict: Verdict,
    pub reason: Option<Reason>,
    #[serde(serialize_with = "as_ratio")]
    pub elapsed: Option<Interval<95>>,
    /// Without what was taken from the threads; `None`: not known.
    #[serde(serialize_with = "as_ratio")]
    pub own: Option<Interval<95>>,
    pub taken_share: [Option<f64>; 2],
}

/// Student's t for 95 %, by the number of stretches in a run, from five.
const T: [f64; 4] = [2.776, 2.571, 2.447, 2.365];
/// From so many stretches on, the one that is farthest off says nothing ...
const ONE_IS_ODD: usize = 6;
/// ... and the others differ more than they seem to.
const WITHOUT_IT: f64 = 1.25;
/// What the halves of a run differ by, squared, counts so much: they differ little where noise lasts longer than the run.
const OF_HALVES: f64 = 2.0;
/// Standard deviation of a run's pace, as a share of it, though all of its stretches are equal: where its memory lies, how fast its
/// clock is.
const BETWEEN_RUNS: f64 = 0.015;
/// ... and for each share of time that was taken: who comes back finds others' data in the caches.
const COLD: f64 = 0.15;

/// So far apart, and trip counts and teams are not the same.
const EQUAL: f64 = 0.01;
/// So much more of the time was taken, and it may be the cause.
const TAKES_MORE: f64 = 0.01;
/// So much of the time was taken in either run, and times from begin to end say little.
const LOADED: f64 = 0.05;

impl Change {
    /// From a loop in one run to the same in another.
    pub(crate) fn between(before: &LoopReport, after: &LoopReport) -> Change {
        let mut change = Change {
            verdict: Verdict::Unclear,
            reason: None,
            elapsed: None,
            own: None,
            taken_share: [before, after].map(taken_share),
        };
        match comparable(before, after) {
            Err(reason) => change.reason = Some(reason),
            Ok([before, after]) => change.compare(before, after),
        }
        change
    }

    /// The ratio that decides: without what was taken, where that is known.
    pub fn ratio(&self) -> Option<Interval<95>> {
        if self.verdict == Verdict::Load { self.elapsed } else { self.own.or(self.elapsed) }
    }

    fn compare(&mut self, before: &PaceReport, after: &PaceReport) {
        let taken = self.taken_share.iter().flatten().copied().fold(0.0, f64::max);
        self.elapsed = pace_ratio(&before.elapsed, &after.elapsed, taken);
        let own = before.own.as_ref().zip(after.own.as_ref());
        self.own = own.and_then(|(before, after)| pace_ratio(before, after, taken));
        let (verdict, reason) = match (self.elapsed, self.own) {
            (None, _) => (Verdict::Unclear, Some(Reason::NoTime)),
            (Some(elapsed), None) => match beyond_noise(&elapsed) {
                Verdict::WithinNoise => (Verdict::WithinNoise, None),
                beyond => (beyond, Some(Reason::LoadUnknown)),
            },
            (Some(elapsed), Some(own)) => judged(elapsed, own, self.taken_share),
        };
        (self.verdict, self.reason) = (verdict, reason);
    }
}

fn judged(elapsed: Interval<95>, own: Interval<95>, taken: [Option<f64>; 2]) -> (Verdict, Option<Reason>) {
    let (of_all, of_own) = (beyond_noise(&elapsed), beyond_noise(&own));
    let is_plain = |verdict| verdict == Verdict::WithinNoise;
    if !is_plain(of_own) {
        return if of_all == of_own || elapsed.holds(own.middle) {
            (of_own, None)
        } else {
            (Verdict::Unclear, Some(Reason::LoadDiffers))
        };
    }
    if is_plain(of_all) {
        return (Verdict::WithinNoise, None);
    }
    let [before, after] = taken.map(|share| share.unwrap_or(0.0));
    let more = if of_all == Verdict::Slower { after - before } else { before - after };
    let (whole, rest) = (elapsed.middle.ln(), own.middle.ln());
    let explains_most = (whole - rest).abs() >= whole.abs() / 2.0;
    if more >= TAKES_MORE && explains_most {
        (Verdict::Load, None)
    } else if more >= TAKES_MORE || before.max(after) >= LOADED {
        (Verdict::Unclear, Some(Reason::LoadOrLoop))
    } else {
        (of_all, None)
    }
}

fn comparable<'a>(before: &'a LoopReport, after: &'a LoopReport) -> Result<[&'a PaceReport; 2], Reason> {
    let both = [before, after];
    if both.iter().any(|side| side.lost.is_some()) {
        return Err(Reason::Lost);
    }
    let (Some(earlier), Some(later)) = (&before.pace, &after.pace) else {
        let is_sums = |side: &&LoopReport| side.executions == 0 && side.counted_executions > 0;
        return Err(if both.iter().any(is_sums) { Reason::OnlySums } else { Reason::FewExecutions });
    };
    let teams = both.map(|side| side.team_size.map(|team| team.map(f64::from)));
    let trips = both.map(|side| side.trip_count.map(|range| range.map(|trips| trips as f64)));
    if earlier.processes != later.processes {
        return Err(Reason::Processes);
    }
    if !are_equal(teams) || !is_equal(earlier.mean_team_size, later.mean_team_size) {
        return Err(Reason::TeamSizes);
    }
    if !are_equal(trips) || !is_equal(earlier.mean_trip_count, later.mean_trip_count) {
        return Err(Reason::TripCounts);
    }
    Ok([earlier, later])
}

fn are_equal([before, after]: [Option<[f64; 2]>; 2]) -> bool {
    match (before, after) {
        (Some([a, b]), Some([c, d])) => is_equal(a, c) && is_equal(b, d),
        _ => before.is_none() && after.is_none(),
    }
}

fn is_equal(before: f64, after: f64) -> bool {
    (after - before).abs() <= EQUAL * before.abs().max(after.abs())
}

/// The time after as a multiple of that before, right in 95 of 100 pairs of runs; `None`: nothing to compare.
fn pace_ratio(before: &Pace, after: &Pace, taken: f64) -> Option<Interval<95>> {
    let at = before.stretches.len().min(after.stretches.len()).clamp(5, 4 + T.len()) - 5;
    let middle = after.seconds / before.seconds;
    let variance = before.variance() + after.variance() + BETWEEN_RUNS.powi(2) + (COLD * taken).powi(2);
    let half = T[at] * variance.sqrt();
    let found = Interval { low: middle * (-half).exp(), middle, high: middle * half.exp() };
    let is_known = before.seconds > 0.0 && after.seconds > 0.0 && found.high.is_finite();
    is_known.then_some(found)
}

fn beyond_noise(ratio: &Interval<95>) -> Verdict {
    match ratio {
        _ if ratio.is_above(1.0) => Verdict::Slower,
        _ if ratio.is_below(1.0) => Verdict::Faster,
        _ => Verdict::WithinNoise,
    }
}

/// In JSON its middle has this name.
fn as_ratio<S: Serializer>(interval: &Option<Interval<95>>, to: S) -> Result<S::Ok, S::Error> {
    let fields =
        |ratio: &Interval<95>| BTreeMap::from([("ratio", ratio.middle), ("low", ratio.low), ("high", ratio.high)]);
    interval.as_ref().map(fields).serialize(to)
}

impl Pace {
    /// Variance of the run's pace, as a share of its square: that of its stretches, or what its halves differ by, if that is more.
    fn variance(&self) -> f64 {
        let off = |seconds: &f64| seconds / self.seconds - 1.0;
        let mut squares: Vec<f64> = self.stretches.iter().map(|seconds| off(seconds).powi(2)).collect();
        squares.sort_by(f64::total_cmp);
        let mut widened = 1.0;
        if squares.len() >= ONE_IS_ODD {
            squares.pop();
            widened = WITHOUT_IT * WITHOUT_IT;
        }
        let others = squares.len().saturating_sub(1).max(1) as f64;
        let scattered = widened * squares.iter().sum::<f64>() / others;
        let half = self.stretches.len() / 2;
        let middle = |some: &[f64]| median(some.iter().copied()).unwrap_or(f64::NAN);
        let first = middle(&self.stretches[..half]);
        let last = middle(&self.stretches[self.stretches.len() - half..]);
        let drifted = OF_HALVES * ((last - first) / self.seconds).powi(2);
        // Not `max`, which would hide what is no number.
        if scattered > drifted { scattered } else { drifted }
    }
}

#[cfg(test)]
mod tests;

/// How a run's threads lost their cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Load {
    /// What of the threads' time in loops was taken from them; `None`: not known of all, or there is none.
    pub taken_share: Option<f64>,
    /// They are more than the processors that their process may use: how many, and how many of these. `None`: they are not, or it is
    /// not known.
    pub crowd: Option<(u64, u32)>,
    /// Several processes have more threads than there are processors, and may share them.
    pub shares_cores: bool,
    /// It is known how many processors each process may use.
    pub knows_processors: bool,
}

impl Load {
    pub(crate) fn from_report(report: &Report) -> Load {
        let loops = || report.loops.iter().filter(|the_loop| the_loop.busy_seconds > 0.0);
        let taken: Option<f64> = loops().map(|the_loop| the_loop.off_core.map(|off| off.taken())).sum::<Option<f64>>();
        let busy: f64 = loops().map(|the_loop| the_loop.busy_seconds).sum();
        Load {
            taken_share: taken.and_then(|taken| ratio(taken.max(0.0), busy)),
            crowd: crowd(report),
            knows_processors: report.parts.iter().all(|part| part.processors > 0),
            shares_cores: report
                .loops
                .iter()
                .any(|the_loop| the_loop.hints.iter().any(|hint| hint.code == "shared-cores")),
        }
    }
}

fn crowd(report: &Report) -> Option<(u64, u32)> {
    let processors = report.parts.iter().map(|part| part.processors).filter(|processors| *processors > 0).min()?;
    let teams = report.loops.iter().filter_map(|the_loop| the_loop.team_size);
    let team = teams.map(|[_, most]| u64::from(most)).max().unwrap_or(0);
    // Several teams at a time, on the average.
    let together = report.run.crowd.map_or(0, |(threads, _)| threads.ceil() as u64);
    let threads = team.max(together);
    (threads > processors.into()).then_some((threads, processors))
}

/// What of a loop's thread time was taken from its threads; `None`: not known.
pub(crate) fn taken_share(the_loop: &LoopReport) -> Option<f64> {
    let taken = the_loop.off_core?.taken().max(0.0);
    ratio(taken, the_loop.busy_seconds)
}
