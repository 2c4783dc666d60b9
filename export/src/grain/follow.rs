//! What `dag` and `summary` have in common: which event does what, what a lane runs at a time, and how it waits.

use std::collections::HashMap;

use ompchunk_trace_format::raw::{SYNC_TASKGROUP, SYNC_TASKWAIT};
use ompchunk_trace_format::tasks::{WAIT_BY_DEPENDENCES, is_end};
use ompchunk_trace_format::{At, Chunk, Event, LoopBegin, is_barrier};

#[derive(Default)]
pub(super) struct Strands<S> {
    /// What each lane runs, innermost last.
    pub(super) lanes: HashMap<u32, Vec<usize>>,
    pub(super) all: Vec<S>,
    /// Places of those that are over.
    pub(super) free: Vec<usize>,
}

impl<S> Strands<S> {
    /// A strand, in the place of one that is over.
    pub(super) fn add(&mut self, strand: S) -> usize {
        match self.free.pop() {
            Some(free) => {
                self.all[free] = strand;
                free
            }
            None => {
                self.all.push(strand);
                self.all.len() - 1
            }
        }
    }

    pub(super) fn lane(&mut self, at: At) -> &mut Vec<usize> {
        self.lanes.entry(at.lane).or_default()
    }

    pub(super) fn depth(&self, at: At, is_such: impl Fn(&S) -> bool) -> Option<usize> {
        self.lanes.get(&at.lane)?.iter().rposition(|strand| is_such(&self.all[*strand]))
    }
}

/// It began a region.
const IN_REGION: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Waits {
    /// `ompt_sync_region_t`, innermost last.
    kinds: Vec<u32>,
    since: u64,
    pub(super) waited: u64,
    /// The recorder's own ticks since its piece began.
    pub(super) off: u64,
}

impl Waits {
    pub(super) fn go_on(&mut self, now: u64) -> bool {
        if self.kinds.is_empty() {
            return false;
        }
        self.since = now;
        true
    }

    pub(super) fn settle(&mut self, now: u64) {
        if !self.kinds.is_empty() {
            self.waited += now.saturating_sub(self.since);
            self.since = now;
        }
    }

    pub(super) fn begin_region(&mut self, now: u64) {
        self.kinds.push(IN_REGION);
        self.since = now;
    }

    pub(super) fn end_region(&mut self) {
        self.kinds.retain(|kind| *kind != IN_REGION);
        self.waited = 0;
    }
}

pub(super) trait Runs {
    fn waits(&mut self) -> &mut Waits;
    fn is_explicit(&self) -> bool;
    fn is_in_loop(&self) -> bool;
}

pub(super) trait FollowTasks {
    fn create(&mut self, at: At, number: u64, flags: u32, code: u64);
    /// A `taskwait` with dependences: what follows is behind tasks that are told next.
    fn wait_by_dependences(&mut self, at: At, number: u64, flags: u32, code: u64);
    fn creation(&mut self, number: u64, duration: u64);
    fn depends(&mut self, at: At, number: u64, kind: u32, variable: u64);
    /// The strand of a task, which may have been created untold.
    fn task_strand(&mut self, at: At, number: u64) -> usize;
    fn task_end(&mut self, at: At, number: u64);
}

pub(super) trait Follow: FollowTasks {
    type Strand: Runs;

    fn strands(&mut self) -> &mut Strands<Self::Strand>;
    fn initial_strand(&mut self) -> usize;
    /// A strand runs from now on, unless it waits.
    fn resume(&mut self, strand: usize, at: At);
    fn stop(&mut self, strand: usize, now: u64);
    /// The lane has left a strand, which has stopped.
    fn left(&mut self, strand: usize);
    fn implicit_begin(&mut self, at: At, id: u64, threads: u32);
    fn implicit_end(&mut self, at: At, id: u64);
    fn region_begin(&mut self, at: At, id: u64, code: u64);
    fn region_end(&mut self, at: At, id: u64);
    fn loop_begin(&mut self, at: At, begin: &LoopBegin);
    fn loop_end(&mut self, at: At, the_loop: u32);
    fn chunk(&mut self, at: At, chunk: &Chunk);

    fn open_taskgroup(&mut self, strand: usize);
    fn meet_taskgroup(&mut self, strand: usize, now: u64);
    fn meet_children(&mut self, strand: usize, now: u64);
    /// What the strand did since the last barrier comes before the next one.
    fn reach_barrier(&mut self, strand: usize);
    fn pass_barrier(&mut self, strand: usize);

    fn event(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => self.chunk(at, chunk),
            Event::LoopBegin(begin) => self.loop_begin(at, begin),
            Event::LoopEnd { the_loop } => self.loop_end(at, *the_loop),
            Event::ParallelBegin { parallel, code, .. } => self.region_begin(at, *parallel, *code),
            Event::ParallelEnd { parallel } => self.region_end(at, *parallel),
            Event::ImplicitTaskBegin { parallel: 0, .. } => {
                let initial = self.initial(at);
                self.resume(initial, at);
            }
            Event::ImplicitTaskBegin { parallel, team_size, .. } => self.implicit_begin(at, *parallel, *team_size),
            Event::ImplicitTaskEnd { parallel } => self.implicit_end(at, *parallel),
            Event::SyncBegin(sync) => self.sync_begin(at, sync.kind),
            Event::SyncEnd(sync) => self.sync_end(at, sync.kind),
            Event::WaitBegin(sync) if sync.kind == SYNC_TASKGROUP => self.wait(at, SYNC_TASKGROUP),
            Event::Recorder(own) => {
                let top = self.top(at);
                let waits = self.strands().all[top].waits();
                waits.off = waits.off.saturating_add(own.ticks);
            }
            Event::Pause(_) => _ = self.stop_top(at),
            Event::Resume => {
                let top = self.top(at);
                self.resume(top, at);
            }
            Event::ThreadEnd { .. } => self.leave(at, 0),
            Event::TaskCreate { task, flags, code, .. } => match flags & WAIT_BY_DEPENDENCES {
                0 => self.create(at, *task, *flags, *code),
                _ => self.wait_by_dependences(at, *task, *flags, *code),
            },
            Event::TaskCreation { task, duration } => self.creation(*task, *duration),
            Event::TaskSchedule { prior, status, next } => self.switch(at, *prior, *status, *next),
            Event::TaskDependence { task, kind, variable } => self.depends(at, *task, *kind, *variable),
            _ => {}
        }
    }

    /// What the lane runs; a thread whose beginning was lost is in an initial task.
    fn top(&mut self, at: At) -> usize {
        match self.strands().lane(at).last() {
            Some(top) => *top,
            None => self.initial(at),
        }
    }

    fn stop_top(&mut self, at: At) -> usize {
        let top = self.top(at);
        self.stop(top, at.ticks);
        top
    }

    fn initial(&mut self, at: At) -> usize {
        let strand = self.initial_strand();
        self.strands().lane(at).push(strand);
        strand
    }

    /// All strands of a lane from `depth` on stop, and those that are no explicit tasks end.
    fn leave(&mut self, at: At, depth: usize) {
        let lane = self.strands().lane(at);
        let from = depth.min(lane.len());
        let left: Vec<usize> = lane.drain(from..).rev().collect();
        for strand in left {
            self.stop(strand, at.ticks);
            self.left(strand);
        }
    }

    fn wait(&mut self, at: At, kind: u32) {
        let top = self.stop_top(at);
        let waits = self.strands().all[top].waits();
        waits.kinds.push(kind);
        (waits.since, waits.waited) = (at.ticks, 0);
    }

    fn sync_begin(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        if kind == SYNC_TASKGROUP {
            self.open_taskgroup(top);
        } else if kind == SYNC_TASKWAIT {
            self.wait(at, kind);
        } else if is_barrier(kind) && !self.strands().all[top].is_in_loop() {
            self.wait(at, kind);
            self.reach_barrier(top);
        }
    }

    fn sync_end(&mut self, at: At, kind: u32) {
        let top = self.stop_top(at);
        let waits = self.strands().all[top].waits();
        if waits.kinds.pop_if(|innermost| *innermost == kind).is_some() {
            match kind {
                SYNC_TASKWAIT => self.meet_children(top, at.ticks),
                SYNC_TASKGROUP => self.meet_taskgroup(top, at.ticks),
                _ => self.pass_barrier(top),
            }
        }
        self.resume(top, at);
    }

    /// The lane leaves a task, with a status, and goes on with another one; 0: with what is no explicit task.
    fn switch(&mut self, at: At, prior: u64, status: u32, next: u64) {
        self.stop_top(at);
        if prior != 0 && is_end(status) {
            self.task_end(at, prior);
        }
        if next != 0 {
            let strand = self.task_strand(at, next);
            match self.strands().lane(at).iter().position(|known| *known == strand) {
                Some(depth) => self.leave(at, depth + 1),
                None => self.strands().lane(at).push(strand),
            }
        } else if let Some(depth) = self.strands().depth(at, |strand| !strand.is_explicit()) {
            self.leave(at, depth + 1);
        }
        let top = self.top(at);
        self.resume(top, at);
    }

    fn leave_strand(&mut self, at: At, strand: usize) {
        if let Some(depth) = self.strands().lane(at).iter().position(|known| *known == strand) {
            self.leave(at, depth);
        }
    }
}
