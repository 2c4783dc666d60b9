//! In which order what is measured, and for how long. An [`Executor`] runs the batches, a mock one in the tests.
//!
//! A *round* runs every variant of every cell once, in random order, and pairs each with the base of the
//! same round. A *generation* is a few rounds in the same processes; then all are started anew. A *block*
//! is as many generations as there are layouts: each variant runs in each of its layouts once, in an
//! order of its own. A block gives one value per cell and variant, and those are what intervals are made
//! of: what differs from round to round, from process to process and from layout to layout is in them.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use ompchunk_figures::{Interval, median, median_between};

use crate::options::Options;
use crate::results::{Blocks, Cell, Results};

pub trait Executor {
    /// Starts everything anew; variant `v` in `layouts[v]`.
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()>;
    /// Nanoseconds of one unit of a cell in a variant.
    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64>;
    /// Since it was made.
    fn elapsed(&self) -> Duration;
}

#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub budget: Duration,
    pub rounds: usize,
    pub layouts: usize,
    /// Blocks before an interval is believed.
    pub least_blocks: usize,
    /// Half the width that an interval of a log-ratio shall have.
    pub resolution: f64,
}

impl Rules {
    pub fn of_runs(options: &Options) -> Rules {
        Rules {
            budget: Duration::from_secs_f64(options.seconds()),
            rounds: 1,
            layouts: 1,
            least_blocks: 10,
            resolution: 0.01,
        }
    }

    pub fn of_batches(options: &Options, layouts: usize) -> Rules {
        Rules { rounds: if options.is_short() { 1 } else { 3 }, layouts, least_blocks: 6, ..Rules::of_runs(options) }
    }
}

/// Fills in the cells' series, and how long that took; the first variant is the base.
pub fn measure(executor: &mut impl Executor, results: &mut Results, rules: Rules) -> Result<()> {
    let mut rng = Rng::with_seed(1);
    let variants = results.variants.len();
    let mut measured = vec![vec![Blocks::default(); variants]; results.cells.len()];
    let begun = executor.elapsed();
    let mut blocks = 0;
    loop {
        let start = executor.elapsed();
        let open: Vec<usize> = (0..measured.len()).filter(|at| !results.cells[*at].resolved).collect();
        block(executor, &results.cells, &open, &mut measured, rules, &mut rng)?;
        blocks += 1;
        let is_resolved =
            |blocks: &Blocks| log_ratio(blocks).is_some_and(|ratio| ratio.half_width() <= rules.resolution);
        if blocks >= rules.least_blocks {
            for at in &open {
                // The base has no ratio.
                results.cells[*at].resolved = measured[*at][1..].iter().all(is_resolved);
            }
        }
        let now = executor.elapsed();
        // A block that would not be finished in time is not begun; two are the least that tell anything.
        let in_time = (now - begun) + (now - start) <= rules.budget;
        if results.cells.iter().all(|cell| cell.resolved) || (!in_time && blocks >= 2) {
            results.setup.seconds = (now - begun).as_secs_f64();
            break;
        }
    }
    for (cell, blocks) in results.cells.iter_mut().zip(measured) {
        cell.conclude(&results.variants, blocks);
    }
    Ok(())
}

fn log_ratio(blocks: &Blocks) -> Option<Interval<95>> {
    median_between(blocks.log_ratio.iter().copied())
}

/// Adds a block's values to what was measured of the open cells, by cell and variant.
fn block(
    executor: &mut impl Executor,
    cells: &[Cell],
    open: &[usize],
    measured: &mut [Vec<Blocks>],
    rules: Rules,
    rng: &mut Rng,
) -> Result<()> {
    let variants = measured[0].len();
    let orders: Vec<Vec<usize>> = (0..variants).map(|_| shuffled(0..rules.layouts, rng)).collect();
    // By cell and variant, the sums over the generations.
    let mut sums = vec![vec![(0.0, 0.0); variants]; cells.len()];
    for generation in 0..rules.layouts {
        let layouts: Vec<usize> = orders.iter().map(|order| order[generation]).collect();
        executor.restart(&layouts, rng)?;
        // By cell, variant and round.
        let mut times = vec![vec![Vec::new(); variants]; cells.len()];
        for _ in 0..rules.rounds {
            for at in shuffled(open.iter().copied(), rng) {
                for variant in shuffled(0..variants, rng) {
                    times[at][variant].push(executor.sample(variant, &cells[at])?);
                }
            }
        }
        for at in open {
            let base = &times[*at][0];
            for (sum, times) in sums[*at].iter_mut().zip(&times[*at]) {
                let ratios = times.iter().zip(base).map(|(time, base)| (time / base).ln());
                sum.0 += median(times.iter().copied()).unwrap_or(f64::NAN);
                sum.1 += median(ratios).unwrap_or(f64::NAN);
            }
        }
    }
    for at in open {
        for (blocks, (time, ratio)) in measured[*at].iter_mut().zip(&sums[*at]) {
            blocks.push(time / rules.layouts as f64, ratio / rules.layouts as f64);
        }
    }
    Ok(())
}

fn shuffled(numbers: impl Iterator<Item = usize>, rng: &mut Rng) -> Vec<usize> {
    let mut shuffled: Vec<usize> = numbers.collect();
    rng.shuffle(&mut shuffled);
    shuffled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use crate::results::{Setup, Unit};

    /// Times that are known: those of variant and layout, and some noise that pairs share.
    struct Mock {
        times: [[f64; 2]; 3],
        layouts: Vec<usize>,
        noise: f64,
        samples: usize,
        log: Vec<usize>,
        rng: Rng,
    }

    impl Executor for Mock {
        fn restart(&mut self, layouts: &[usize], _: &mut Rng) -> Result<()> {
            self.layouts = layouts.to_vec();
            Ok(())
        }
        fn sample(&mut self, variant: usize, _: &Cell) -> Result<f64> {
            self.samples += 1;
            self.log.push(variant);
            let noise = 1.0 + self.noise * (self.rng.f64() - 0.5);
            Ok(self.times[variant][self.layouts[variant]] * noise)
        }
        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.samples as u64)
        }
    }

    fn run(times: [[f64; 2]; 3], noise: f64, seconds: u64) -> (Vec<Cell>, Mock) {
        let mut mock = Mock { times, layouts: vec![], noise, samples: 0, log: vec![], rng: Rng::with_seed(5) };
        let mut results = Results::new("mock", Setup::default(), plan::of_program(false));
        results.cells = [1, 4].map(|chunk| Cell::new("empty", chunk, 2, Unit::Chunk)).into();
        let rules =
            Rules { budget: Duration::from_secs(seconds), rounds: 3, layouts: 2, least_blocks: 5, resolution: 0.01 };
        measure(&mut mock, &mut results, rules).unwrap();
        assert_eq!(results.setup.seconds, mock.elapsed().as_secs_f64());
        (results.cells, mock)
    }

    #[test]
    fn layouts_are_averaged_within_a_block() {
        // The second layout of each costs twice as much: no block may owe its ratio to that.
        let (cells, mock) = run([[10.0, 20.0], [10.0, 20.0], [20.0, 40.0]], 0.0, 100);
        for series in &cells[1].series {
            assert_eq!(series.blocks.ns.len(), 5, "no more blocks than needed");
            let ratio = if series.variant == "plugin" { 2.0_f64 } else { 1.0 };
            for value in &series.blocks.log_ratio {
                assert!((value - ratio.ln()).abs() < 1e-6, "{series:?}");
            }
        }
        assert!(cells.iter().all(|cell| cell.resolved));
        // In random order: not always the same variant first.
        assert!(mock.log.windows(2).any(|two| two == [2, 0]));
        assert!(mock.log.windows(2).any(|two| two == [0, 2]));
    }

    #[test]
    fn the_budget_ends_what_noise_leaves_open() {
        let (cells, mock) = run([[10.0; 2]; 3], 0.8, 2);
        assert!(!cells[1].resolved);
        let spent = mock.elapsed();
        assert!(spent <= Duration::from_secs(2) && spent > Duration::from_millis(1900));
        let ratio = log_ratio(&cells[1].series[2].blocks).unwrap();
        assert!(ratio.low < 0.0 && 0.0 < ratio.high, "{ratio:?}");
    }

    #[test]
    fn two_blocks_even_without_time() {
        let (cells, _) = run([[10.0; 2]; 3], 0.8, 0);
        assert_eq!(cells[0].series[1].blocks.ns.len(), 2);
    }
}
