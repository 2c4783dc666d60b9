//! A thread's part of a parallel region: the barriers that it passes, and the loops that it begins between them.

use std::hash::{BuildHasherDefault, Hasher};

use ompchunk_trace_format::{At, Event, Scope, Step, Sync, Unwanted, is_barrier};

use crate::phase::Leave;
use crate::share::Occurrence;

/// `ompt_sync_region_t`
const REDUCTION: u32 = 7;

/// A reduction's own events are within a barrier or without one, and are none themselves.
pub(crate) fn is_reduction(sync: &Sync) -> bool {
    sync.kind == REDUCTION
}

/// A barrier after this is not the one after the loop before: the thread has begun or ended something else meanwhile. The events of chunks,
/// barriers and waits are nothing else, nor is what is told of the recording.
pub(crate) fn is_between(event: &Event<'_>) -> bool {
    match Step::by(event) {
        Step::Begin(Scope::Sync(_) | Scope::Wait(_)) | Step::End(Scope::Sync(_) | Scope::Wait(_) | Scope::Loop(_)) => {
            false
        }
        Step::Begin(_) | Step::End(_) => true,
        Step::Inside => {
            matches!(event, Event::Omitted { .. } | Event::Pause(_) | Event::AccSite(_) | Event::AccPoint(_))
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Task {
    pub(crate) region: u64,
    pub(crate) team_size: u32,
    pub(crate) index: u32,
    barriers: u64,
    /// How often each loop began since the last barrier: the first of them, and others.
    first: Option<(u32, u64)>,
    begun: ByNumber<u64>,
    /// Loops since then that are not told.
    omitted: u64,
    /// When the thread began the region, if it was this one.
    forked: Option<u64>,
    /// When it began its part, or went on from the barrier before, if that is told.
    since: Option<u64>,
    /// The barrier in which the thread is, and its kind.
    barrier: Option<(u32, Leave)>,
}

/// The thread's parts of regions, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    pub(crate) all: Vec<Task>,
    forked: Option<(u64, u64)>,
}

impl Tasks {
    /// `after` is the loop right before a barrier. Gives the end of a phase, once it is known how long the thread waited there.
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>, after: Option<u32>) -> Option<Leave> {
        match event {
            Event::ParallelBegin { parallel, .. } => self.forked = Some((*parallel, at.ticks)),
            Event::ImplicitTaskBegin { parallel, team_size, index, .. } => {
                let forked = self.forked.take().filter(|(forked, _)| forked == parallel).map(|(_, ticks)| ticks);
                let (region, team_size, index, since) = (*parallel, *team_size, *index, Some(at.ticks));
                self.all.push(Task { region, team_size, index, forked, since, ..Task::default() });
            }
            Event::ImplicitTaskEnd { .. } => return self.all.pop()?.ends(at),
            Event::Barriers { parallel, count } => {
                self.all.iter_mut().find(|task| task.region == *parallel)?.passes(*count);
            }
            Event::SyncBegin(sync) if !is_reduction(sync) => self.all.last_mut()?.sync_begins(at, sync, after),
            Event::SyncEnd(sync) => return self.all.last_mut()?.sync_ends(at.ticks, sync),
            Event::Recorder(recorder) => self.all.last_mut()?.recorded(recorder.ticks),
            Event::Omitted { why: Unwanted::Costly, .. } => {}
            Event::Omitted { .. } => self.all.last_mut()?.omitted += 1,
            _ => {}
        }
        None
    }
}

impl Task {
    pub(crate) fn begin_loop(&mut self, the_loop: u32) -> Occurrence {
        let begun = match self.first.get_or_insert((the_loop, 0)) {
            (first, begun) if *first == the_loop => begun,
            _ => self.begun.entry(the_loop).or_insert(0),
        };
        *begun += 1;
        Occurrence { barriers: self.barriers, nth: *begun - 1 }
    }

    fn sync_begins(&mut self, at: At, sync: &Sync, after: Option<u32>) {
        if !is_barrier(sync.kind) {
            return;
        }
        if self.barrier.is_none() {
            self.barrier = self.leave(at, after).map(|leave| (sync.kind, leave));
        }
        self.passes(1);
    }

    fn passes(&mut self, barriers: u64) {
        self.barriers += barriers;
        self.since = None;
        self.first = None;
        self.begun.clear();
        self.omitted = 0;
    }

    /// The recorder has worked so long, where it may have been in a barrier.
    fn recorded(&mut self, ticks: u64) {
        if let Some((_, leave)) = &mut self.barrier {
            leave.recorder = leave.recorder.saturating_add(ticks);
        }
    }

    /// What the thread waited for is told when it goes on.
    fn sync_ends(&mut self, ticks: u64, sync: &Sync) -> Option<Leave> {
        if is_barrier(sync.kind) {
            self.since = Some(ticks);
        }
        let (_, leave) = self.barrier.take_if(|(kind, _)| *kind == sync.kind)?;
        Some(Leave { left: Some(ticks), ..leave })
    }

    /// A region may end without a barrier's end, where that was lost.
    fn ends(self, at: At) -> Option<Leave> {
        self.barrier.map(|(_, leave)| leave).or_else(|| self.leave(at, None))
    }

    /// The thread comes to the end of a phase in which it had loops.
    fn leave(&self, at: At, after: Option<u32>) -> Option<Leave> {
        let executions = self.first.map_or(0, |(_, begun)| begun) + self.begun.values().sum::<u64>();
        let is_needed = executions > 0 && self.region != 0 && self.team_size > 1;
        is_needed.then_some(Leave {
            region: self.region,
            barriers: self.barriers,
            team_size: self.team_size,
            thread: at.thread,
            arrived: at.ticks,
            left: None,
            recorder: 0,
            after,
            executions: executions + self.omitted,
            omitted: self.omitted > 0,
            forked: self.forked.filter(|_| self.barriers == 0),
            since: self.since,
        })
    }
}

/// A map by the small numbers that a part gives its loops: multiplying is enough of a hash, and nobody chooses them to collide.
pub(crate) type ByNumber<T> = std::collections::HashMap<u32, T, BuildHasherDefault<Mix>>;

#[derive(Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32((*byte).into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        let mixed = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}
