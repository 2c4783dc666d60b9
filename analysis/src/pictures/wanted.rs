//! What is wanted of a loop in one part, and how its chunks are binned.

use crate::chosen::Run;
use crate::model::LoopReport;
use crate::part::LoopSums;
use crate::timeline::{Frame, Which};

/// Bins of iterations.
pub const COLUMNS: usize = 160;
/// Bins of durations.
pub const ROWS: usize = 40;

/// What is wanted of a loop.
pub(super) struct Wanted<'a> {
    pub(super) sums: &'a LoopSums,
    pub(super) iterations: u64,
    /// Durations in ticks, as logarithms: lowest, and bins per unit.
    pub(super) low: f64,
    pub(super) scale: f64,
    /// The executions of this part that are shown, with what for.
    pub(super) frames: Vec<(Frame, Vec<Which>)>,
}

impl<'a> Wanted<'a> {
    /// `shown`: the executions, with what for.
    pub(super) fn new<'s>(
        the_loop: &LoopReport,
        sums: &'a LoopSums,
        hertz: f64,
        shown: impl Iterator<Item = (Run, &'s [Which])>,
    ) -> Wanted<'a> {
        let threads = the_loop.team_size.map_or(1, |[_, most]| most) as usize;
        let (low, high) = durations(the_loop).unwrap_or((1.0, 2.0));
        let (low, high) = ((low * hertz).ln(), (high * hertz).ln());
        Wanted {
            sums,
            iterations: iterations(the_loop),
            low,
            scale: ROWS as f64 / (high - low),
            frames: shown.map(|(run, which)| (Frame::of(run, threads), which.to_vec())).collect(),
        }
    }

    /// The execution that a thread begins then, in that region, if it is shown.
    pub(super) fn frame(&self, region: u64, ticks: u64) -> Option<usize> {
        let mut frames = self.frames.iter();
        frames.position(|(frame, _)| frame.has(region, ticks))
    }
}

pub(super) fn iterations(the_loop: &LoopReport) -> u64 {
    the_loop.trip_count.map_or(0, |[_, most]| most)
}

/// Shortest and longest, never the same, never zero.
pub(super) fn durations(the_loop: &LoopReport) -> Option<(f64, f64)> {
    let all = the_loop.chunk_seconds.as_ref()?;
    let low = all.min.max(1e-9);
    Some((low, all.max.max(low * 1.1)))
}

pub(super) fn add_counts(sums: &mut [u32], counts: &[u32]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}
