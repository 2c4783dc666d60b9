//! One lane's time in explicit tasks, added to the slices of the executions that are looked at.

use std::collections::{BTreeMap, HashSet};

use ompchunk_trace_format::tasks::is_end;
use ompchunk_trace_format::{At, Event};

use crate::merge::Merge;
use crate::scan::Visit;

pub(super) const SLICES: usize = 100;

#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) execution: Execution,
    /// Thread time in tasks, in ticks, by slice.
    pub(super) slices: Vec<f64>,
    pub(super) team_size: u32,
    /// Another region that no other is around ran at the same time.
    pub(super) is_beside_another: bool,
    /// A thread left a task that it did not run, as far as it is told.
    pub(super) is_partial: bool,
}

merge!(Found: slices, is_beside_another, is_partial; max team_size);

impl Found {
    fn nothing(execution: Execution) -> Found {
        Found { execution, slices: vec![0.0; SLICES], team_size: 0, is_beside_another: false, is_partial: false }
    }

    fn ran(&mut self, from: u64, to: u64) {
        let execution = self.execution;
        let within = |ticks: u64| (ticks.clamp(execution.from, execution.to) - execution.from) as f64;
        let (from, to) = (within(from), within(to));
        if to <= from {
            return;
        }
        let width = execution.ticks() as f64 / SLICES as f64;
        let slice = |ticks: f64| ((ticks / width) as usize).min(SLICES - 1);
        for at in slice(from)..=slice(to) {
            let (begin, end) = (at as f64 * width, (at + 1) as f64 * width);
            self.slices[at] += (to.min(end) - from.max(begin)).max(0.0);
        }
    }
}

pub(super) struct LaneActivity {
    pub(super) found: Vec<Found>,
    nest: Nest,
    /// Tasks that wait in it.
    waiting: HashSet<u64>,
    /// Up to when its time is added up.
    since: u64,
    /// The region of this thread that no other is around, and when it began.
    outermost: Option<(u64, u64)>,
}

impl LaneActivity {
    pub(super) fn new(executions: &[Execution]) -> LaneActivity {
        LaneActivity {
            found: executions.iter().map(|execution| Found::nothing(*execution)).collect(),
            nest: Nest::default(),
            waiting: HashSet::new(),
            since: 0,
            outermost: None,
        }
    }

    pub(super) fn with(mut self, lane: &LaneActivity) -> LaneActivity {
        self.found.iter_mut().zip(&lane.found).for_each(|(found, more)| found.take_in(more));
        self
    }

    fn settle(&mut self, ticks: u64) {
        let from = std::mem::replace(&mut self.since, ticks);
        let running = self.nest.running();
        if running == 0 || self.waiting.contains(&running) {
            return;
        }
        for found in &mut self.found {
            found.ran(from, ticks);
        }
    }

    fn switch(&mut self, ticks: u64, prior: (u64, u32), next: u64) {
        let (prior, status) = prior;
        if is_end(status) {
            self.waiting.remove(&prior);
        }
        let Some(ran) = self.nest.switch(next) else { return };
        if ran != prior {
            for found in &mut self.found {
                found.is_partial |= (found.execution.from..=found.execution.to).contains(&ticks);
            }
        }
    }

    fn begin(&mut self, ticks: u64, parallel: u64) {
        if self.nest.is_outside() {
            self.outermost = Some((parallel, ticks));
        }
        self.nest.enter(parallel);
    }

    fn begin_part(&mut self, parallel: u64, team_size: u32) {
        for found in &mut self.found {
            if found.execution.parallel == parallel {
                found.team_size = team_size;
            }
        }
        self.nest.enter(parallel);
    }

    fn end(&mut self, ticks: u64, parallel: u64) {
        self.nest.leave(parallel);
        let Some((_, from)) = self.outermost.take_if(|(open, _)| *open == parallel) else { return };
        for found in &mut self.found {
            let overlaps = from < found.execution.to && found.execution.from < ticks;
            found.is_beside_another |= overlaps && found.execution.parallel != parallel;
        }
    }

    fn end_thread(&mut self, ticks: u64) {
        if let Some((parallel, _)) = self.outermost {
            self.end(ticks, parallel);
        }
        self.nest = Nest::default();
        self.waiting.clear();
    }
}

impl Visit for LaneActivity {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        let is_change = matches!(
            event,
            Event::TaskSchedule { .. }
                | Event::WaitBegin(_)
                | Event::WaitEnd(_)
                | Event::ParallelBegin { .. }
                | Event::ParallelEnd { .. }
                | Event::ImplicitTaskBegin { .. }
                | Event::ImplicitTaskEnd { .. }
                | Event::ThreadEnd { .. }
        );
        if is_change {
            self.settle(at.ticks);
        }
        match event {
            Event::TaskSchedule { prior, status, next } => self.switch(at.ticks, (*prior, *status), *next),
            Event::WaitBegin(_) => {
                self.waiting.insert(self.nest.running());
            }
            Event::WaitEnd(_) => {
                self.waiting.remove(&self.nest.running());
            }
            Event::ParallelBegin { parallel, .. } => self.begin(at.ticks, *parallel),
            Event::ParallelEnd { parallel } => self.end(at.ticks, *parallel),
            Event::ImplicitTaskBegin { parallel, team_size, .. } => self.begin_part(*parallel, *team_size),
            Event::ImplicitTaskEnd { parallel } => self.nest.leave(*parallel),
            Event::ThreadEnd { .. } => self.end_thread(at.ticks),
            _ => {}
        }
    }
}

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

#[derive(Debug, Default)]
pub(super) struct Longest {
    nest: Nest,
    /// Of the region that has not ended, its code.
    open: Option<(u64, Execution)>,
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
        if let Some((code, open)) = self.open.take_if(|(_, open)| open.parallel == region) {
            self.add(code, Execution { to: ticks, ..open });
        }
    }
}

impl Visit for Longest {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ParallelBegin { parallel, code, .. } => {
                if self.nest.is_outside() {
                    self.open = Some((*code, Execution { parallel: *parallel, from: at.ticks, to: at.ticks }));
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

/// A region, or the thread's part of it.
#[derive(Debug)]
struct Level {
    region: u64,
    /// The explicit task; 0: none.
    running: u64,
}

/// The levels of a lane, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Nest {
    levels: Vec<Level>,
}

impl Nest {
    /// A region begins, or the thread's part of one. The initial task is in none.
    pub(super) fn enter(&mut self, region: u64) {
        if region != 0 {
            self.levels.push(Level { region, running: 0 });
        }
    }

    /// The region ends, with all that is inside.
    pub(super) fn leave(&mut self, region: u64) {
        let found = self.levels.iter().rposition(|level| level.region == region);
        if let Some(from) = found {
            self.levels.truncate(from);
        }
    }

    pub(super) fn is_outside(&self) -> bool {
        self.levels.is_empty()
    }

    /// The task that the thread runs in its innermost region; 0: none.
    pub(super) fn running(&self) -> u64 {
        self.levels.last().map_or(0, |level| level.running)
    }

    /// Goes on with another task. Gives the one before; `None`: the thread is in no region.
    pub(super) fn switch(&mut self, next: u64) -> Option<u64> {
        let level = self.levels.last_mut()?;
        Some(std::mem::replace(&mut level.running, next))
    }
}
