//! What iterations of a loop cost, over its iteration space: sub-blocks, or chunks that the runtime dealt, in bins, while a trace
//! is read a second time. A curve has a fixed size whatever the number of executions.

mod bins;
mod lane;

use ompchunk_figures::median;
use ompchunk_trace_format::Error;
use serde::Serialize;

use crate::curve::lane::{Found, LaneCurve, User, Wanted};
use crate::model::LoopReport;
use crate::part::Sought;
use crate::process::Context;
use crate::scan::{Progress, scan};

pub use crate::curve::bins::BINS;

const BORDERS: usize = 255;
/// Parts of executions that a thread needs of each kind, for what dividing costs.
const ENOUGH: usize = 3;
/// Chunks that a part of an execution has at least on average, so that they tell more than sums would.
const MANY: u64 = 8;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Curve {
    pub iterations: u64,
    pub divided: bool,
    pub pieces: u64,
    pub parts: u64,
    pub mean: Vec<Option<f32>>,
    pub median: Vec<Option<f32>>,
    pub low: Vec<Option<f32>>,
    pub high: Vec<Option<f32>>,
    pub borders: Vec<u64>,
    pub user: Option<[i128; 2]>,
    /// What dividing chunks costs the loop; `None`: too few executions were not divided.
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// What the former took per iteration, to the latter: medians of each thread, summed up.
    pub ratio: f64,
    pub divided: u64,
    pub whole: u64,
}

/// Reads parts again for the curves of some loops. `None`: nothing tells its iterations apart.
pub(crate) fn curves(
    context: &Context<'_>,
    loops: &[&LoopReport],
    progress: Progress<'_>,
) -> Result<Vec<Option<Curve>>, Error> {
    let iterations = |the_loop: &LoopReport| the_loop.trip_count.map_or(0, |[_, most]| most);
    let mut found = vec![Found::default(); loops.len()];
    for (number, (part, sums)) in context.parts.iter().zip(&context.sums).enumerate() {
        let sought = Sought::from_sums(sums, loops, |place, sums| {
            let iterations = iterations(loops[place]);
            (iterations > 0).then_some(Wanted { sums, iterations })
        });
        if sought.slots.is_empty() {
            continue;
        }
        let lanes = scan(part, || LaneCurve::new(number, &sought), |_, bytes| progress(bytes))?;
        let seconds_per_tick = 1.0 / sums.clock.hertz;
        for lane in lanes {
            for (of_lane, (_, place)) in lane.found.into_iter().zip(&sought.loops) {
                found[*place].add(of_lane, seconds_per_tick);
            }
        }
    }
    Ok(found.into_iter().zip(loops).map(|(found, the_loop)| found.curve(iterations(the_loop))).collect())
}

impl Found {
    fn add(&mut self, found: Found, seconds_per_tick: f64) {
        self.divided.add(&found.divided, seconds_per_tick);
        self.chunks.add(&found.chunks, seconds_per_tick);
        self.borders.extend(found.borders);
        self.user.merge(found.user);
        let scale = seconds_per_tick as f32;
        for (thread, both) in found.densities {
            let to = self.densities.entry(thread).or_default();
            for (to, ticks) in to.iter_mut().zip(both) {
                to.extend(ticks.iter().map(|ticks| ticks * scale));
            }
        }
    }

    fn curve(self, iterations: u64) -> Option<Curve> {
        let cost = self.cost();
        let divided = self.divided.pieces > 0;
        let from = if divided { &self.divided } else { &self.chunks };
        let tells = divided || from.pieces >= MANY * from.parts.max(1);
        if from.pieces == 0 || !tells {
            return None;
        }
        let values = |of: fn(&bins::Bin) -> f64| {
            from.all.iter().map(|bin| (bin.iterations > 0.0).then(|| of(bin) as f32)).collect()
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
            borders: self.borders.range(1..iterations).take(BORDERS).copied().collect(),
            user: match self.user {
                User::Are(both) => Some(both),
                User::NotSeen | User::Differ => None,
            },
            cost,
        })
    }

    fn cost(&self) -> Option<Cost> {
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
