//! What one thread took longer this time only: another program was on its core, or its memory was slow. Executions are compared with
//! each other; what a thread takes longer than usual in all of its iterations alike is that thread's, and will be another's the next
//! time. What it takes longer in some of them only is left to the iterations.

use ompchunk_analysis::profile::{Execution, Piece};
use ompchunk_figures::median;

use crate::threads::divide_by;
use crate::work::Work;

/// Fewer executions say nothing of what is usual.
const ENOUGH: usize = 3;
/// Cells of a thread's iterations in which executions are compared.
const CELLS: usize = 16;
/// Both halves of a thread's iterations take so much of the same, or it is not all of them alike.
const ALIKE: f64 = 0.5;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Steady {
    pub executions: Vec<Execution>,
    /// What is usual, in cells of equal width; `None`: they cannot be compared, and are as they were.
    pub usual: Option<Vec<Piece>>,
}

pub fn steadied(executions: &[&Execution]) -> Steady {
    let as_they_are = || Steady { executions: executions.iter().copied().cloned().collect(), usual: None };
    let team = executions.first().map_or(0, |execution| execution.threads.len());
    let blocks: Option<Vec<_>> = executions.iter().map(|execution| cells_of_blocks(execution, team)).collect();
    let Some(blocks) = blocks.filter(|blocks| blocks.len() >= ENOUGH && team >= 2) else {
        return as_they_are();
    };
    let usual_in = |thread: usize, cell: usize| median(blocks.iter().map(|cells| cells[thread][cell])).unwrap_or(0.0);
    let usual: Vec<BlockCells> = (0..team).map(|thread| std::array::from_fn(|cell| usual_in(thread, cell))).collect();
    let as_usual = |(execution, blocks): (&&Execution, &Vec<BlockCells>)| {
        let mut as_usual = Execution::clone(execution);
        let factors: Vec<f64> = blocks.iter().zip(&usual).map(|(block, usual)| excess(block, usual)).collect();
        divide_by(&factors, &mut as_usual.pieces);
        as_usual
    };
    Steady { executions: executions.iter().zip(&blocks).map(as_usual).collect(), usual: Some(pieces(&usual)) }
}

fn pieces(blocks: &[BlockCells]) -> Vec<Piece> {
    let cells = blocks.iter().enumerate().flat_map(|(thread, cells)| cells.iter().map(move |ns| (thread, ns)));
    let piece = |(number, (thread, ns)): (usize, (usize, &f64))| Piece {
        first: number as u64,
        iterations: 1,
        ns: *ns,
        thread: thread as u32,
        readings: 0,
    };
    cells.enumerate().map(piece).collect()
}

/// Share of the execution's time that each cell of a thread's own block takes.
type BlockCells = [f64; CELLS];

/// `None`: a thread has not one block, or another team ran it.
fn cells_of_blocks(execution: &Execution, team: usize) -> Option<Vec<BlockCells>> {
    let work = Work::from_pieces(&execution.pieces);
    let blocks: Vec<&[Piece]> = execution.pieces.chunk_by(|left, right| left.thread == right.thread).collect();
    let in_order = blocks.iter().enumerate().all(|(number, block)| block[0].thread as usize == number);
    if !in_order || blocks.len() != team || execution.threads.len() != team || work.total() <= 0.0 {
        return None;
    }
    let of = |block: &&[Piece]| {
        let first = block[0].first;
        let trips: u64 = block.iter().map(|piece| piece.iterations).sum();
        let begin = |cell: usize| first + (u128::from(trips) * cell as u128 / CELLS as u128) as u64;
        std::array::from_fn(|cell| work.between(begin(cell), begin(cell + 1)) / work.total())
    };
    Some(blocks.iter().map(of).collect())
}

/// How much longer a thread took than usual, as far as all of its iterations did.
fn excess(block: &BlockCells, usual: &BlockCells) -> f64 {
    let cells = block.iter().zip(usual);
    let logarithms: Vec<f64> = cells.map(|(this, usual)| (this / usual).ln()).collect();
    let middle = |cells: &[f64]| median(cells.iter().copied().filter(|cell| cell.is_finite())).unwrap_or(0.0);
    let (left, right) = logarithms.split_at(CELLS / 2);
    let whole = middle(&logarithms);
    if (middle(left) - middle(right)).abs() <= ALIKE * whole.abs() { whole.exp() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use ompchunk_analysis::profile::Thread;

    use super::*;

    /// Two threads with blocks of 40 pieces.
    fn execution(trips: u64, cost: impl Fn(f64, u32) -> f64) -> Execution {
        let each = trips / 80;
        let piece = |number: u64| Piece {
            first: number * each,
            iterations: each,
            ns: each as f64 * cost(number as f64 / 80.0, (number / 40) as u32),
            thread: (number / 40) as u32,
            readings: 1,
        };
        Execution {
            trips,
            pieces: (0..80).map(piece).collect(),
            threads: vec![Thread::default(); 2],
            ..Execution::default()
        }
    }

    fn halves(execution: &Execution) -> f64 {
        let work = Work::from_pieces(&execution.pieces);
        work.between(0, execution.trips / 2) / work.between(execution.trips / 2, execution.trips)
    }

    #[test]
    fn who_is_slow_now_and_then_is_as_fast_as_usual() {
        // Loops become shorter, costs go up, and another thread is slow each time.
        let executions: Vec<Execution> = (0..9)
            .map(|number| {
                let slow = move |thread| {
                    if number % 3 == thread + 1 { 1.3 } else { 1.0 }
                };
                execution(8000 - u64::from(number) * 800, move |x, thread| (1.0 + x) * slow(thread))
            })
            .collect();
        let executions: Vec<&Execution> = executions.iter().collect();
        let plain = halves(executions[0]);
        assert!((halves(executions[1]) - plain).abs() > 0.1);
        for execution in steadied(&executions).executions {
            let now = halves(&execution);
            assert!((now - plain).abs() < 0.03, "{now} {plain}");
        }
    }

    #[test]
    fn what_some_iterations_take_longer_is_theirs() {
        // A peak that moves, and slopes that turn.
        let peak = |number: u64| {
            move |x: f64, _| {
                if (x * 80.0) as u64 == number * 9 { 100.0 } else { 1.0 }
            }
        };
        let slope = |number: u64| move |x: f64, _| if number % 2 == 0 { 0.1 + x } else { 1.1 - x };
        let peaks: Vec<Execution> = (0..8).map(|number| execution(8000, peak(number))).collect();
        let slopes: Vec<Execution> = (0..8).map(|number| execution(8000, slope(number))).collect();
        for executions in [peaks, slopes] {
            let executions: Vec<&Execution> = executions.iter().collect();
            for (before, after) in executions.iter().zip(steadied(&executions).executions) {
                let (before, after) = (halves(before), halves(&after));
                assert!((after / before - 1.0).abs() < 0.05, "{before} {after}");
            }
        }
    }

    #[test]
    fn what_cannot_be_compared_stays() {
        let lone = execution(8000, |_, thread| 1.0 + f64::from(thread));
        let mut several = lone.clone();
        several.pieces[3].thread = 1;
        let mut more = lone.clone();
        more.threads.push(Thread::default());
        for executions in [vec![], vec![&lone], vec![&lone, &several, &lone, &lone], vec![&lone, &more, &lone]] {
            let expected: Vec<Execution> = executions.iter().copied().cloned().collect();
            let found = steadied(&executions);
            assert_eq!((found.executions, found.usual), (expected, None));
        }
    }
}
