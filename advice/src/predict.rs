//! What each schedule would make of a loop, as a ratio to the schedule as it is: simulated against simulated, on the same
//! profile, in every interpretation of it, with what dealing costs at least and at most.

use ompchunk_analysis::profile::Execution;
use ompchunk_figures::{Interval, median};
use rayon::prelude::*;

use crate::blocks::Blocks;
use crate::costs::{Case, Costs};
use crate::dealing_time::Hidden;
use crate::look::{Look, spread};
use crate::ratios::{Simulation, Under, middle, ratio, settle, simulation, simulations, time};
use crate::schedule::{Kind, Schedule};
use crate::work::Work;
use crate::world::{Interpretation, lateness, worlds};

/// What a program allows of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Any thread runs any iteration.
    BeDealt,
    /// Likewise, but no thread goes back: something reads which one ran the last iteration.
    BeDealtInOrder,
    /// Others rely on its threads: static schedules alone.
    BeMapped,
}

/// A schedule, and the loop's time under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub schedule: Schedule,
    /// The loop's time to that under the schedule as it is, with as many threads.
    pub ratio: Interval,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub now: Schedule,
    /// The team that is simulated.
    pub threads: usize,
    /// The loop's time with that team to what was recorded, under the schedule as it is; 1: the team is the recorded one.
    pub as_is: Interval,
    /// All schedules that were tried, `now` among them.
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
    /// Executions that were simulated.
    pub executions: usize,
    /// What the executions have in common, or the longest of them: for a reason.
    pub typical: Work,
    /// Where the blocks of `typical` are.
    pub team: usize,
    /// What iterations cost cannot be told from dealing.
    pub hidden: Option<Hidden>,
}

/// More chunks in an execution cannot balance better, and cost more.
const MOST_CHUNKS: u64 = 1 << 20;
/// What the model leaves out: caches, the barrier, the clock's own noise. A share of each end of an interval, ...
const MODEL: f64 = 0.01;
/// ... and for one execution, which says nothing of the next; fewer for more, by the square root of their number.
const SINGLE: f64 = 0.04;

/// The schedules to think of: chunk sizes are powers of two up to an even share.
pub fn candidates(trips: u64, threads: usize, now: Schedule, may: May) -> Vec<Schedule> {
    let share = (trips / threads.max(1) as u64).max(1);
    let sizes = (0..64).map(|index| 1u64 << index);
    let sizes = sizes.take_while(|size| *size <= share);
    let sizes: Vec<u64> = sizes.filter(|size| trips / size <= MOST_CHUNKS || 2 * size > share).collect();
    let mut candidates = vec![Schedule::STATIC];
    let kinds: &[Kind] = match may {
        May::BeMapped => &[Kind::Static],
        May::BeDealt | May::BeDealtInOrder => &[Kind::Static, Kind::Dynamic, Kind::Guided],
    };
    for &kind in kinds {
        candidates.extend(sizes.iter().map(|size| Schedule {
            monotonic: may == May::BeDealtInOrder && kind == Kind::Dynamic,
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
    may: May,
    threads: Option<usize>,
    costs: &Costs,
) -> Prediction {
    let look = Look::at(executions, &now, threads, costs);
    let simulated = &look.simulated;
    let team = threads.unwrap_or(look.recorded);
    let mut simulated_worlds = simulations(look.real(), now, costs, true);
    simulated_worlds.extend(simulations(look.likely(), now, costs, false));
    let rest = settle(&mut simulated_worlds, look.is_busy());
    let expected = expected_simulations(&look, rest, now, costs);
    let doubt = doubt_beyond_simulations(&look);
    let trips = simulated.iter().map(|execution| execution.trips).max();
    let ratio_under = |schedule: Schedule| {
        if schedule == now {
            return Interval::exactly(1.0);
        }
        let under = Under::Schedule(schedule);
        let expected_ratio = middle(&expected, under, costs).unwrap_or(1.0);
        ratio(&simulated_worlds, expected_ratio, under, costs).wider(doubt)
    };
    // Loops that are dealt in the source cannot run so, nor those whose last iteration's thread is asked for.
    let can_balance = now.kind == Kind::Static && may == May::BeDealt && look.dealt.hidden.is_none();
    let balanced = can_balance.then(|| in_blocks(&simulated_worlds, &expected, costs));
    let tried = candidates(trips.unwrap_or(0), team, now, may);
    let tried = tried.into_par_iter().map(|schedule| Candidate { schedule, ratio: ratio_under(schedule) });
    let per_reading = look.dealt.least;
    let elapsed = median(simulated.iter().map(|execution| execution.elapsed_ns));
    Prediction {
        now,
        threads: team,
        as_is: as_is(simulated, now, threads, per_reading, costs).wider(match threads {
            Some(threads) if threads != look.recorded => doubt,
            Some(_) | None => 0.0,
        }),
        candidates: tried.collect(),
        balanced: balanced.flatten().map(|ratio| ratio.wider(doubt)),
        follows_thread: follows_thread(&simulated_worlds),
        late: lateness(&look.arrivals, elapsed.unwrap_or(0.0)),
        taken: look.taken,
        overhead: overhead(simulated, per_reading),
        executions: simulated.len(),
        typical: look.typical(),
        team: look.recorded,
        hidden: look.dealt.hidden,
    }
}

/// What blocks of equal cost make of a loop, if that can be told.
fn in_blocks(simulations: &[Simulation], expected: &[Simulation], costs: &Costs) -> Option<Interval> {
    let (blocks, expected_blocks) = (blocks_of(simulations), blocks_of(expected));
    let expected_ratio = middle(expected, Under::Blocks(&expected_blocks), costs)?;
    Some(ratio(simulations, expected_ratio, Under::Blocks(&blocks), costs))
}

fn blocks_of(simulations: &[Simulation]) -> Blocks {
    let worlds = simulations.iter();
    Blocks::from_worlds(worlds.map(|simulation| (&simulation.world, simulation.real)))
}

/// What each execution is expected to be, with what was measured beyond it as a rule.
fn expected_simulations(look: &Look<'_>, rest: f64, now: Schedule, costs: &Costs) -> Vec<Simulation> {
    let rest = match look.dealt.hidden {
        // Where dealing hides the iterations, it is taken for all that was measured.
        Some(_) => 0.0,
        None => rest,
    };
    let worlds = look.expected().into_iter();
    let simulations = worlds.map(|world| Simulation { rest, ..simulation(world, now, costs, true) });
    simulations.collect()
}

/// By how much an interval is wider than simulations alone have it.
fn doubt_beyond_simulations(look: &Look<'_>) -> f64 {
    let executions = look.simulated.len().max(1) as f64;
    MODEL + SINGLE / executions.sqrt() + look.taken / 2.0
}

/// The schedule as it is, with another team.
fn as_is(
    executions: &[&Execution],
    now: Schedule,
    threads: Option<usize>,
    per_reading: f64,
    costs: &Costs,
) -> Interval {
    let Some(threads) = threads else {
        return Interval::exactly(1.0);
    };
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    let (mut all_asked, mut all_recorded) = (0.0, 0.0);
    for execution in executions {
        let time_with = |threads| {
            let world = worlds(execution, threads, &[], per_reading, None).swap_remove(0);
            time(&now, &world, costs, Case::Middle)
        };
        let recorded_team = execution.threads.len().max(1);
        let (asked, recorded) = (time_with(threads), time_with(recorded_team));
        if recorded > 0.0 {
            ratios.push((asked / recorded, recorded));
            all_asked += asked;
            all_recorded += recorded;
        }
    }
    let middle = match all_recorded > 0.0 {
        true => all_asked / all_recorded,
        false => 1.0,
    };
    Interval::around(middle, &ratios)
}

fn follows_thread(simulations: &[Simulation]) -> Option<f64> {
    let worlds_read_as = |interpretation: Interpretation| {
        let real = simulations.iter().filter(|simulation| simulation.real);
        let worlds = real.map(|simulation| &simulation.world);
        worlds.filter(move |world| world.interpretation == interpretation)
    };
    let slow = worlds_read_as(Interpretation::Threads);
    let spreads: Vec<f64> = slow.map(|world| spread(&world.team.slower)).collect();
    // In most executions, or it is no more than noise.
    let are_most = spreads.len() * 2 > worlds_read_as(Interpretation::Iterations).count();
    median(spreads).filter(|_| are_most)
}

fn overhead(executions: &[&Execution], per_reading: f64) -> f64 {
    let pieces = executions.iter().flat_map(|execution| &execution.pieces);
    let (mut overhead, mut in_chunks) = (0.0, 0.0);
    for piece in pieces {
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
            let all = candidates(trips, threads, Schedule::STATIC, May::BeMapped);
            assert_eq!(all[0], Schedule::STATIC);
            all[1..].iter().filter_map(|schedule| schedule.chunk).collect()
        };
        assert_eq!(sizes(100, 4), [1, 2, 4, 8, 16]);
        assert_eq!(sizes(1 << 24, 1 << 16), [16, 32, 64, 128, 256]);
        // The largest one is there, however many chunks that makes.
        assert_eq!(sizes(1 << 24, 1 << 22), [4]);
    }
}
