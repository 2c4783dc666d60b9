//! Worlds in which a loop is run in thought, under the schedule as it is and under others, and what ratios come of all of them.

use fastrand::Rng;
use ompchunk_figures::{Interval, median, quantile};

use crate::costs::{Case, Costs, Dealing};
use crate::schedule::{Kind, Schedule};
use crate::simulate::simulate;
use crate::world::{Interpretation, World};

const DRAWS: usize = 100;

#[derive(Debug)]
pub struct Simulation {
    pub world: World,
    /// What was measured beyond what is simulated.
    pub rest: f64,
    /// Its time under the schedule as it is, in each case.
    pub now: [f64; 3],
    pub weight: f64,
    /// It is an execution, and not what several have in common.
    pub real: bool,
}

pub const CASES: [Case; 3] = [Case::Best, Case::Middle, Case::Worst];

/// How long a schedule takes in a world.
pub fn time(schedule: &Schedule, world: &World, costs: &Costs, case: Case) -> f64 {
    let mut dealing = costs.dealing(schedule, case);
    // Threads that took chunks one after another held each other up; that others do so as much is likely.
    if let Some(seen) = world.dealing.filter(|_| schedule.kind != Kind::Static) {
        dealing.own = case.pick([dealing.own.min(seen), seen, dealing.own.max(seen)]);
    }
    simulate(schedule, &world.work, &world.team, &dealing).time
}

/// Simulates worlds, except those of an interpretation that changes nothing in any of them.
pub fn simulations(worlds: impl Iterator<Item = World>, now: Schedule, costs: &Costs, real: bool) -> Vec<Simulation> {
    let mut worlds: Vec<World> = worlds.collect();
    // A narrow one follows the interpretation that it differs from.
    let differs = |both: &[World]| both[1].interpretation == Interpretation::Narrow && both[1].work != both[0].work;
    if !worlds.windows(2).any(differs) {
        worlds.retain(|world| world.interpretation != Interpretation::Narrow);
    }
    worlds.into_iter().map(|world| simulation(world, now, costs, real)).collect()
}

pub fn simulation(world: World, now: Schedule, costs: &Costs, real: bool) -> Simulation {
    let now = CASES.map(|case| {
        // What dealing took may be known of the schedule as it is.
        let usual = costs.dealing(&now, case);
        let dealing = Dealing { own: world.dealing.unwrap_or(usual.own), ..usual };
        simulate(&now, &world.work, &world.team, &dealing).time
    });
    let rest = if real { (world.measured - Case::Middle.pick(now)).max(0.0) } else { 0.0 };
    Simulation { weight: world.work.total().max(f64::MIN_POSITIVE), rest, now, world, real }
}

/// What was measured beyond what is simulated is the same each time, as a rule; where threads are late it is their own.
pub fn settle(simulations: &mut [Simulation], busy: bool) -> f64 {
    let interpretation = |simulation: &Simulation| simulation.world.interpretation;
    let late = simulations.iter().filter(|simulation| interpretation(simulation) == Interpretation::Late);
    let rule = median(late.map(|simulation| simulation.rest)).filter(|_| !busy).unwrap_or(0.0);
    for simulation in simulations.iter_mut().filter(|simulation| simulation.real) {
        if !matches!(interpretation(simulation), Interpretation::Late | Interpretation::Dealt) {
            simulation.rest = rule;
        }
    }
    rule
}

/// Both ends of the ratio of sums where threads come as late as they came, drawn anew many times: it is the whole run's.
fn ratios_if_late(times: &[([f64; 2], f64)]) -> Option<[f64; 2]> {
    let mut random = Rng::with_seed(times.len() as u64);
    let mut draws = [Vec::new(), Vec::new()];
    for _ in 0..if times.is_empty() { 0 } else { DRAWS } {
        let (mut then, mut before) = ([0.0; 2], 0.0);
        for _ in times {
            let (drawn, now) = times[random.usize(..times.len())];
            then = [then[0] + drawn[0], then[1] + drawn[1]];
            before += now;
        }
        if before > 0.0 {
            draws[0].push((then[0] / before, 1.0));
            draws[1].push((then[1] / before, 1.0));
        }
    }
    let [low, high] = draws;
    Some([quantile(low, 0.05)?, quantile(high, 0.95)?])
}

/// What is expected: the ratio of sums. `took`: how long the loop runs otherwise; `None`: it cannot be told.
pub fn middle(expected: &[Simulation], took: impl Fn(&Simulation) -> Option<f64>) -> Option<f64> {
    let (mut after, mut before) = (0.0, 0.0);
    for simulation in expected {
        after += simulation.rest + took(simulation)?;
        before += simulation.rest + Case::Middle.pick(simulation.now);
    }
    Some(if before > 0.0 { after / before } else { 1.0 })
}

/// Between what and what the time under another schedule to that of the schedule as it is lies in a world.
struct Sample {
    kind: (Interpretation, bool),
    ends: [f64; 2],
    weight: f64,
}

/// `took`: how long the loop runs otherwise, in each case.
pub fn ratio(simulations: &[Simulation], middle: f64, took: impl Fn(&Simulation) -> Option<[f64; 3]>) -> Interval {
    let mut samples: Vec<Sample> = Vec::new();
    let mut came_late = Vec::new();
    for simulation in simulations {
        let ends = took(simulation).map(|took| simulation.ratios(took));
        let Some(ends) = ends.filter(|ends| ends.iter().all(|end| end.is_finite())) else { continue };
        if simulation.world.interpretation == Interpretation::Late {
            let now = Case::Middle.pick(simulation.now) + simulation.rest;
            came_late.push((ends.map(|ratio| ratio * now), now));
        } else {
            let kind = (simulation.world.interpretation, simulation.real);
            samples.push(Sample { kind, ends, weight: simulation.weight });
        }
    }
    let (mut low, mut high) = (middle, middle);
    // Each kind of world on its own: none is outvoted by the others.
    samples.sort_by_key(|sample| sample.kind);
    for group in samples.chunk_by(|left, right| left.kind == right.kind) {
        let end =
            |number: usize, share| quantile(group.iter().map(|sample| (sample.ends[number], sample.weight)), share);
        low = end(0, 0.05).map_or(low, |end| end.min(low));
        high = end(1, 0.95).map_or(high, |end| end.max(high));
    }
    if let Some([least, most]) = ratios_if_late(&came_late) {
        (low, high) = (low.min(least), high.max(most));
    }
    Interval { low, middle, high }
}

impl Simulation {
    /// The least and the most that its time is to that of the schedule as it is.
    fn ratios(&self, took: [f64; 3]) -> [f64; 2] {
        let [mut least, mut most] = [f64::MAX, f64::MIN];
        // What is not known of dealing is the same for both; what was measured beyond the threads' work may come again
        // or not.
        for (then, now) in took.into_iter().zip(self.now) {
            for ratio in [(then + self.rest) / (now + self.rest), then / now] {
                (least, most) = (least.min(ratio), most.max(ratio));
            }
        }
        [least, most]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_drawn() {
        assert_eq!(ratios_if_late(&[([1.0, 3.0], 4.0)]), Some([0.25, 0.75]));
        assert_eq!(ratios_if_late(&[]), None);
    }

    /// The rule comes from those where threads come as late as they came, and they keep their own.
    #[test]
    fn the_rest_is_the_same_each_time_unless_threads_are_late() {
        let simulation = |interpretation, rest| Simulation {
            world: World {
                interpretation,
                work: Default::default(),
                team: Default::default(),
                measured: 0.0,
                dealing: None,
            },
            rest,
            now: [0.0; 3],
            weight: 1.0,
            real: true,
        };
        let mut all = [simulation(Interpretation::Late, 7.0), simulation(Interpretation::Iterations, 1.0)];
        assert_eq!(settle(&mut all, false), 7.0);
        assert_eq!(all.map(|one| one.rest), [7.0, 7.0]);
        let mut all = [simulation(Interpretation::Late, 7.0), simulation(Interpretation::Iterations, 1.0)];
        assert_eq!(settle(&mut all, true), 0.0);
        assert_eq!(all.map(|one| one.rest), [7.0, 0.0]);
    }
}
