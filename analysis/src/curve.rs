//! What iterations of a loop cost, over its iteration space: sub-blocks, or chunks that the runtime dealt, in bins, while a trace
//! is read a second time. A curve has a fixed size whatever the number of executions.

mod bins;
mod lane;

use std::collections::BTreeMap;

use ompchunk_figures::median;
use ompchunk_trace_format::{Error, Part};
use serde::Serialize;

use crate::curve::bins::Bins;
use crate::curve::lane::{Found, LaneCurve, User, Wanted};
use crate::model::LoopReport;
use crate::part::PartSums;
use crate::scan::scan;
use crate::wanted_loops::Sought;

pub use crate::curve::bins::BINS;

/// Borders between threads that are kept.
const BORDERS: usize = 255;
/// Parts of executions that a thread needs of each kind, for what dividing costs.
const ENOUGH: usize = 3;
/// Chunks that a part of an execution has at least on average, so that they tell more than sums would.
const MANY: u64 = 8;

/// What iterations of one loop cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Curve {
    /// Iterations of the longest execution, divided evenly into the bins.
    pub iterations: u64,
    /// From sub-blocks; else from chunks.
    pub divided: bool,
    /// How many of these.
    pub pieces: u64,
    /// Threads' parts of executions that they are from.
    pub parts: u64,
    /// By bin, seconds per iteration: the mean of all executions, ...
    pub mean: Vec<Option<f32>>,
    /// ... the one in the middle of some of them, ...
    pub median: Vec<Option<f32>>,
    /// ... the least, ...
    pub low: Vec<Option<f32>>,
    /// ... and the most in one.
    pub high: Vec<Option<f32>>,
    /// Where a thread's block begins and another's ends, if each has one.
    pub borders: Vec<u64>,
    /// The user's values in the first and the last iteration, where they are the same in all executions.
    pub user: Option<[i128; 2]>,
    /// What dividing chunks costs the loop; `None`: too few executions were not divided.
    pub cost: Option<Cost>,
}

/// Executions that were divided into sub-blocks, and those between them that were not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// What the former took per iteration, to the latter: medians of each thread, summed up.
    pub ratio: f64,
    /// Threads' parts of executions that were divided, ...
    pub divided: u64,
    /// ... and that were not.
    pub whole: u64,
}

/// What all lanes of all parts have found of a loop, in seconds.
#[derive(Debug, Default)]
struct Sum {
    divided: Bins,
    chunks: Bins,
    borders: Vec<u64>,
    /// By part and thread, seconds per iteration: divided, whole.
    densities: BTreeMap<(usize, u32), [Vec<f32>; 2]>,
    user: User,
}

/// Reads parts again for the curves of some loops. `None`: nothing tells its iterations apart.
pub(crate) fn curves(
    parts: &[&Part],
    sums: &[PartSums],
    loops: &[&LoopReport],
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Option<Curve>>, Error> {
    let iterations = |the_loop: &LoopReport| the_loop.trip_count.map_or(0, |[_, most]| most);
    let mut found: Vec<Sum> = loops.iter().map(|_| Sum::default()).collect();
    for (number, (part, sums)) in parts.iter().zip(sums).enumerate() {
        let sought = Sought::from_sums(sums, loops, |place, sums| {
            let iterations = iterations(loops[place]);
            (iterations > 0).then_some(Wanted { sums, iterations })
        });
        if sought.is_nothing() {
            continue;
        }
        let lanes = scan(part, || LaneCurve::new(&sought), |_, bytes| progress(bytes))?;
        let seconds_per_tick = 1.0 / sums.clock.hertz;
        for lane in lanes {
            for (of_lane, (_, place)) in lane.found.into_iter().zip(&sought.loops) {
                found[*place].add(number, of_lane, seconds_per_tick);
            }
        }
    }
    let curves = found.into_iter().zip(loops);
    Ok(curves.map(|(sum, the_loop)| sum.curve(iterations(the_loop))).collect())
}

impl Sum {
    fn add(&mut self, part: usize, found: Found, seconds_per_tick: f64) {
        self.divided.add(&found.divided, seconds_per_tick);
        self.chunks.add(&found.chunks, seconds_per_tick);
        self.borders.extend(found.borders);
        self.user.merge(found.user);
        for (thread, [divided, whole]) in found.densities {
            let to = self.densities.entry((part, thread)).or_default();
            let scale = seconds_per_tick as f32;
            to[0].extend(divided.iter().map(|divided| divided * scale));
            to[1].extend(whole.iter().map(|whole| whole * scale));
        }
    }

    fn curve(mut self, iterations: u64) -> Option<Curve> {
        let cost = self.cost();
        let divided = self.divided.pieces > 0;
        let from = match divided {
            true => &self.divided,
            false => &self.chunks,
        };
        let tells = divided || from.pieces >= MANY * from.parts.max(1);
        if from.pieces == 0 || !tells {
            return None;
        }
        self.borders.sort_unstable();
        self.borders.dedup();
        self.borders.retain(|border| (1..iterations).contains(border));
        self.borders.truncate(BORDERS);
        let values = |of: fn(&bins::Bin) -> f64| {
            let bins = from.all.iter();
            bins.map(|bin| (bin.iterations > 0.0).then(|| of(bin) as f32)).collect()
        };
        Some(Curve {
            iterations,
            divided,
            pieces: from.pieces,
            parts: from.parts,
            mean: values(|bin| bin.time / bin.iterations),
            median: values(bins::Bin::median),
            low: values(|bin| bin.low),
            high: values(|bin| bin.high),
            borders: self.borders,
            user: match self.user {
                User::Are(both) => Some(both),
                User::NotSeen | User::Differ => None,
            },
            cost,
        })
    }

    fn cost(&mut self) -> Option<Cost> {
        let median = |all: &[f32]| median(all.iter().map(|density| f64::from(*density))).unwrap_or(0.0);
        let (mut of_divided, mut of_whole) = (0.0, 0.0);
        let (mut divided, mut whole) = (0, 0);
        for both in self.densities.values() {
            if both.iter().any(|half| half.len() < ENOUGH) {
                continue;
            }
            divided += both[0].len() as u64;
            whole += both[1].len() as u64;
            of_divided += median(&both[0]);
            of_whole += median(&both[1]);
        }
        (of_whole > 0.0).then(|| Cost { ratio: of_divided / of_whole, divided, whole })
    }
}
