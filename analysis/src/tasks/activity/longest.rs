//! The longest execution of each region that no other is around, and what keeps a part from telling all tasks.

use std::collections::BTreeMap;

use ompchunk_trace_format::{At, Event};

use super::nest::Nest;
use crate::scan::Visit;

/// An execution of a region, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Execution {
    pub(super) parallel: u64,
    pub(super) from: u64,
    pub(super) to: u64,
}

impl Execution {
    pub(super) fn ticks(&self) -> u64 {
        self.to.saturating_sub(self.from)
    }
}

/// What a lane tells of it.
#[derive(Debug, Default)]
pub(super) struct Longest {
    nest: Nest,
    /// The region, its code, and when it began.
    open: Option<(u64, u64, u64)>,
    /// By the code that begins it.
    pub(super) found: BTreeMap<u64, Execution>,
    pub(super) is_paused: bool,
    pub(super) has_lost: bool,
}

impl Longest {
    /// The longer one of both, by code.
    pub(super) fn with(mut self, more: Longest) -> Longest {
        for (code, execution) in more.found {
            self.add(code, execution);
        }
        self.is_paused |= more.is_paused;
        self.has_lost |= more.has_lost;
        self
    }

    fn add(&mut self, code: u64, execution: Execution) {
        let longest = self.found.entry(code).or_insert(execution);
        if execution.ticks() > longest.ticks() {
            *longest = execution;
        }
    }

    fn end(&mut self, ticks: u64, region: u64) {
        self.nest.leave(region);
        if let Some((parallel, code, from)) = self.open.take_if(|(open, _, _)| *open == region) {
            let to = ticks;
            self.add(code, Execution { parallel, from, to });
        }
    }
}

impl Visit for Longest {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ParallelBegin { parallel, code, .. } => {
                if self.nest.is_outside() {
                    self.open = Some((*parallel, *code, at.ticks));
                }
                self.nest.enter(*parallel);
            }
            Event::ParallelEnd { parallel } => self.end(at.ticks, *parallel),
            Event::ImplicitTaskBegin { parallel, .. } => self.nest.enter(*parallel),
            Event::ImplicitTaskEnd { parallel } => self.nest.leave(*parallel),
            Event::ThreadEnd { .. } => (self.nest, self.open) = (Nest::default(), None),
            Event::Pause(_) => self.is_paused = true,
            Event::Lost(lost) => self.has_lost |= lost.events > 0,
            _ => {}
        }
    }
}
