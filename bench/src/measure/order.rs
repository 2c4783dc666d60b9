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

use crate::plan::options::Options;
use crate::results::stats;
use crate::results::{Cell, Results, Series, VariantInfo};

/// Runs batches.
pub trait Executor {
    /// Starts everything anew; variant `v` in `layouts[v]`.
    fn restart(&mut self, layouts: &[usize], rng: &mut Rng) -> Result<()>;
    /// Nanoseconds of one unit of a cell in a variant.
    fn sample(&mut self, variant: usize, cell: &Cell) -> Result<f64>;
    /// Whether the variant can run the cell at all.
    fn applies(&self, _variant: usize, _cell: &Cell) -> bool {
        true
    }
    /// Since it was made.
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
    /// One round of a generation, in one layout.
    pub fn new(options: &Options, least_blocks: usize) -> Rules {
        Rules {
            budget: Duration::from_secs_f64(options.seconds()),
            rounds: 1,
            layouts: 1,
            least_blocks,
            resolution: 0.01,
        }
    }

    /// For batches in processes that live for a generation.
    pub fn of_batches(options: &Options, layouts: usize) -> Rules {
        Rules { rounds: if options.quick { 1 } else { 3 }, layouts, ..Rules::new(options, 6) }
    }
}

/// Fills in the cells' series, and how long that took; the first variant is the base.
pub fn measure(executor: &mut impl Executor, results: &mut Results, rules: Rules) -> Result<()> {
    let mut rng = Rng::with_seed(results.setup.seed);
    let (variants, cells) = (&results.variants, &mut results.cells);
    for cell in cells.iter_mut() {
        if cell.rounds == 0 {
            cell.rounds = rules.rounds;
        }
        let applying = variants.iter().enumerate();
        let applying = applying.filter(|(variant, _)| executor.applies(*variant, cell));
        cell.series = applying.map(|(_, info)| Series::new(&info.name)).collect();
    }
    let begun = executor.elapsed();
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
        let in_time = (now - begun) + (now - start) <= rules.budget;
        if cells.iter().all(|cell| cell.resolved) || (!in_time && blocks >= 2) {
            results.setup.seconds = (now - begun).as_secs_f64();
            return Ok(());
        }
    }
}

fn is_resolved(cell: &Cell, resolution: f64) -> bool {
    // The base has no ratio.
    cell.series[1..].iter().all(|series| stats::bootstrap(&series.log_ratio, 200).half_width() <= resolution)
}

/// What a generation took, by cell, series and round.
type Times = Vec<Vec<Vec<f64>>>;

fn block(
    executor: &mut impl Executor,
    variants: &[VariantInfo],
    cells: &mut [Cell],
    open: &[usize],
    rules: Rules,
    rng: &mut Rng,
) -> Result<()> {
    let orders: Vec<Vec<usize>> = variants.iter().map(|_| shuffled(0..rules.layouts, rng)).collect();
    // By cell and series, the sums over the generations.
    let of_series = |cell: &Cell| vec![(0.0, 0.0); cell.series.len()];
    let mut sums: Vec<Vec<(f64, f64)>> = cells.iter().map(of_series).collect();
    for generation in 0..rules.layouts {
        let layouts: Vec<usize> = orders.iter().map(|order| order[generation]).collect();
        executor.restart(&layouts, rng)?;
        let times = rounds(executor, variants, cells, open, rng)?;
        for at in open {
            let base = &times[*at][0];
            for (sum, times) in sums[*at].iter_mut().zip(&times[*at]) {
                let pairs = times.iter().zip(base);
                let ratios: Vec<f64> = pairs.map(|(time, base)| (time / base).ln()).collect();
                sum.0 += stats::median(times);
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

/// Runs the rounds of a generation.
fn rounds(
    executor: &mut impl Executor,
    variants: &[VariantInfo],
    cells: &[Cell],
    open: &[usize],
    rng: &mut Rng,
) -> Result<Times> {
    let of_series = |cell: &Cell| vec![Vec::new(); cell.series.len()];
    let mut times: Times = cells.iter().map(of_series).collect();
    let most = open.iter().map(|at| cells[*at].rounds).max();
    for round in 0..most.unwrap_or(0) {
        let in_round = open.iter().copied();
        for at in shuffled(in_round.filter(|at| round < cells[*at].rounds), rng) {
            let cell = &cells[at];
            for series in shuffled(0..cell.series.len(), rng) {
                let name = &cell.series[series].variant;
                let variant = variants.iter().position(|info| info.name == *name);
                times[at][series].push(executor.sample(variant.unwrap_or_default(), cell)?);
            }
        }
    }
    Ok(times)
}

fn shuffled(numbers: impl Iterator<Item = usize>, rng: &mut Rng) -> Vec<usize> {
    let mut shuffled: Vec<usize> = numbers.collect();
    rng.shuffle(&mut shuffled);
    shuffled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::case::{Case, Unit};
    use crate::results::Role;

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

    impl Mock {
        fn new(times: &[[f64; 2]], noise: f64) -> Mock {
            Mock { times: times.to_vec(), layouts: vec![], noise, samples: 0, log: vec![], rng: Rng::with_seed(5) }
        }
    }

    fn results(names: &[&str], cells: [Cell; 2]) -> Results {
        let mut results = Results::new("mock");
        let info = |name: &&str| VariantInfo { name: (*name).to_owned(), title: String::new(), role: Role::Other };
        results.variants = names.iter().map(info).collect();
        results.cells = cells.into();
        results.setup.seed = 1;
        results
    }

    fn run(times: &[[f64; 2]], noise: f64, seconds: u64) -> (Vec<Cell>, Mock) {
        let mut mock = Mock::new(times, noise);
        let cell = |threads| Cell::new(Case::new("empty", 1, threads, Unit::Chunk));
        let mut results = results(&["plain", "again", "other"], [cell(1), cell(2)]);
        let rules =
            Rules { budget: Duration::from_secs(seconds), rounds: 3, layouts: 2, least_blocks: 5, resolution: 0.01 };
        measure(&mut mock, &mut results, rules).unwrap();
        assert_eq!(results.setup.seconds, mock.elapsed().as_secs_f64());
        (results.cells, mock)
    }

    #[test]
    fn layouts_are_averaged_within_a_block() {
        // The second layout of each costs twice as much: no block may owe its ratio to that.
        let (cells, mock) = run(&[[10.0, 20.0], [10.0, 20.0], [20.0, 40.0]], 0.0, 100);
        for series in &cells[1].series {
            assert_eq!(series.ns.len(), 5, "no more blocks than needed");
            let ratio = if series.variant == "other" { 2.0_f64 } else { 1.0 };
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
        let mut mock = Mock::new(&[[10.0; 2]; 2], 0.0);
        let cell = || Cell::new(Case::new("static", 1, 2, Unit::Schedule));
        let mut results = results(&["plain", "other"], [cell(), cell()]);
        results.cells[1].rounds = 7;
        let rules =
            Rules { budget: Duration::from_secs(100), rounds: 2, layouts: 1, least_blocks: 3, resolution: 0.01 };
        measure(&mut mock, &mut results, rules).unwrap();
        let cells = results.cells;
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
