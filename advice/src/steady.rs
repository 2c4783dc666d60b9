//! What one thread took longer this time only: another program was on its core, or its memory was slow. Executions are compared with
//! each other; what a thread takes longer than usual in all of its iterations alike is that thread's, and will be another's the next
//! time. What it takes longer in some of them only is left to the iterations.

use ompchunk_analysis::profile::{Execution, Piece};

use crate::work::Work;
use crate::world::median;

/// Fewer executions say nothing of what is usual.
const ENOUGH: usize = 3;
/// Cells of a thread's iterations in which executions are compared.
const CELLS: usize = 16;
/// Both halves of a thread's iterations take so much of the same, or it is not all of them alike.
const ALIKE: f64 = 0.5;

/// Executions without what came over single threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Steady {
    /// The same executions, where each thread is as fast as usual.
    pub executions: Vec<Execution>,
    /// What is usual, in cells of equal width; `None`: they cannot be compared, and are as they were.
    pub usual: Option<Vec<Piece>>,
}

/// Compares them.
#[must_use]
pub fn steady(executions: &[&Execution]) -> Steady {
    let as_they_are = || Steady {
        executions: executions.iter().copied().cloned().collect(),
        usual: None,
    };
    let team = executions.first().map_or(0, |it| it.threads.len());
    let blocks: Vec<Option<Vec<Shape>>> = executions.iter().map(|it| shapes(it, team)).collect();
    let Some(blocks) = blocks.into_iter().collect::<Option<Vec<_>>>() else {
        return as_they_are();
    };
    if blocks.len() < ENOUGH || team < 2 {
        return as_they_are();
    }
    let usual = |thread: usize, cell: usize| {
        let mut all: Vec<f64> = blocks.iter().map(|it| it[thread][cell]).collect();
        median(&mut all)
    };
    let usual: Vec<Shape> = (0..team)
        .map(|thread| std::array::from_fn(|cell| usual(thread, cell)))
        .collect();
    let all = executions.iter().zip(&blocks);
    let all = all.map(|(execution, blocks)| {
        let times = factors(blocks, &usual);
        let mut same = Execution::clone(execution);
        for it in &mut same.pieces {
            it.ns /= times.get(it.thread as usize).copied().unwrap_or(1.0);
        }
        same
    });
    Steady {
        executions: all.collect(),
        usual: Some(pieces(&usual)),
    }
}

/// Shapes of threads that follow one another.
fn pieces(shapes: &[Shape]) -> Vec<Piece> {
    let cells = shapes.iter().enumerate();
    let cells = cells.flat_map(|(thread, it)| it.iter().map(move |ns| (thread, ns)));
    let piece = |(at, (thread, ns)): (usize, (usize, &f64))| Piece {
        first: at as u64,
        iterations: 1,
        ns: *ns,
        thread: thread as u32,
        readings: 0,
    };
    cells.enumerate().map(piece).collect()
}

/// Of a thread's own block, what each cell takes of the execution's time.
type Shape = [f64; CELLS];

/// `None`: a thread has not one block, or another team ran it.
fn shapes(execution: &Execution, team: usize) -> Option<Vec<Shape>> {
    if execution.threads.len() != team {
        return None;
    }
    let work = Work::of(&execution.pieces);
    let blocks: Vec<&[Piece]> = execution
        .pieces
        .chunk_by(|one, other| one.thread == other.thread)
        .collect();
    let in_order = blocks.iter().enumerate();
    let in_order = in_order.filter(|(at, it)| it[0].thread as usize == *at);
    if in_order.count() != team || blocks.len() != team || work.total() <= 0.0 {
        return None;
    }
    let of = |block: &&[Piece]| {
        let first = block[0].first;
        let trips: u64 = block.iter().map(|it| it.iterations).sum();
        let at = |cell: usize| first + (u128::from(trips) * cell as u128 / CELLS as u128) as u64;
        std::array::from_fn(|cell| work.between(at(cell), at(cell + 1)) / work.total())
    };
    Some(blocks.iter().map(of).collect())
}

/// How much longer each thread took than usual, as far as all of its iterations did.
fn factors(blocks: &[Shape], usual: &[Shape]) -> Vec<f64> {
    let of = |(block, usual): (&Shape, &Shape)| {
        let both = block.iter().zip(usual);
        let both = both.map(|(this, usual)| (this / usual).ln());
        let all: Vec<f64> = both.collect();
        let middle = |cells: &[f64]| {
            let mut known: Vec<f64> = cells.iter().copied().filter(|it| it.is_finite()).collect();
            median(&mut known)
        };
        let (left, right) = all.split_at(CELLS / 2);
        let both = middle(&all);
        let differ = (middle(left) - middle(right)).abs();
        if differ <= ALIKE * both.abs() {
            both.exp()
        } else {
            1.0
        }
    };
    blocks.iter().zip(usual).map(of).collect()
}

#[cfg(test)]
mod tests {
    use ompchunk_analysis::profile::Thread;

    use super::*;

    /// Two threads with blocks of 40 pieces.
    fn execution(trips: u64, cost: impl Fn(f64, u32) -> f64) -> Execution {
        let each = trips / 80;
        let piece = |at: u64| Piece {
            first: at * each,
            iterations: each,
            ns: each as f64 * cost(at as f64 / 80.0, (at / 40) as u32),
            thread: (at / 40) as u32,
            readings: 1,
        };
        Execution {
            trips,
            pieces: (0..80).map(piece).collect(),
            threads: vec![Thread::default(); 2],
            ..Execution::default()
        }
    }

    fn halves(it: &Execution) -> f64 {
        let work = Work::of(&it.pieces);
        work.between(0, it.trips / 2) / work.between(it.trips / 2, it.trips)
    }

    #[test]
    fn who_is_slow_now_and_then_is_as_fast_as_usual() {
        // Loops become shorter, costs go up, and another thread is slow each time.
        let all: Vec<Execution> = (0..9)
            .map(|at| {
                let slow = move |thread| {
                    if at % 3 == thread + 1 { 1.3 } else { 1.0 }
                };
                execution(8000 - u64::from(at) * 800, move |x, thread| {
                    (1.0 + x) * slow(thread)
                })
            })
            .collect();
        let all: Vec<&Execution> = all.iter().collect();
        let plain = halves(all[0]);
        assert!((halves(all[1]) - plain).abs() > 0.1);
        for it in steady(&all).executions {
            let now = halves(&it);
            assert!((now - plain).abs() < 0.03, "{now} {plain}");
        }
    }

    #[test]
    fn what_some_iterations_take_longer_is_theirs() {
        // A peak that moves, and slopes that turn.
        let peak = |at: u64| {
            move |x: f64, _| {
                if (x * 80.0) as u64 == at * 9 {
                    100.0
                } else {
                    1.0
                }
            }
        };
        let slope = |at: u64| move |x: f64, _| if at % 2 == 0 { 0.1 + x } else { 1.1 - x };
        let peaks: Vec<Execution> = (0..8).map(|at| execution(8000, peak(at))).collect();
        let slopes: Vec<Execution> = (0..8).map(|at| execution(8000, slope(at))).collect();
        for all in [peaks, slopes] {
            let all: Vec<&Execution> = all.iter().collect();
            for (before, after) in all.iter().zip(steady(&all).executions) {
                let (before, after) = (halves(before), halves(&after));
                assert!((after / before - 1.0).abs() < 0.05, "{before} {after}");
            }
        }
    }

    #[test]
    fn what_cannot_be_compared_stays() {
        let one = execution(8000, |_, thread| 1.0 + f64::from(thread));
        let mut several = one.clone();
        several.pieces[3].thread = 1;
        let mut more = one.clone();
        more.threads.push(Thread::default());
        for all in [
            vec![],
            vec![&one],
            vec![&one, &several, &one, &one],
            vec![&one, &more, &one],
        ] {
            let expected: Vec<Execution> = all.iter().copied().cloned().collect();
            let found = steady(&all);
            assert_eq!((found.executions, found.usual), (expected, None));
        }
    }
}
