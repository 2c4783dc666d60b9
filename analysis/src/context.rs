//! What the numbers of a loop are made of: the parts, their sums, and which process each is of.

use ompchunk_trace_format::Part;

use crate::join::Executions;
use crate::part::{LoopSums, PartSums};
use crate::process::Processes;

/// Of a report. Parts and sums stand in the same order.
pub(crate) struct Context<'a> {
    pub(crate) parts: &'a [&'a Part],
    pub(crate) sums: &'a [PartSums],
    pub(crate) processes: &'a Processes,
}

impl Context<'_> {
    /// From the start of a part's process until it was recorded; `None`: not known, or an earlier part has it.
    pub(crate) fn before(&self, part: usize) -> Option<f64> {
        let before = self.parts[part].meta().before?;
        self.processes.is_first(part).then_some(before)
    }

    /// Ticks of a part's clock.
    pub(crate) fn seconds(&self, part: usize, ticks: f64) -> f64 {
        ticks / self.sums[part].clock.hertz
    }
}

/// A loop's sums in one of the parts.
#[derive(Clone, Copy)]
pub(crate) struct InPart<'a> {
    pub(crate) part: usize,
    pub(crate) sums: &'a LoopSums,
}

impl<'a> InPart<'a> {
    pub(crate) fn executions(self) -> &'a Executions {
        &self.sums.executions
    }
}
