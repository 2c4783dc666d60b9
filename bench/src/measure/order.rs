//! In which order what is measured, and for how long. Knows nothing of processes: an [`Executor`] runs
//! the batches, a mock one in the tests.
//!
//! A *round* runs every variant of every cell once, in random order, and pairs each with the base of the
//! same round. A *generation* is a few rounds in the same processes; then all are started anew. A *block*
//! is as many generations as there are layouts: each variant runs in each of its layouts once, in an
//! order of its own. A block gives one value per cell and variant, and those are what intervals are made
//! of: what differs from round to round, from process to process and from layout to layout is in them.

use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;

use crate::results::stats;
use crate::results::{Cell, Series};

/// Runs batches.
pub trait Executor {
    /// Starts everything anew; variant `v` in `layouts[v]`.
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()>;
    /// Nanoseconds of one unit of a cell in a variant.
    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64>;
    /// Whether the variant can run the cell at all.
    fn applies(&self, variant: usize, cell: &Cell) -> bool;
    /// Since the measurement began.
    fn elapsed(&self) -> Duration;
}

/// How long.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// When to end, resolved or not.
    pub budget: Duration,
    /// Rounds of a generation, for cells that have no number of their own.
    pub rounds: usize,
    /// How many layouts there are of each variant.
    pub layouts: usize,
    /// Blocks before an interval is believed.
    pub least_blocks: usize,
    /// Half the width that an interval of a log-ratio shall have.
    pub resolution: f64,
}

impl Rules {
    /// For batches in processes that live for a generation.
    pub fn of_batches(quick: bool, seconds: f64, layouts: usize) -> Rules {
        Rules {
            budget: Duration::from_secs_f64(if quick { 2.0 } else { seconds }),
            rounds: if quick { 1 } else { 3 },
            layouts,
            least_blocks: 6,
            resolution: 0.01,
        }
    }
}

/// Fills in the cells' series; variant 0 is the base.
pub fn measure(
    executor: &mut impl Executor,
    variants: &[&str],
    cells: &mut [Cell],
    rules: Rules,
    seed: u64,
) -> Result<()> {
    let mut rng = Rng::with_seed(seed);
    for cell in cells.iter_mut() {
        if cell.rounds == 0 {
            cell.rounds = rules.rounds;
        }
        cell.series = variants
            .iter()
            .enumerate()
            .filter(|(at, _)| executor.applies(*at, cell))
            .map(|(_, name)| Series::new(name))
            .collect();
    }
    let mut blocks = 0;
    loop {
        let start = executor.elapsed();
        let open: Vec<usize> = (0..cells.len()).filter(|at| !cells[*at].resolved).collect();
        block(executor, variants, cells, &open, rules, &mut rng)?;
        blocks += 1;
        if blocks >= rules.least_blocks {
            for at in &open {
                cells[*at].resolved = is_resolved(&cells[*at], rules.resolution);
            }
        }
        let now = executor.elapsed();
        // A block that would not be finished in time is not begun; two are the least that tell anything.
        let in_time = now + (now - start) <= rules.budget;
        if cells.iter().all(|cell| cell.resolved) || (!in_time && blocks >= 2) {
            return Ok(());
        }
    }
}

fn is_resolved(cell: &Cell, resolution: f64) -> bool {
    // The base has no ratio.
    cell.series[1..]
        .iter()
        .all(|series| stats::bootstrap(&series.log_ratio, 200).half_width() <= resolution)
}

fn block(
    executor: &mut impl Executor,
    variants: &[&str],
    cells: &mut [Cell],
    open: &[usize],
    rules: Rules,
    rng: &mut Rng,
) -> Result<()> {
    let orders: Vec<Vec<usize>> = variants
        .iter()
        .map(|_| shuffled(0..rules.layouts, rng))
        .collect();
    // By cell and series, the sums over the generations.
    let mut sums: Vec<Vec<(f64, f64)>> = cells
        .iter()
        .map(|cell| vec![(0.0, 0.0); cell.series.len()])
        .collect();
    for generation in 0..rules.layouts {
        let layouts: Vec<usize> = orders.iter().map(|order| order[generation]).collect();
        executor.restart(&layouts, rng)?;
        let mut times: Vec<Vec<Vec<f64>>> = cells
            .iter()
            .map(|cell| vec![Vec::new(); cell.series.len()])
            .collect();
        let most = open.iter().map(|at| cells[*at].rounds).max();
        for round in 0..most.unwrap_or(0) {
            let in_round = open.iter().copied();
            for at in shuffled(in_round.filter(|at| round < cells[*at].rounds), rng) {
                let cell = &cells[at];
                for series in shuffled(0..cell.series.len(), rng) {
                    let variant = variants
                        .iter()
                        .position(|name| *name == cell.series[series].variant)
                        .unwrap_or_default();
                    times[at][series].push(executor.sample(variant, cell)?);
                }
            }
        }
        for at in open {
            for (series, sum) in sums[*at].iter_mut().enumerate() {
                let ratios: Vec<f64> = times[*at][series]
                    .iter()
                    .zip(&times[*at][0])
                    .map(|(time, base)| (time / base).ln())
                    .collect();
                sum.0 += stats::median(&times[*at][series]);
                sum.1 += stats::median(&ratios);
            }
        }
    }
    for at in open {
        for (series, (time, ratio)) in cells[*at].series.iter_mut().zip(&sums[*at]) {
            series.push(time / rules.layouts as f64, ratio / rules.layouts as f64);
        }
    }
    Ok(())
}

fn shuffled(of: impl Iterator<Item = usize>, rng: &mut Rng) -> Vec<usize> {
    let mut all: Vec<usize> = of.collect();
    rng.shuffle(&mut all);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::case::{Case, Unit};

    /// Times that are known: those of variant and layout, and some noise that pairs share.
    struct Mock {
        times: Vec<[f64; 2]>,
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
        fn applies(&self, variant: usize, cell: &Cell) -> bool {
            !(variant == 2 && cell.threads == 1)
        }
        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.samples as u64)
        }
    }

    fn run(times: &[[f64; 2]], noise: f64, seconds: u64) -> (Vec<Cell>, Mock) {
        let mut mock = Mock {
            times: times.to_vec(),
            layouts: vec![],
            noise,
            samples: 0,
            log: vec![],
            rng: Rng::with_seed(5),
        };
        let mut cells = vec![
            Cell::new(Case::new("empty", 1, 1, Unit::Chunk)),
            Cell::new(Case::new("empty", 1, 2, Unit::Chunk)),
        ];
        let rules = Rules {
            budget: Duration::from_secs(seconds),
            rounds: 3,
            layouts: 2,
            least_blocks: 5,
            resolution: 0.01,
        };
        measure(
            &mut mock,
            &["plain", "again", "other"],
            &mut cells,
            rules,
            1,
        )
        .unwrap();
        (cells, mock)
    }

    #[test]
    fn layouts_are_averaged_within_a_block() {
        // The second layout of each costs twice as much: no block may owe its ratio to that.
        let (cells, mock) = run(&[[10.0, 20.0], [10.0, 20.0], [20.0, 40.0]], 0.0, 100);
        for series in &cells[1].series {
            assert_eq!(series.ns.len(), 5, "no more blocks than needed");
            let ratio = if series.variant == "other" {
                2.0_f64
            } else {
                1.0
            };
            for value in &series.log_ratio {
                assert!((value - ratio.ln()).abs() < 1e-6, "{series:?}");
            }
        }
        assert!(cells.iter().all(|cell| cell.resolved));
        assert_eq!(cells[0].series.len(), 2, "what does not apply is left out");
        // In random order: not always the same variant first.
        assert!(mock.log.windows(2).any(|two| two == [2, 0]));
        assert!(mock.log.windows(2).any(|two| two == [0, 2]));
    }

    #[test]
    fn a_cell_may_have_rounds_of_its_own() {
        let mut mock = Mock {
            times: vec![[10.0; 2]; 2],
            layouts: vec![],
            noise: 0.0,
            samples: 0,
            log: vec![],
            rng: Rng::with_seed(5),
        };
        let mut cells = vec![
            Cell::new(Case::new("static", 1, 2, Unit::Schedule)),
            Cell::new(Case::new("static", 1, 2, Unit::Schedule)),
        ];
        cells[1].rounds = 7;
        let rules = Rules {
            budget: Duration::from_secs(100),
            rounds: 2,
            layouts: 1,
            least_blocks: 3,
            resolution: 0.01,
        };
        measure(&mut mock, &["plain", "other"], &mut cells, rules, 1).unwrap();
        assert_eq!(cells[0].rounds, 2);
        assert_eq!(mock.samples, 3 * 2 * (2 + 7));
        assert_eq!(cells[1].series[1].ns, [10.0; 3], "still a value per block");
    }

    #[test]
    fn the_budget_ends_what_noise_leaves_open() {
        let (cells, mock) = run(&[[10.0; 2]; 3], 0.8, 2);
        assert!(!cells[1].resolved);
        let spent = mock.elapsed();
        assert!(spent <= Duration::from_secs(2) && spent > Duration::from_millis(1900));
        let ratio = stats::bootstrap(&cells[1].series[2].log_ratio, 400);
        assert!(ratio.low < 0.0 && 0.0 < ratio.high, "{ratio:?}");
    }

    #[test]
    fn two_blocks_even_without_time() {
        let (cells, _) = run(&[[10.0; 2]; 3], 0.8, 0);
        assert_eq!(cells[0].series[1].ns.len(), 2);
    }
}
