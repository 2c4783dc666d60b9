//! What an execution may be like under another schedule: a profile tells what iterations took on the thread that ran them,
//! and there are several ways to read it. Each is a world; a prediction has to hold in all of them.

use fastrand::Rng;
use ompchunk_analysis::profile::{Execution, Piece};
use ompchunk_figures::median;

use crate::simulate::Team;
use crate::threads::divide_by;
use crate::work::Work;

/// How an execution's times are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interpretation {
    /// All of it is the iterations' cost.
    Iterations,
    /// What jumps between threads was so this time only.
    Passing,
    /// ... and stays with the threads.
    Threads,
    /// As the iterations' cost, of which single ones have what a coarse profile spreads over several.
    Narrow,
    /// As the iterations' cost, and threads come as late as they came this time.
    Late,
    /// As the iterations' cost, and all threads begin at once: that some come late as a rule may be the machine's doing.
    AllAtOnce,
    /// Dealing took all that it may have taken of the chunks that were recorded, and the iterations the rest.
    Dealt,
}

#[derive(Debug, Clone, PartialEq)]
pub struct World {
    pub interpretation: Interpretation,
    pub work: Work,
    pub team: Team,
    /// From the first begin to the last end, without what was taken from the threads; 0: not measured.
    pub measured: f64,
    /// What dealing a chunk took when it was recorded; `None`: what it costs as a rule.
    pub dealing: Option<f64>,
}

/// At least this share of a piece's time is iterations, whatever is taken for overhead.
const LEAST: f64 = 0.1;
const CELLS: u64 = 512;
const ENOUGH: usize = 3;
pub const DRAWN: usize = 8;
/// Threads come late that begin this share of the execution after the first, or more.
pub const LATE: f64 = 0.02;

/// When each thread of a team begins as a rule. That one comes late now and then is not the loop's doing.
pub fn arrivals(executions: &[&Execution]) -> Vec<f64> {
    let most = executions.iter().map(|execution| execution.threads.len()).max().unwrap_or(0);
    let usually = |index: usize| {
        let threads = executions.iter().filter_map(|execution| execution.threads.get(index));
        median(threads.map(|thread| thread.arrives_ns)).unwrap_or(0.0)
    };
    let usual: Vec<f64> = (0..most).map(usually).collect();
    let first = usual.iter().copied().fold(f64::MAX, f64::min);
    usual.into_iter().map(|time| time - first).collect()
}

/// How late the last thread begins, as a share of an execution.
pub fn lateness(arrivals: &[f64], elapsed_ns: f64) -> f64 {
    let last = arrivals.iter().copied().fold(0.0, f64::max);
    if elapsed_ns > 0.0 { last / elapsed_ns } else { 0.0 }
}

/// The interpretations of one execution, on so many threads that begin at these times as a rule. `per_reading`: time of each
/// chunk that is not its iterations'. `factors`: how much longer each thread may take for the same, if it looks like that.
pub fn worlds(
    execution: &Execution,
    threads: usize,
    arrivals: &[f64],
    per_reading: f64,
    factors: Option<&[f64]>,
) -> Vec<World> {
    let mut pieces = execution.pieces.clone();
    for piece in &mut pieces {
        let overhead = per_reading * piece.readings as f64;
        piece.ns = (piece.ns - overhead).max(piece.ns * LEAST);
    }
    let recorded = execution.threads.len().max(1);
    let team = |arrives: &dyn Fn(usize) -> f64| Team {
        arrives: (0..threads).map(|thread| arrives(thread % recorded)).collect(),
        slower: vec![1.0; threads],
    };
    let as_a_rule = |thread: usize| arrivals.get(thread).copied().unwrap_or(0.0);
    let this_time = |thread: usize| execution.threads.get(thread).map_or(0.0, |thread| thread.arrives_ns);
    let taken = execution.threads.iter().map(|thread| thread.taken_ns);
    let plain = World {
        interpretation: Interpretation::Iterations,
        work: Work::from_pieces(&pieces),
        team: team(&as_a_rule),
        measured: (execution.elapsed_ns - taken.fold(0.0, f64::max)).max(0.0),
        dealing: None,
    };
    let mut worlds = vec![
        plain.clone(),
        World {
            interpretation: Interpretation::Narrow,
            work: narrow(&pieces).map_or_else(|| plain.work.clone(), Work::new),
            ..plain.clone()
        },
        World { interpretation: Interpretation::Late, team: team(&this_time), ..plain.clone() },
    ];
    if lateness(arrivals, execution.elapsed_ns) >= LATE {
        worlds.push(World { interpretation: Interpretation::AllAtOnce, team: team(&|_| 0.0), ..plain.clone() });
    }
    if let Some(factors) = factors {
        // What jumps between threads is not the iterations'.
        divide_by(factors, &mut pieces);
        let work = Work::from_pieces(&pieces);
        let passing = World { interpretation: Interpretation::Passing, work, measured: 0.0, ..plain };
        let slower = (0..threads).map(|thread| factors[thread % recorded]).collect();
        let team = Team { slower, arrives: passing.team.arrives.clone() };
        worlds.extend([passing.clone(), World { interpretation: Interpretation::Threads, team, ..passing }]);
    }
    worlds
}

/// What executions with as many iterations have in common: the median cost of each cell, of all of them and of several
/// random draws. What is noise differs from one to the next, and is gone here.
pub fn in_common(executions: &[&Execution], per_reading: f64) -> Vec<Execution> {
    let Some(same) = largest_group(executions) else {
        return Vec::new();
    };
    let trips = same[0].trips;
    let width = trips.div_ceil(CELLS).max(1);
    let shapes: Vec<Vec<f64>> = same.iter().map(|execution| cells(execution, per_reading, width)).collect();
    let totals = same.iter().map(|execution| execution.pieces.iter().map(|piece| piece.ns).sum());
    let total = median(totals).unwrap_or(0.0);
    let thread_at = same_threads(&same);
    let piece = |cell: u64, draw: &[usize]| {
        let first = |cell: u64| cell.saturating_mul(width).min(trips);
        let (from, to) = (first(cell), first(cell + 1));
        let costs = draw.iter().map(|number| shapes[*number][cell as usize]);
        let thread = thread_at.as_ref().map_or(Piece::SEVERAL, |thread_at| thread_at(from + (to - from) / 2));
        Piece { first: from, iterations: to - from, ns: median(costs).unwrap_or(0.0) * total, thread, readings: 0 }
    };
    let execution = |draw: Vec<usize>| Execution {
        trips,
        pieces: (0..trips.div_ceil(width)).map(|cell| piece(cell, &draw)).collect(),
        threads: vec![Default::default(); same[0].threads.len()],
        ..Execution::default()
    };
    draws(same.len()).map(execution).collect()
}

fn cells(execution: &Execution, per_reading: f64, width: u64) -> Vec<f64> {
    let threads = execution.threads.len();
    let world = worlds(execution, threads, &[], per_reading, None).swap_remove(0);
    let total = world.work.total().max(f64::MIN_POSITIVE);
    world.work.chunks(width).into_iter().map(|work| work / total).collect()
}

/// All of so many, and as many drawn at random, several times.
fn draws(count: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut random = Rng::with_seed(0x6f6d_7063_6875_6e6b);
    let anew = (0..DRAWN).map(move |_| (0..count).map(|_| random.usize(..count)).collect());
    std::iter::once((0..count).collect()).chain(anew)
}

/// Executions with the same numbers of iterations and threads, if there are enough.
fn largest_group<'e>(executions: &[&'e Execution]) -> Option<Vec<&'e Execution>> {
    let size = |execution: &Execution| (execution.trips, execution.threads.len());
    let mut sorted = executions.to_vec();
    sorted.sort_by_key(|execution| size(execution));
    let largest = sorted.chunk_by(|left, right| size(left) == size(right)).max_by_key(|group| group.len())?;
    (largest.len() >= ENOUGH && largest[0].trips > 0).then(|| largest.to_vec())
}

fn same_threads<'e>(same: &[&'e Execution]) -> Option<impl Fn(u64) -> u32 + use<'e>> {
    let threads = |execution: &Execution| -> Vec<(u64, u32)> {
        let runs = execution.pieces.chunk_by(|left, right| left.thread == right.thread);
        runs.map(|run| (run[0].first, run[0].thread)).collect()
    };
    let first = threads(same[0]);
    let alike = same.iter().all(|execution| threads(execution) == first);
    alike.then_some(move |iteration| {
        let after = first.partition_point(|change| change.0 <= iteration);
        first[after.saturating_sub(1)].1
    })
}

/// A share of all time that is worth a doubt.
const WORTH: f64 = 0.01;

/// The same with what pieces take beyond those around them in one of their iterations each; `None`: that would change nothing.
pub fn narrow(pieces: &[Piece]) -> Option<Vec<(u64, f64)>> {
    let total: f64 = pieces.iter().map(|piece| piece.ns).sum();
    let rate = |piece: &Piece| piece.ns / piece.iterations.max(1) as f64;
    let rates: Vec<f64> = pieces.iter().map(rate).collect();
    let excess: Vec<f64> = (0..pieces.len()).map(|number| excess(pieces, &rates, number).unwrap_or(0.0)).collect();
    let is_worth = |excess: &f64| *excess >= total * WORTH && *excess > 0.0;
    excess.iter().any(is_worth).then(|| {
        let parts = pieces.iter().zip(excess).flat_map(|(piece, excess)| apart(piece, excess));
        parts.filter(|(iterations, _)| *iterations > 0).collect()
    })
}

/// What a piece takes beyond those around it; `None`: it has one iteration, or nothing is around it.
fn excess(pieces: &[Piece], rates: &[f64], number: usize) -> Option<f64> {
    let rate_at = |number: Option<usize>| rates.get(number?).copied();
    let before = [number.checked_sub(1), number.checked_sub(2)].map(rate_at);
    let after = [Some(number + 1), Some(number + 2)].map(rate_at);
    let most = match (before, after) {
        // At an end, a slope may go on.
        ([None, _], [Some(near), far]) | ([Some(near), far], [None, _]) => near.max(2.0 * near - far.unwrap_or(near)),
        // Two pieces may share what is narrow.
        ([Some(left), further_left], [Some(right), further_right]) => {
            left.min(further_left.unwrap_or(left)).max(right.min(further_right.unwrap_or(right)))
        }
        _ => return None,
    };
    let piece = &pieces[number];
    (piece.iterations > 1).then(|| (piece.ns - most * piece.iterations as f64).max(0.0))
}

/// A piece with its excess in the iteration in its middle: whichever it is, it is within one chunk.
fn apart(piece: &Piece, excess: f64) -> [(u64, f64); 3] {
    let Some(rest) = piece.iterations.checked_sub(1) else {
        return [(0, 0.0); 3];
    };
    let rate = (piece.ns - excess) / piece.iterations as f64;
    let before = piece.iterations / 2;
    let after = rest - before;
    [(before, rate * before as f64), (1, rate + excess), (after, rate * after as f64)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::factors;
    use ompchunk_analysis::profile::Thread;

    fn execution(costs: &[f64], threads: u32) -> Execution {
        let each = costs.len() as u32 / threads;
        Execution {
            trips: costs.len() as u64,
            pieces: costs
                .iter()
                .enumerate()
                .map(|(number, ns)| Piece {
                    first: number as u64,
                    iterations: 1,
                    ns: *ns,
                    thread: number as u32 / each,
                    readings: 1,
                })
                .collect(),
            threads: vec![Thread::default(); threads as usize],
            elapsed_ns: 1000.0,
            ..Execution::default()
        }
    }

    #[test]
    fn overhead_is_no_work() {
        let even = execution(&[100.0; 8], 2);
        assert_eq!(worlds(&even, 2, &[], 20.0, None)[0].work.total(), 640.0);
        // Never all of it.
        assert_eq!(worlds(&even, 2, &[], 1e9, None)[0].work.total(), 80.0);
        assert_eq!(worlds(&even, 5, &[], 0.0, None)[0].team.arrives.len(), 5);
    }

    #[test]
    fn noise_is_not_common() {
        let mut random = Rng::with_seed(7);
        let executions: Vec<Execution> = (0..15)
            .map(|_| {
                let mut costs = vec![100.0; 40];
                // Another thread is slow each time.
                let slow = random.usize(..2);
                costs[slow * 20..slow * 20 + 20].fill(130.0);
                execution(&costs, 2)
            })
            .collect();
        let executions: Vec<&Execution> = executions.iter().collect();
        let common = in_common(&executions, 0.0);
        assert_eq!(common.len(), 1 + DRAWN);
        let halves = |execution: &Execution| {
            let work = Work::from_pieces(&execution.pieces);
            work.between(0, 20) / work.total()
        };
        assert!((halves(&common[0]) - 0.5).abs() < 0.07, "{}", halves(&common[0]));
        assert!(in_common(&executions[..2], 0.0).is_empty());
    }

    #[test]
    fn a_slow_thread_has_three_interpretations() {
        let mut costs = vec![100.0; 40];
        costs[20..].fill(125.0);
        let uneven = execution(&costs, 2);
        let found = worlds(&uneven, 2, &[], 0.0, factors(&uneven.pieces, 2).as_deref());
        let interpretations: Vec<Interpretation> = found.iter().map(|world| world.interpretation).collect();
        assert_eq!(
            interpretations,
            [
                Interpretation::Iterations,
                Interpretation::Narrow,
                Interpretation::Late,
                Interpretation::Passing,
                Interpretation::Threads
            ]
        );
        assert!((found[3].work.between(0, 20) - found[3].work.between(20, 40)).abs() < 1.0);
        assert!((found[4].team.slower[1] / found[4].team.slower[0] - 1.25).abs() < 0.01);
    }

    /// Who comes late as a rule does so for reasons of the program's or of the machine's: both count, and what is late by little
    /// neither.
    #[test]
    fn threads_that_come_late_have_two_interpretations() {
        let even = execution(&[25.0; 40], 2);
        let of = |late: f64| worlds(&even, 2, &[0.0, late], 0.0, None);
        let all_at_once = |found: &[World]| {
            let mut found = found.iter().filter(|world| world.interpretation == Interpretation::AllAtOnce);
            found.next().map(|world| world.team.arrives.clone())
        };
        assert_eq!(all_at_once(&of(300.0)), Some(vec![0.0, 0.0]));
        assert_eq!(of(300.0)[0].team.arrives, [0.0, 300.0]);
        assert_eq!(all_at_once(&of(10.0)), None);
    }

    fn pieces(parts: &[(u64, f64)]) -> Vec<Piece> {
        let piece = |(iterations, ns): &(u64, f64)| Piece {
            iterations: *iterations,
            ns: *ns,
            first: 0,
            thread: 0,
            readings: 1,
        };
        parts.iter().map(piece).collect()
    }

    #[test]
    fn all_that_neighbours_do_not_explain_in_one_iteration() {
        let found = narrow(&pieces(&[(10, 100.0), (5, 1050.0), (10, 200.0)])).unwrap();
        assert_eq!(
            found,
            [
                (5, 50.0),
                (1, 10.0),
                (4, 40.0),
                (2, 40.0),
                (1, 20.0 + 950.0),
                (2, 40.0),
                (5, 100.0),
                (1, 20.0),
                (4, 80.0)
            ]
        );
        // A piece of nothing is none, and takes nobody's place.
        let nothing = [(0, 0.0), (10, 100.0), (10, 100.0), (5, 1050.0), (10, 100.0)];
        let found = narrow(&pieces(&nothing)).unwrap();
        assert!(found.contains(&(1, 1010.0)), "{found:?}");
        // What two pieces share.
        let shared = narrow(&pieces(&[(10, 100.0), (5, 1050.0), (5, 550.0), (10, 100.0)])).unwrap();
        assert_eq!((shared[4], shared[7]), ((1, 1010.0), (1, 510.0)));
        // The last piece has one neighbour.
        assert!(narrow(&pieces(&[(10, 100.0), (5, 1050.0)])).is_some());
    }

    #[test]
    fn what_is_resolved_is_no_doubt() {
        for parts in [
            &[][..],
            &[(100, 5000.0)],
            &[(0, 0.0), (0, 0.0)],
            // Single iterations.
            &[(10, 100.0), (1, 1050.0), (10, 100.0)],
            // A slope, and a step of several pieces.
            &[(10, 100.0), (10, 200.0), (10, 300.0)],
            &[(9, 1.0), (9, 81.0), (9, 81.0), (9, 81.0), (9, 81.0), (9, 1.0)],
            // Too little.
            &[(1000, 100_000.0), (10, 1500.0), (1000, 100_000.0)],
        ] {
            assert_eq!(narrow(&pieces(parts)), None, "{parts:?}");
        }
    }
}
