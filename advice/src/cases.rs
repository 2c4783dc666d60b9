//! Worlds in which a loop is run in thought, under the schedule as it is and under others, and what ratios come of all of them.

use crate::costs::{Case, Costs, Dealing};
use crate::interval::{Interval, quantile};
use crate::random::Random;
use crate::schedule::{Kind, Schedule};
use crate::simulate::simulate;
use crate::world::{Reading, World, median};

/// Draws of executions.
const DRAWS: usize = 100;

/// A simulated world, and what it weighs.
#[derive(Debug)]
pub struct Simulation {
    /// The world.
    pub world: World,
    /// What was measured beyond what is simulated.
    pub rest: f64,
    /// Its time under the schedule as it is, in each case.
    pub now: [f64; 3],
    /// What it counts.
    pub weight: f64,
    /// It is an execution, and not what several have in common.
    pub real: bool,
}

const CASES: [Case; 3] = [Case::Best, Case::Middle, Case::Worst];

/// How long a schedule takes in a world.
#[must_use]
pub fn time(schedule: &Schedule, world: &World, costs: &Costs, case: Case) -> f64 {
    let mut dealing = costs.of(schedule, case);
    // Threads that took chunks one after another held each other up; that others do so as much is likely.
    if let Some(seen) = world.dealing.filter(|_| schedule.kind != Kind::Static) {
        dealing.own = match case {
            Case::Best => dealing.own.min(seen),
            Case::Middle => seen,
            Case::Worst => dealing.own.max(seen),
        };
    }
    simulate(schedule, &world.work, &world.team, &dealing).time
}

/// The same of the schedule as it is, of which it may be known what dealing took.
fn time_now(now: &Schedule, world: &World, costs: &Costs, case: Case) -> f64 {
    let usual = costs.of(now, case);
    let dealing = Dealing {
        own: world.dealing.unwrap_or(usual.own),
        ..usual
    };
    simulate(now, &world.work, &world.team, &dealing).time
}

/// Of worlds; without those of a reading that makes no difference in any of them.
#[must_use]
pub fn simulations(
    worlds: impl Iterator<Item = World>,
    now: Schedule,
    costs: &Costs,
    real: bool,
) -> Vec<Simulation> {
    let worlds: Vec<World> = worlds.collect();
    // One follows the reading that it differs from.
    let is_coarse =
        |both: &[World]| both[1].reading == Reading::Narrow && both[1].work != both[0].work;
    let is_coarse = worlds.windows(2).any(is_coarse);
    let worlds = worlds.into_iter();
    let worlds = worlds.filter(|it| is_coarse || it.reading != Reading::Narrow);
    worlds.map(|it| case(it, now, costs, real)).collect()
}

/// One of them. `real`: it is an execution.
#[must_use]
pub fn case(world: World, now: Schedule, costs: &Costs, real: bool) -> Simulation {
    let times = CASES.map(|case| time_now(&now, &world, costs, case));
    let rest = (world.measured - times[1]).max(0.0);
    Simulation {
        weight: world.work.total().max(f64::MIN_POSITIVE),
        rest: if real { rest } else { 0.0 },
        now: times,
        world,
        real,
    }
}

/// What was measured beyond what is simulated is the same each time, as a rule; where threads are late it is their own.
pub fn settle(cases: &mut [Simulation], busy: bool) -> f64 {
    let late = |it: &&mut Simulation| it.world.reading == Reading::Late;
    let mut all: Vec<f64> = cases.iter_mut().filter(late).map(|it| it.rest).collect();
    let rule = if busy { 0.0 } else { median(&mut all) };
    let simulated = |it: &&mut Simulation| it.real && it.world.reading != Reading::Dealt;
    for it in cases.iter_mut().filter(|it| !late(it) && simulated(it)) {
        it.rest = rule;
    }
    rule
}

/// Both ends of the ratio of sums where threads come as late as they came, drawn anew many times: it is the whole run's.
fn late(all: &[([f64; 2], f64)]) -> Option<[f64; 2]> {
    let mut random = Random::new(all.len() as u64);
    let mut draws = [Vec::new(), Vec::new()];
    for _ in 0..if all.is_empty() { 0 } else { DRAWS } {
        let (mut then, mut before) = ([0.0; 2], 0.0);
        for _ in all {
            let (one, now) = all[random.below(all.len())];
            then = [then[0] + one[0], then[1] + one[1]];
            before += now;
        }
        if before > 0.0 {
            draws[0].push((then[0] / before, 1.0));
            draws[1].push((then[1] / before, 1.0));
        }
    }
    let [low, high] = &mut draws;
    Some([quantile(low, 0.05)?, quantile(high, 0.95)?])
}

/// What is expected: the ratio of sums.
#[must_use]
pub fn middle(expected: &[Simulation], schedule: Schedule, costs: &Costs) -> f64 {
    let then = |it: &Simulation| it.rest + time(&schedule, &it.world, costs, Case::Middle);
    let (mut after, mut before) = (0.0, 0.0);
    for it in expected {
        after += then(it);
        before += it.rest + it.now[1];
    }
    if before > 0.0 { after / before } else { 1.0 }
}

/// Over all executions and readings.
#[must_use]
pub fn ratio(cases: &[Simulation], middle: f64, schedule: Schedule, costs: &Costs) -> Interval {
    let mut samples: Vec<(Reading, bool, [f64; 2], f64)> = Vec::new();
    let mut came_late = Vec::new();
    for it in cases {
        let times = CASES.map(|case| time(&schedule, &it.world, costs, case));
        // What is not known of dealing is the same for both; what was measured beyond the threads' work may come again
        // or not.
        let ratios = (0..CASES.len()).flat_map(|at| {
            let with = (times[at] + it.rest) / (it.now[at] + it.rest);
            [with, times[at] / it.now[at]]
        });
        let ratios: Vec<f64> = ratios.collect();
        let all = [
            ratios.iter().copied().fold(f64::MAX, f64::min),
            ratios.iter().copied().fold(f64::MIN, f64::max),
        ];
        if !all.iter().all(|it| it.is_finite()) {
            continue;
        }
        if it.world.reading == Reading::Late {
            let now = it.now[1] + it.rest;
            came_late.push((all.map(|ratio| ratio * now), now));
        } else {
            samples.push((it.world.reading, it.real, all, it.weight));
        }
    }
    let (mut low, mut high) = (middle, middle);
    // Each kind of world on its own: none is outvoted by the others.
    samples.sort_by_key(|it| (it.0, it.1));
    for group in samples.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
        let end = |at: usize, share: f64| {
            let mut all: Vec<(f64, f64)> = group.iter().map(|it| (it.2[at], it.3)).collect();
            quantile(&mut all, share)
        };
        low = end(0, 0.05).map_or(low, |it| it.min(low));
        high = end(1, 0.95).map_or(high, |it| it.max(high));
    }
    if let Some([least, most]) = late(&came_late) {
        (low, high) = (low.min(least), high.max(most));
    }
    Interval { low, middle, high }
}
