//! How a loop, or all loops together, changes with the threads of its team: from samples of several runs to ranges.
//! Ratios are made within a round, between runs that follow each other closely, and then the rounds are set against each other: so
//! a machine that gets slower over minutes changes no ratio.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_figures::{Interval, median_between};
use serde::Serialize;

use super::sample::{Amount, Sample};

#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub asked: u32,
    pub round: usize,
    pub sample: Sample,
}

#[derive(Debug, Clone, Serialize)]
pub struct Curve {
    /// The smallest team first.
    #[serde(rename = "teams")]
    pub points: Vec<Point>,
    #[serde(rename = "compared_by")]
    pub unit: Unit,
    /// What the largest team loses that can be compared, against the smallest.
    #[serde(skip)]
    pub losses: Option<Losses>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// All of it: the loop does the same with each team.
    Run,
    /// The loop has more to do with one team than with another.
    Iteration,
    /// The same, and how much more is not known.
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    pub threads: u32,
    pub asked: Vec<u32>,
    pub rounds: usize,
    /// The team has no more threads than processors that it may use.
    pub comparable: bool,
    pub seconds: Option<Interval>,
    /// Time with the smallest team / with this one.
    pub speedup: Option<Interval>,
    /// Speedup / how many times the smallest team it is.
    pub efficiency: Option<Interval>,
    /// Useful time of all threads.
    pub work_seconds: Option<Interval>,
    /// What other programs took from its threads in chunks; `None`: not known.
    pub taken_seconds: Option<Interval>,
    /// Work with this team / with the smallest.
    pub work_inflation: Option<Interval>,
    pub load_balance: Option<Interval>,
    pub communication_efficiency: Option<Interval>,
    pub parallel_efficiency: Option<Interval>,
    /// Work with the smallest team / with this one.
    pub computational_scalability: Option<Interval>,
    pub global_efficiency: Option<Interval>,
}

/// Where the time of a team goes, as shares of what its threads have, against the smallest team.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    pub threads: [u32; 2],
    pub rounds: usize,
    /// Work with this team / with the smallest.
    pub inflation: Interval,
    /// What it works more than the smallest.
    pub dearer: Interval,
    /// Neither work nor a core's doing. Where many cores were taken: imbalance alone, of what threads would have without that.
    pub waiting: Interval,
    /// The part of that which the busiest thread works more than the average one.
    pub imbalance: Interval,
    pub difference: Interval,
    /// What had no core, of the team where that is more; `None`: not known, then it is in the work.
    pub taken: Option<f64>,
}

/// From here on the cores that were taken may be what others wait for, as in the hints of a report.
pub const BUSY: f64 = 0.05;

pub fn curve(all: &[Measured], processors: u32) -> Curve {
    let unit = unit(all);
    let teams: BTreeSet<u32> = all.iter().map(|measured| measured.sample.team).collect();
    let mut comparable = teams.range(..=processors);
    let both = comparable.next().zip(comparable.next_back());
    let of = |team: &u32| Rounds::of_team(all, *team);
    let base = both.map(|(smallest, _)| of(smallest));
    let points = teams.iter().map(|team| {
        let base = base.as_ref().filter(|_| *team <= processors);
        point(&of(team), base, unit, processors)
    });
    let both = base.as_ref().zip(both).filter(|_| unit != Unit::Nothing);
    Curve {
        points: points.collect(),
        unit,
        losses: both.and_then(|(base, (_, largest))| losses(&of(largest), base, unit)),
    }
}

fn unit(all: &[Measured]) -> Unit {
    let first = all.first().map(|measured| measured.sample.amount);
    if all.iter().all(|measured| Some(measured.sample.amount) == first) && first != Some(Amount::Different) {
        return Unit::Run;
    }
    let has_iterations = |measured: &Measured| matches!(measured.sample.amount, Amount::Iterations(1..));
    if all.iter().all(has_iterations) { Unit::Iteration } else { Unit::Nothing }
}

/// The runs of a loop with one team, by round: several where it had the same team whatever was asked for.
struct Rounds<'a> {
    threads: u32,
    asked: BTreeSet<u32>,
    by_round: BTreeMap<usize, Vec<&'a Sample>>,
}

impl<'a> Rounds<'a> {
    fn of_team(all: &'a [Measured], threads: u32) -> Rounds<'a> {
        let mut rounds = Rounds { threads, asked: BTreeSet::new(), by_round: BTreeMap::new() };
        for measured in all.iter().filter(|measured| measured.sample.team == threads) {
            rounds.asked.insert(measured.asked);
            rounds.by_round.entry(measured.round).or_default().push(&measured.sample);
        }
        rounds
    }

    /// A value in a round, of several runs the mean.
    fn mean(&self, round: usize, of: impl Fn(&Sample) -> f64) -> Option<f64> {
        let all = self.by_round.get(&round)?;
        Some(all.iter().map(|by_round| of(by_round)).sum::<f64>() / all.len() as f64)
    }

    fn range(&self, of: impl Fn(&Sample) -> f64) -> Option<Interval> {
        median_between(self.by_round.keys().filter_map(|round| self.mean(*round, &of)))
    }

    /// Compares the rounds in which both teams ran: `of` gets what the value is with the other one and with this.
    fn against(
        &self,
        base: &Rounds<'_>,
        value: impl Fn(&Sample) -> f64,
        of: impl Fn(f64, f64) -> f64,
    ) -> Option<Interval> {
        let both = self.by_round.keys().filter_map(|round| {
            let before = base.mean(*round, &value)?;
            Some(of(before, self.mean(*round, &value)?))
        });
        median_between(both)
    }
}

fn point(team: &Rounds<'_>, base: Option<&Rounds<'_>>, unit: Unit, processors: u32) -> Point {
    let comparable = team.threads <= processors;
    let measured = |of: fn(&Sample) -> f64| team.range(of).filter(|_| comparable);
    let base = base.filter(|_| unit != Unit::Nothing);
    let by_time = base.filter(|_| unit == Unit::Run);
    let growth = base.map_or(1.0, |base| f64::from(team.threads) / f64::from(base.threads));
    let speedup =
        |per: f64| by_time.and_then(|base| team.against(base, |team| team.seconds, |before, now| before / now / per));
    let work = |of: fn(f64, f64) -> f64| base.and_then(|base| team.against(base, |team| per_unit(team, unit), of));
    Point {
        threads: team.threads,
        asked: team.asked.iter().copied().collect(),
        rounds: team.by_round.len(),
        comparable,
        seconds: team.range(|team| team.seconds),
        speedup: speedup(1.0),
        efficiency: speedup(growth),
        work_seconds: measured(|sample| sample.work),
        // What is not known of one run makes a value that is none, and then there is no range.
        taken_seconds: measured(|sample| sample.taken.unwrap_or(f64::NAN)),
        work_inflation: work(|before, now| now / before),
        load_balance: measured(|sample| sample.average / sample.busiest),
        communication_efficiency: measured(|sample| sample.busiest / sample.seconds),
        parallel_efficiency: measured(parallel),
        computational_scalability: work(|before, now| before / now),
        global_efficiency: base.and_then(|base| global(team, base, unit)),
    }
}

/// The product holds in each round, not of the medians.
fn global(team: &Rounds<'_>, base: &Rounds<'_>, unit: Unit) -> Option<Interval> {
    let work = |sample: &Sample| per_unit(sample, unit);
    let products = team.by_round.keys().filter_map(|round| {
        let scalability = base.mean(*round, work)? / team.mean(*round, work)?;
        Some(scalability * team.mean(*round, parallel)?)
    });
    median_between(products)
}

fn parallel(sample: &Sample) -> f64 {
    sample.average / sample.seconds
}

fn per_unit(sample: &Sample, unit: Unit) -> f64 {
    match (unit, sample.amount) {
        (Unit::Iteration, Amount::Iterations(count)) => sample.work / count as f64,
        _ => sample.work,
    }
}

fn losses(team: &Rounds<'_>, base: &Rounds<'_>, unit: Unit) -> Option<Losses> {
    let taken =
        |rounds: &Rounds<'_>| Some(rounds.range(|round| round.taken.unwrap_or(0.0) / round.thread_seconds)?.middle);
    let taken = f64::max(taken(team)?, taken(base)?);
    let is_busy = taken >= BUSY;
    let mut both = team.by_round.values().chain(base.by_round.values()).flatten();
    let known = both.all(|by_round| by_round.taken.is_some());
    let work = |sample: &Sample| per_unit(sample, unit);
    let inflation = |before: f64, now: f64| now / before;
    let waiting = |sample: &Sample| Shares::from_sample(sample, is_busy).waiting;
    let each = |of: &dyn Fn(f64, f64) -> f64| {
        let rounds = team.by_round.keys().filter_map(|round| {
            let inflation = team.mean(*round, work)? / base.mean(*round, work)?;
            // Were iterations as dear as with the smallest team, the work would be what it is over the inflation.
            let working = team.mean(*round, |team| Shares::from_sample(team, is_busy).working)?;
            let dearer = working * (1.0 - 1.0 / inflation);
            Some(of(dearer, team.mean(*round, waiting)?))
        });
        median_between(rounds)
    };
    Some(Losses {
        threads: [base.threads, team.threads],
        rounds: team.by_round.keys().filter(|key| base.by_round.contains_key(key)).count(),
        inflation: team.against(base, work, inflation)?,
        dearer: each(&|dearer, _| dearer)?,
        waiting: each(&|_, waiting| waiting)?,
        imbalance: team.range(|team| Shares::from_sample(team, is_busy).imbalance)?,
        difference: each(&|dearer, waiting| dearer - waiting)?,
        taken: known.then_some(taken),
    })
}

struct Shares {
    working: f64,
    waiting: f64,
    imbalance: f64,
}

impl Shares {
    /// Where many cores were taken, who knows what waited for them: then as if the loop had taken as long as its busiest thread works.
    fn from_sample(sample: &Sample, is_busy: bool) -> Shares {
        if is_busy {
            let working = sample.average / sample.busiest;
            let imbalance = 1.0 - working;
            return Shares { working, waiting: imbalance, imbalance };
        }
        let working = sample.work / sample.thread_seconds;
        let taken = sample.taken.unwrap_or(0.0) / sample.thread_seconds;
        Shares {
            working,
            waiting: 1.0 - working - taken,
            imbalance: (sample.busiest - sample.average) / sample.seconds,
        }
    }
}

#[cfg(test)]
mod tests;
