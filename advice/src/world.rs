//! What an execution may be like under another schedule: a profile tells what iterations took on the thread that ran them,
//! and there are several ways to read it. Each is a world; a prediction has to hold in all of them.

use ompchunk_analysis::profile::{Execution, Piece};

use crate::random::Random;
use crate::resolution::narrow;
use crate::simulate::Team;
use crate::work::Work;

/// How an execution's times are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
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
    Together,
    /// Dealing took all that it may have taken of the chunks that were recorded, and the iterations the rest.
    Dealt,
}

impl Reading {
    /// It takes a jump between threads for theirs.
    #[must_use]
    pub fn is_of_threads(self) -> bool {
        matches!(self, Reading::Passing | Reading::Threads)
    }
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// How it reads the times.
    pub reading: Reading,
    /// What iterations cost.
    pub work: Work,
    /// Who runs them.
    pub team: Team,
    /// From the first begin to the last end, without what was taken from the threads; 0: not measured.
    pub measured: f64,
    /// What dealing a chunk took when it was recorded; `None`: what it costs as a rule.
    pub dealing: Option<f64>,
}

/// Of a piece's time this much is iterations at least, whatever is taken for overhead.
const LEAST: f64 = 0.1;
/// Cells of a loop in which executions are compared.
const CELLS: u64 = 512;
/// Executions with as many iterations, to say what they have in common.
const ENOUGH: usize = 3;
/// Times that they are drawn anew.
pub const DRAWN: usize = 8;
/// Threads come late that begin this share of the execution after the first, or more.
pub const LATE: f64 = 0.02;

/// When each thread of a team begins as a rule. That one comes late now and then is not the loop's doing.
#[must_use]
pub fn arrivals(executions: &[&Execution]) -> Vec<f64> {
    let most = executions.iter().map(|it| it.threads.len()).max();
    let of = |index: usize| {
        let threads = executions.iter().filter_map(|it| it.threads.get(index));
        let mut all: Vec<f64> = threads.map(|it| it.arrives_ns).collect();
        median(&mut all)
    };
    let all: Vec<f64> = (0..most.unwrap_or(0)).map(of).collect();
    let first = all.iter().copied().fold(f64::MAX, f64::min);
    all.into_iter().map(|it| it - first).collect()
}

/// How late the last thread begins, as a share of an execution.
#[must_use]
pub fn lateness(arrivals: &[f64], elapsed_ns: f64) -> f64 {
    let last = arrivals.iter().copied().fold(0.0, f64::max);
    if elapsed_ns > 0.0 {
        last / elapsed_ns
    } else {
        0.0
    }
}

/// The readings of one execution, on so many threads that begin at these times as a rule. `per_reading`: time of each
/// chunk that is not its iterations'. `factors`: how much longer each thread may take for the same, if it looks like that.
#[must_use]
pub fn worlds(
    execution: &Execution,
    threads: usize,
    arrivals: &[f64],
    per_reading: f64,
    factors: Option<&[f64]>,
) -> Vec<World> {
    let mut pieces = execution.pieces.clone();
    for it in &mut pieces {
        let overhead = per_reading * it.readings as f64;
        it.ns = (it.ns - overhead).max(it.ns * LEAST);
    }
    let recorded = execution.threads.len().max(1);
    let rule = |thread: usize| arrivals.get(thread % recorded).copied().unwrap_or(0.0);
    let team = Team {
        arrives: (0..threads).map(rule).collect(),
        slower: vec![1.0; threads],
    };
    let late = |thread: usize| execution.threads.get(thread % recorded);
    let late = |thread| late(thread).map_or(0.0, |it| it.arrives_ns);
    let taken = execution.threads.iter().map(|it| it.taken_ns);
    let measured = (execution.elapsed_ns - taken.fold(0.0, f64::max)).max(0.0);
    let work = Work::of(&pieces);
    let narrow = narrow(&pieces).map_or_else(|| work.clone(), Work::new);
    let mut all = vec![
        World {
            reading: Reading::Iterations,
            work: work.clone(),
            team: team.clone(),
            measured,
            dealing: None,
        },
        World {
            reading: Reading::Narrow,
            work: narrow,
            team: team.clone(),
            measured,
            dealing: None,
        },
        World {
            reading: Reading::Late,
            work,
            team: Team {
                arrives: (0..threads).map(late).collect(),
                slower: vec![1.0; threads],
            },
            measured,
            dealing: None,
        },
    ];
    if lateness(arrivals, execution.elapsed_ns) >= LATE {
        all.push(World {
            reading: Reading::Together,
            team: Team {
                arrives: vec![0.0; threads],
                slower: vec![1.0; threads],
            },
            ..all[0].clone()
        });
    }
    let Some(factors) = factors else {
        return all;
    };
    for it in &mut pieces {
        it.ns /= factors.get(it.thread as usize).copied().unwrap_or(1.0);
    }
    let work = Work::of(&pieces);
    let slower = (0..threads).map(|it| factors[it % recorded]).collect();
    for reading in [Reading::Passing, Reading::Threads] {
        let slower = match reading {
            Reading::Threads => Vec::clone(&slower),
            _ => vec![1.0; threads],
        };
        all.push(World {
            reading,
            work: work.clone(),
            team: Team {
                slower,
                arrives: team.arrives.clone(),
            },
            measured: 0.0,
            dealing: None,
        });
    }
    all
}

/// What executions with as many iterations have in common: the median cost of each cell, of all of them and of several
/// random draws. What is noise differs from one to the next, and is gone here.
#[must_use]
pub fn common(executions: &[&Execution], per_reading: f64) -> Vec<Execution> {
    let Some(same) = largest_group(executions) else {
        return Vec::new();
    };
    let trips = same[0].trips;
    let width = trips.div_ceil(CELLS).max(1);
    let first = |cell: u64| cell.saturating_mul(width).min(trips);
    let cells = trips.div_ceil(width);
    let shapes: Vec<Vec<f64>> = same
        .iter()
        .map(|it| {
            let world = worlds(it, it.threads.len(), &[], per_reading, None).swap_remove(0);
            let total = world.work.total().max(f64::MIN_POSITIVE);
            let chunks = world.work.chunks(width).into_iter();
            chunks.map(|it| it / total).collect()
        })
        .collect();
    let mut totals: Vec<f64> = same
        .iter()
        .map(|it| it.pieces.iter().map(|it| it.ns).sum())
        .collect();
    let total = median(&mut totals);
    let mut random = Random::new(0x6f6d_7063_6875_6e6b);
    let everyone: Vec<usize> = (0..same.len()).collect();
    let draws = (0..DRAWN).map(|_| {
        let one = |_| random.below(same.len());
        everyone.iter().map(one).collect()
    });
    let draws: Vec<Vec<usize>> = std::iter::once(everyone.clone()).chain(draws).collect();
    let thread_at = same_threads(&same);
    draws
        .into_iter()
        .map(|draw| {
            let pieces = (0..cells).map(|cell| {
                let mut costs: Vec<f64> =
                    draw.iter().map(|it| shapes[*it][cell as usize]).collect();
                let (from, to) = (first(cell), first(cell + 1));
                Piece {
                    first: from,
                    iterations: to - from,
                    ns: median(&mut costs) * total,
                    thread: thread_at
                        .as_ref()
                        .map_or(Piece::SEVERAL, |it| it(from + (to - from) / 2)),
                    readings: 0,
                }
            });
            Execution {
                trips,
                pieces: pieces.collect(),
                threads: vec![Default::default(); same[0].threads.len()],
                ..Execution::default()
            }
        })
        .collect()
}

/// Executions with the same numbers of iterations and threads, if there are enough.
fn largest_group<'e>(executions: &[&'e Execution]) -> Option<Vec<&'e Execution>> {
    let key = |it: &Execution| (it.trips, it.threads.len());
    let mut sorted = executions.to_vec();
    sorted.sort_by_key(|it| key(it));
    let groups = sorted.chunk_by(|one, other| key(one) == key(other));
    let largest = groups.max_by_key(|it| it.len())?;
    (largest.len() >= ENOUGH && largest[0].trips > 0).then(|| largest.to_vec())
}

/// Who runs an iteration, if that is the same thread each time.
fn same_threads<'e>(same: &[&'e Execution]) -> Option<impl Fn(u64) -> u32 + use<'e>> {
    let threads = |it: &Execution| -> Vec<(u64, u32)> {
        let mut all: Vec<(u64, u32)> = Vec::new();
        for piece in &it.pieces {
            if all.last().is_none_or(|last| last.1 != piece.thread) {
                all.push((piece.first, piece.thread));
            }
        }
        all
    };
    let first = threads(same[0]);
    let alike = same.iter().all(|it| threads(it) == first);
    alike.then_some(move |iteration| {
        let after = first.partition_point(|it| it.0 <= iteration);
        first[after.saturating_sub(1)].1
    })
}

/// The middle one; of two, their mean. 0 of none.
#[must_use]
pub fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    let middle = all.len() / 2;
    match all.len() {
        0 => 0.0,
        even if even % 2 == 0 => (all[middle - 1] + all[middle]) / 2.0,
        _ => all[middle],
    }
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
                .map(|(at, ns)| Piece {
                    first: at as u64,
                    iterations: 1,
                    ns: *ns,
                    thread: at as u32 / each,
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
        let it = execution(&[100.0; 8], 2);
        assert_eq!(worlds(&it, 2, &[], 20.0, None)[0].work.total(), 640.0);
        // Never all of it.
        assert_eq!(worlds(&it, 2, &[], 1e9, None)[0].work.total(), 80.0);
        assert_eq!(worlds(&it, 5, &[], 0.0, None)[0].team.arrives.len(), 5);
    }

    #[test]
    fn noise_is_not_common() {
        let mut random = Random::new(7);
        let all: Vec<Execution> = (0..15)
            .map(|_| {
                let mut costs = vec![100.0; 40];
                // Another thread is slow each time.
                let slow = random.below(2);
                costs[slow * 20..slow * 20 + 20].fill(130.0);
                execution(&costs, 2)
            })
            .collect();
        let all: Vec<&Execution> = all.iter().collect();
        let common = common(&all, 0.0);
        assert_eq!(common.len(), 1 + DRAWN);
        let halves = |it: &Execution| {
            let work = Work::of(&it.pieces);
            work.between(0, 20) / work.total()
        };
        assert!(
            (halves(&common[0]) - 0.5).abs() < 0.07,
            "{}",
            halves(&common[0])
        );
        assert!(super::common(&all[..2], 0.0).is_empty());
    }

    #[test]
    fn a_slow_thread_has_three_readings() {
        let mut costs = vec![100.0; 40];
        costs[20..].fill(125.0);
        let it = execution(&costs, 2);
        let all = worlds(&it, 2, &[], 0.0, factors(&it.pieces, 2).as_deref());
        let readings: Vec<Reading> = all.iter().map(|it| it.reading).collect();
        assert_eq!(
            readings,
            [
                Reading::Iterations,
                Reading::Narrow,
                Reading::Late,
                Reading::Passing,
                Reading::Threads
            ]
        );
        assert!((all[3].work.between(0, 20) - all[3].work.between(20, 40)).abs() < 1.0);
        assert!((all[4].team.slower[1] / all[4].team.slower[0] - 1.25).abs() < 0.01);
    }

    /// Who comes late as a rule does so for reasons of the program's or of the machine's: both count, and what is late by little
    /// neither.
    #[test]
    fn threads_that_come_late_have_two_readings() {
        let it = execution(&[25.0; 40], 2);
        let of = |late: f64| worlds(&it, 2, &[0.0, late], 0.0, None);
        let together = |all: &[World]| {
            let mut found = all.iter().filter(|it| it.reading == Reading::Together);
            found.next().map(|it| it.team.arrives.clone())
        };
        assert_eq!(together(&of(300.0)), Some(vec![0.0, 0.0]));
        assert_eq!(of(300.0)[0].team.arrives, [0.0, 300.0]);
        assert_eq!(together(&of(10.0)), None);
    }
}
