//! What each schedule would make of a loop, as a ratio to the schedule as it is: simulated against simulated, on the same
//! profile, in every interpretation of it, with what dealing costs at least and at most.

use ompchunk_analysis::profile::Execution;
use ompchunk_figures::{Interval, median};
use rayon::prelude::*;

use crate::blocks::Blocks;
use crate::costs::{Case, Costs};
use crate::dealing_time::Hidden;
use crate::look::{BUSY, Look, spread};
use crate::ratios::{CASES, Simulation, middle, ratio, settle, simulation, simulations, time};
use crate::schedule::{Kind, Schedule};
use crate::simulate::simulate_blocks;
use crate::work::Work;
use crate::world::{Interpretation, lateness, worlds};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    Dealt,
    /// As `Dealt`, but no thread goes back: something reads which one ran the last iteration.
    DealtInOrder,
    /// Others rely on its threads: static schedules alone.
    Mapped,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub schedule: Schedule,
    pub ratio: Interval,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub now: Schedule,
    pub threads: usize,
    /// The loop's time with that team to what was recorded, under the schedule as it is; 1: the team is the recorded one.
    pub as_is: Interval,
    pub candidates: Vec<Candidate>,
    /// The same ratio in blocks of equal cost, where `OMPCHUNK_SCHEDULE` can have the loop run so, and several executions tell.
    pub balanced: Option<Interval>,
    /// The slowest thread to the fastest, where that can be told from the iterations' cost.
    pub follows_thread: Option<f64>,
    /// How much later than the first the last thread begins as a rule, as a share of the loop's time.
    pub late: f64,
    /// What of the threads' time was taken from them.
    pub taken: f64,
    /// What of the time in chunks is dealing and the clock.
    pub overhead: f64,
    pub executions: usize,
    /// What the executions have in common, or the longest of them: for a reason.
    pub typical: Work,
    /// Where the blocks of `typical` are.
    pub team: usize,
    pub hidden: Option<Hidden>,
}

impl Prediction {
    /// `None`: that was not tried.
    pub fn ratio_of(&self, candidate: &Candidate) -> Option<Interval> {
        self.candidates.iter().find(|own| own.schedule == candidate.schedule).map(|own| own.ratio)
    }
}

/// More chunks in an execution cannot balance better, and cost more.
const MOST_CHUNKS: u64 = 1 << 20;
/// What the model leaves out: caches, the barrier, the clock's own noise. A share of each end of an interval, ...
const MODEL: f64 = 0.01;
/// ... and for one execution, which says nothing of the next; fewer for more, by the square root of their number.
const SINGLE: f64 = 0.04;

/// The schedules to think of: chunk sizes are powers of two up to an even share.
pub fn candidates(trips: u64, threads: usize, now: Schedule, allowed: Allowed) -> Vec<Schedule> {
    let share = (trips / threads.max(1) as u64).max(1);
    let sizes = (0..64).map(|index| 1u64 << index).take_while(|size| *size <= share);
    let sizes: Vec<u64> = sizes.filter(|size| trips / size <= MOST_CHUNKS || 2 * size > share).collect();
    let mut candidates = vec![Schedule::STATIC];
    let kinds: &[Kind] = match allowed {
        Allowed::Mapped => &[Kind::Static],
        Allowed::Dealt | Allowed::DealtInOrder => &[Kind::Static, Kind::Dynamic, Kind::Guided],
    };
    for &kind in kinds {
        candidates.extend(sizes.iter().map(|size| Schedule {
            monotonic: allowed == Allowed::DealtInOrder && kind == Kind::Dynamic,
            ..Schedule::with_chunk(kind, *size)
        }));
    }
    if !candidates.contains(&now) {
        candidates.push(now);
    }
    candidates
}

/// Predicts. `executions` are complete, ran under `now`, and are not empty.
pub fn predict(
    executions: &[&Execution],
    now: Schedule,
    allowed: Allowed,
    threads: Option<usize>,
    costs: &Costs,
) -> Prediction {
    let look = Look::new(executions, &now, threads, costs);
    let simulated = &look.simulated;
    let team = threads.unwrap_or(look.recorded);
    let mut simulated_worlds = simulations(look.real(), now, costs, true);
    simulated_worlds.extend(simulations(look.likely(), now, costs, false));
    let rest = settle(&mut simulated_worlds, look.taken > BUSY);
    // What each execution is expected to be, with what was measured beyond it as a rule: where dealing hides the iterations, it is taken
    // for all that was measured.
    let rest = look.dealt.hidden.map_or(rest, |_| 0.0);
    let expected = look.expected().into_iter().map(|world| Simulation { rest, ..simulation(world, now, costs, true) });
    let expected: Vec<Simulation> = expected.collect();
    // By how much an interval is wider than simulations alone have it.
    let doubt = MODEL + SINGLE / (simulated.len().max(1) as f64).sqrt() + look.taken / 2.0;
    let trips = simulated.iter().map(|execution| execution.trips).max();
    let ratio_under = |schedule: Schedule| {
        if schedule == now {
            return Interval::exactly(1.0);
        }
        let took = |simulation: &Simulation, case| time(&schedule, &simulation.world, costs, case);
        let expected_ratio = middle(&expected, |simulation| Some(took(simulation, Case::Middle))).unwrap_or(1.0);
        let in_cases = |simulation: &Simulation| Some(CASES.map(|case| took(simulation, case)));
        ratio(&simulated_worlds, expected_ratio, in_cases).wider(doubt)
    };
    // Loops that are dealt in the source cannot run so, nor those whose last iteration's thread is asked for.
    let can_balance = now.kind == Kind::Static && allowed == Allowed::Dealt && look.dealt.hidden.is_none();
    let balanced = can_balance.then(|| in_blocks(&simulated_worlds, &expected));
    let tried = candidates(trips.unwrap_or(0), team, now, allowed).into_par_iter();
    let tried = tried.map(|schedule| Candidate { schedule, ratio: ratio_under(schedule) });
    let elapsed = median(simulated.iter().map(|execution| execution.elapsed_ns));
    Prediction {
        now,
        threads: team,
        as_is: as_is(&look, now, threads, costs).wider(if team == look.recorded { 0.0 } else { doubt }),
        candidates: tried.collect(),
        balanced: balanced.flatten().map(|ratio| ratio.wider(doubt)),
        follows_thread: follows_thread(&simulated_worlds),
        late: lateness(&look.arrivals, elapsed.unwrap_or(0.0)),
        taken: look.taken,
        overhead: overhead(simulated, look.dealt.least),
        executions: simulated.len(),
        typical: look.typical(),
        team: look.recorded,
        hidden: look.dealt.hidden,
    }
}

fn in_blocks(simulations: &[Simulation], expected: &[Simulation]) -> Option<Interval> {
    // Nothing is dealt, whatever that would cost.
    let took = |blocks: &Blocks, Simulation { world, real, .. }: &Simulation| {
        let bounds = blocks.bounds(world, *real)?;
        Some(simulate_blocks(&bounds, &world.work, &world.team).time)
    };
    let (blocks, expected_blocks) = (blocks_of(simulations), blocks_of(expected));
    let expected_ratio = middle(expected, |simulation| took(&expected_blocks, simulation))?;
    Some(ratio(simulations, expected_ratio, |simulation| Some([took(&blocks, simulation)?; 3])))
}

fn blocks_of(simulations: &[Simulation]) -> Blocks {
    Blocks::from_worlds(simulations.iter().map(|simulation| (&simulation.world, simulation.real)))
}

fn as_is(look: &Look<'_>, now: Schedule, threads: Option<usize>, costs: &Costs) -> Interval {
    let Some(threads) = threads else {
        return Interval::exactly(1.0);
    };
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    let (mut all_asked, mut all_recorded) = (0.0, 0.0);
    for execution in &look.simulated {
        let time_with = |threads| {
            let world = worlds(execution, threads, &[], look.dealt.least, None).swap_remove(0);
            time(&now, &world, costs, Case::Middle)
        };
        let (asked, recorded) = (time_with(threads), time_with(execution.threads.len().max(1)));
        if recorded > 0.0 {
            ratios.push((asked / recorded, recorded));
            all_asked += asked;
            all_recorded += recorded;
        }
    }
    let middle = if all_recorded > 0.0 { all_asked / all_recorded } else { 1.0 };
    Interval::around(middle, &ratios)
}

fn follows_thread(simulations: &[Simulation]) -> Option<f64> {
    let worlds_read_as = |interpretation: Interpretation| {
        let real = simulations.iter().filter(|simulation| simulation.real).map(|simulation| &simulation.world);
        real.filter(move |world| world.interpretation == interpretation)
    };
    let spreads: Vec<f64> = worlds_read_as(Interpretation::Threads).map(|world| spread(&world.team.slower)).collect();
    // In most executions, or it is no more than noise.
    let are_most = spreads.len() * 2 > worlds_read_as(Interpretation::Iterations).count();
    median(spreads).filter(|_| are_most)
}

fn overhead(executions: &[&Execution], per_reading: f64) -> f64 {
    let (mut overhead, mut in_chunks) = (0.0, 0.0);
    for piece in executions.iter().flat_map(|execution| &execution.pieces) {
        overhead += per_reading * piece.readings as f64;
        in_chunks += piece.ns;
    }
    if in_chunks > 0.0 { (overhead / in_chunks).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_sizes_are_powers_of_two_of_which_there_are_not_too_many() {
        let sizes = |trips: u64, threads: usize| -> Vec<u64> {
            let all = candidates(trips, threads, Schedule::STATIC, Allowed::Mapped);
            assert_eq!(all[0], Schedule::STATIC);
            all[1..].iter().filter_map(|schedule| schedule.chunk).collect()
        };
        assert_eq!(sizes(100, 4), [1, 2, 4, 8, 16]);
        assert_eq!(sizes(1 << 24, 1 << 16), [16, 32, 64, 128, 256]);
        // The largest one is there, however many chunks that makes.
        assert_eq!(sizes(1 << 24, 1 << 22), [4]);
    }
}
