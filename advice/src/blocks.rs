//! Blocks of equal cost (`balanced`), in thought. A program that balances itself cuts them by what iterations took in earlier executions. So
//! here they are cut by what all executions but the simulated one have in common, and that one says how long they take.

use std::collections::BTreeMap;

use crate::work::Work;
use crate::world::{Interpretation, World};

/// Pieces of the iteration space of which costs are known apart, as in the shim.
const PIECES: u64 = 256;
const WHOLE: u64 = 1 << 32;

/// What worlds that are read alike cost, piece by piece, as shares of each.
#[derive(Debug, Default)]
pub struct Blocks(BTreeMap<Kind, Known>);

type Kind = (Interpretation, bool);

#[derive(Debug)]
struct Known {
    worlds: usize,
    shares: Vec<f64>,
}

impl Blocks {
    /// By these, each an execution or not (`real`).
    pub fn from_worlds<'w>(worlds: impl Iterator<Item = (&'w World, bool)>) -> Blocks {
        let mut blocks = Blocks::default();
        for (world, real) in worlds {
            let known = blocks
                .0
                .entry((world.interpretation, real))
                .or_insert_with(|| Known { worlds: 0, shares: vec![0.0; PIECES as usize] });
            known.worlds += 1;
            for (sum, share) in known.shares.iter_mut().zip(shares(&world.work)) {
                *sum += share;
            }
        }
        blocks
    }

    /// The first iteration of each thread's block, and the number of all: of a world that is among those. `None`: it is the only one
    /// of its kind, so nothing is known of what comes before it.
    pub fn bounds(&self, world: &World, real: bool) -> Option<Vec<u64>> {
        let known = self.0.get(&(world.interpretation, real))?;
        if known.worlds < 2 {
            return None;
        }
        let both = known.shares.iter().zip(shares(&world.work));
        let before = both.map(|(all, own)| (all - own).max(0.0));
        let costs = Work::new(before.map(|share| (WHOLE / PIECES, share)));
        let trips = world.work.trips();
        let places = ends(world).map(|end| place(&costs, end * costs.total()));
        let iterations = |place: u64| (u128::from(trips) * u128::from(place) / u128::from(WHOLE)) as u64;
        let mut bounds: Vec<u64> = std::iter::once(0).chain(places.map(iterations)).collect();
        *bounds.last_mut()? = trips;
        Some(bounds)
    }
}

fn shares(work: &Work) -> impl Iterator<Item = f64> {
    let (trips, total) = (u128::from(work.trips()), work.total());
    let before = move |piece: u64| work.before((trips * u128::from(piece) / u128::from(PIECES)) as u64);
    let even = 1.0 / PIECES as f64;
    (0..PIECES).map(move |piece| if total > 0.0 { (before(piece + 1) - before(piece)) / total } else { even })
}

/// Where each thread's share of the work ends, so that all take as long: slower ones get less.
fn ends(world: &World) -> impl Iterator<Item = f64> {
    let speeds = world.team.slower.iter().map(|slower| 1.0 / slower);
    let all: f64 = speeds.clone().sum();
    speeds.scan(0.0, move |sum, speed| {
        *sum += speed / all;
        Some(*sum)
    })
}

/// The first place that so much work is before.
fn place(costs: &Work, work: f64) -> u64 {
    let (mut low, mut high) = (0, WHOLE);
    while low < high {
        let middle = low + (high - low) / 2;
        if costs.before(middle) < work { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Team;

    fn world(work: Work, slower: &[f64]) -> World {
        World {
            interpretation: Interpretation::Iterations,
            team: Team { slower: slower.to_vec(), ..Team::from_threads(slower.len()) },
            work,
            measured: 0.0,
            dealing: None,
        }
    }

    fn blocks_of(executions: &[World]) -> Blocks {
        Blocks::from_worlds(executions.iter().map(|execution| (execution, true)))
    }

    fn triangle(trips: u64) -> Work {
        Work::new((0..trips).map(|iteration| (1, iteration as f64)))
    }

    #[test]
    fn a_triangle_is_cut_where_half_of_it_is() {
        let executions = [1000, 2000].map(|trips| world(triangle(trips), &[1.0; 2]));
        let blocks = blocks_of(&executions);
        for (execution, trips) in executions.iter().zip([1000, 2000]) {
            let bounds = blocks.bounds(execution, true).unwrap();
            assert_eq!((bounds[0], bounds[2]), (0, trips));
            let half = bounds[1] as f64 / trips as f64;
            assert!((half - 0.5f64.sqrt()).abs() < 0.003, "{half}");
        }
    }

    #[test]
    fn a_slower_thread_gets_less() {
        let even = || world(Work::new([(1 << 40, 1e9)]), &[1.0, 3.0]);
        let executions = [even(), even()];
        let bounds = blocks_of(&executions).bounds(&executions[0], true).unwrap();
        let share = bounds[1] as f64 / (1u64 << 40) as f64;
        assert!((share - 0.75).abs() < 1e-6, "{share}");
    }

    #[test]
    fn one_alone_tells_nothing_of_the_next() {
        let only = [world(triangle(100), &[1.0; 2])];
        assert_eq!(blocks_of(&only).bounds(&only[0], true), None);
    }

    /// What an execution costs itself is not known when its blocks are cut.
    #[test]
    fn each_is_cut_by_the_others() {
        let spike = |at: u64| {
            let costs = (0..100).map(|iteration| (1, if iteration == at { 1e6 } else { 1.0 }));
            world(Work::new(costs), &[1.0; 2])
        };
        let executions = [spike(10), spike(90)];
        let blocks = blocks_of(&executions);
        let cut = |number: usize| blocks.bounds(&executions[number], true).unwrap()[1];
        assert!(cut(0) > 88 && cut(1) < 12, "{} {}", cut(0), cut(1));
    }

    #[test]
    fn no_work_and_no_iterations() {
        let executions = [world(Work::new([]), &[1.0; 3]), world(Work::new([(7, 0.0)]), &[1.0; 3])];
        let blocks = blocks_of(&executions);
        assert_eq!(blocks.bounds(&executions[0], true), Some(vec![0; 4]));
        let bounds = blocks.bounds(&executions[1], true).unwrap();
        assert!(bounds.is_sorted() && bounds[3] == 7, "{bounds:?}");
    }
}
