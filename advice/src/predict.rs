//! What each schedule would make of a loop, as a ratio to the schedule as it is: simulated against simulated, on the same
//! profile, in every reading of it, with what dealing costs at least and at most.

use ompchunk_analysis::profile::Execution;
use rayon::prelude::*;

use crate::cases::{Simulation, case, middle, ratio, settle, simulations, time};
use crate::costs::{Case, Costs};
use crate::dealt::Hidden;
use crate::interval::{Interval, quantile};
use crate::look::{Look, spread};
use crate::schedule::{Kind, Schedule};
use crate::simulate::Team;
use crate::work::Work;
use crate::world::{Reading, lateness, median, worlds};

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
    /// The schedule.
    pub schedule: Schedule,
    /// The loop's time to that under the schedule as it is, with as many threads.
    pub ratio: Interval,
}

/// Of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The schedule as it is.
    pub now: Schedule,
    /// The team that is simulated.
    pub threads: usize,
    /// The loop's time with that team to what was recorded, under the schedule as it is; 1: the team is the recorded one.
    pub as_is: Interval,
    /// All schedules that were tried, `now` among them.
    pub candidates: Vec<Candidate>,
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
#[must_use]
pub fn candidates(trips: u64, threads: usize, now: Schedule, may: May) -> Vec<Schedule> {
    let share = (trips / threads.max(1) as u64).max(1);
    let sizes = (0..64).map(|index| 1u64 << index);
    let sizes = sizes.take_while(|size| *size <= share);
    let sizes: Vec<u64> = sizes
        .filter(|sizes| trips / sizes <= MOST_CHUNKS || 2 * sizes > share)
        .collect();
    let mut all = vec![Schedule::STATIC];
    let kinds: &[Kind] = match may {
        May::BeMapped => &[Kind::Static],
        _ => &[Kind::Static, Kind::Dynamic, Kind::Guided],
    };
    for &kind in kinds {
        all.extend(sizes.iter().map(|size| Schedule {
            monotonic: may == May::BeDealtInOrder && kind == Kind::Dynamic,
            ..Schedule::of(kind, *size)
        }));
    }
    if !all.contains(&now) {
        all.push(now);
    }
    all
}

/// Predicts. `executions` are complete, ran under `now`, and are not empty.
#[must_use]
pub fn predict(
    executions: &[&Execution],
    now: Schedule,
    may: May,
    threads: Option<usize>,
    costs: &Costs,
) -> Prediction {
    let look = Look::at(executions, &now, threads, costs);
    let some = &look.some;
    let team = threads.unwrap_or(look.recorded);
    let mut cases = simulations(look.real(), now, costs, true);
    cases.extend(simulations(look.likely(), now, costs, false));
    let rest = settle(&mut cases, look.is_busy());
    let expected = look.expected().into_iter().map(|expected| Simulation {
        // Where dealing hides the iterations, it is taken for all that was measured.
        rest: if look.dealt.hidden.is_some() {
            0.0
        } else {
            rest
        },
        ..case(expected, now, costs, true)
    });
    let expected: Vec<Simulation> = expected.collect();
    let trips = some.iter().map(|it| it.trips).max().unwrap_or(0);
    let doubt = MODEL + SINGLE / (some.len().max(1) as f64).sqrt() + look.taken / 2.0;
    let tried = candidates(trips, team, now, may);
    let candidates = tried.into_par_iter().map(|schedule| Candidate {
        schedule,
        ratio: match schedule == now {
            true => Interval::exactly(1.0),
            false => {
                ratio(&cases, middle(&expected, schedule, costs), schedule, costs).wider(doubt)
            }
        },
    });
    let mut elapsed: Vec<f64> = some.iter().map(|it| it.elapsed_ns).collect();
    let per_reading = look.dealt.least;
    Prediction {
        now,
        threads: team,
        as_is: as_is(some, now, threads, per_reading, costs).wider(match threads {
            Some(thread) if thread != look.recorded => doubt,
            _ => 0.0,
        }),
        candidates: candidates.collect(),
        follows_thread: follows_thread(&cases),
        late: lateness(&look.arrivals, median(&mut elapsed)),
        taken: look.taken,
        overhead: overhead(some, per_reading),
        executions: some.len(),
        typical: look.typical(),
        team: look.recorded,
        hidden: look.dealt.hidden,
    }
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
    let mut all: Vec<(f64, f64)> = Vec::new();
    let (mut then, mut before) = (0.0, 0.0);
    for execution in executions {
        let time = |threads| {
            let world = worlds(execution, threads, &[], per_reading, None).swap_remove(0);
            time(&now, &world, costs, Case::Middle)
        };
        let (one, other) = (time(threads), time(execution.threads.len().max(1)));
        if other > 0.0 {
            all.push((one / other, other));
            then += one;
            before += other;
        }
    }
    let middle = if before > 0.0 { then / before } else { 1.0 };
    Interval {
        low: quantile(&mut all, 0.05).map_or(middle, |quantile| quantile.min(middle)),
        middle,
        high: quantile(&mut all, 0.95).map_or(middle, |quantile| quantile.max(middle)),
    }
}

fn follows_thread(cases: &[Simulation]) -> Option<f64> {
    let of = |team: &Team| spread(&team.slower);
    let slow = cases.iter().filter(|case| case.real);
    let slow = slow.filter(|slow| slow.world.reading == Reading::Threads);
    let mut all: Vec<(f64, f64)> = slow.map(|slow| (of(&slow.world.team), 1.0)).collect();
    let real = cases.iter().filter(|case| case.real);
    let count = real.filter(|real| real.world.reading == Reading::Iterations);
    // In most executions, or it is no more than noise.
    match all.len() * 2 > count.count() {
        true => quantile(&mut all, 0.5),
        false => None,
    }
}

fn overhead(executions: &[&Execution], per_reading: f64) -> f64 {
    let pieces = executions.iter().flat_map(|execution| &execution.pieces);
    let (mut overhead, mut all) = (0.0, 0.0);
    for piece in pieces {
        overhead += per_reading * piece.readings as f64;
        all += piece.ns;
    }
    if all > 0.0 {
        (overhead / all).min(1.0)
    } else {
        0.0
    }
}
