//! A thread's time, as the trace tells it: at each of its events, what it did since the one before. Exact, and independent of samples.

use std::collections::HashMap;

use ompchunk_trace_format::raw::{SYNC_BARRIER_EXPLICIT, SYNC_REDUCTION, SYNC_TASKGROUP, SYNC_TASKWAIT, THREAD_WORKER};
use ompchunk_trace_format::{At, Event, NOBODY, Sync};

use super::model::State;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Doing {
    /// Outside of all regions, its own program.
    Serial,
    Work,
    /// In a region, at a barrier or the like: an `ompt_sync_region_t`.
    Wait(u32),
    /// Between regions, one of a team that has no work.
    Idle,
    Unknown,
}

/// What a thread did and where: time of the same site is alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) doing: Doing,
    /// Return address of the call that forked the innermost region; 0: none, or not known.
    pub(super) fork: u64,
    /// Return address of the call in which it waits; 0: not known.
    pub(super) wait: u64,
    pub(super) the_loop: u32,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    pub(super) code: u64,
    pub(super) thread: u32,
    /// The region in which it did; 0: none.
    pub(super) parent: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) thread: u32,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) site: Site,
    /// The innermost region; 0: none.
    pub(super) region: u64,
    /// The chunk: since when, its first iteration, and how many.
    pub(super) chunk: Option<(u64, u64)>,
}

#[derive(Debug, Default)]
struct Thread {
    since: u64,
    /// Innermost last; 0 is the initial task.
    tasks: Vec<u64>,
    loops: Vec<(u32, Option<(u64, u64)>)>,
    wait: Option<Sync>,
    /// In a wait: the task that waits, and whether another one runs meanwhile.
    own: Option<u64>,
    elsewhere: bool,
    paused: bool,
    worker: bool,
}

#[derive(Debug, Default)]
pub(super) struct Walk {
    threads: HashMap<u32, Thread>,
    pub(super) regions: HashMap<u64, Region>,
}

impl Walk {
    /// What the event ends is told.
    pub(super) fn follow(&mut self, at: At, event: &Event<'_>, told: &mut impl FnMut(Piece)) {
        // These only tell of what was; their time is the next event's.
        if at.thread == NOBODY {
            return;
        }
        if let Event::ThreadBegin { thread, kind, .. } = event {
            let thread_begun = Thread { since: at.ticks, worker: *kind == THREAD_WORKER, ..Thread::default() };
            self.threads.insert(*thread, thread_begun);
            return;
        }
        let Some(thread) = self.threads.get_mut(&at.thread) else { return };
        if !changes(event) {
            return;
        }
        if at.ticks > thread.since {
            told(thread.piece(at.thread, at.ticks, &self.regions));
            thread.since = at.ticks;
        }
        if let Event::ParallelBegin { parallel, code, .. } = event {
            let region = Region { code: *code, thread: at.thread, parent: thread.tasks.last().copied().unwrap_or(0) };
            self.regions.insert(*parallel, region);
        }
        thread.follow(event);
        if let Event::ThreadEnd { thread } = event {
            self.threads.remove(thread);
        }
    }

    /// Threads that have no end: they went on until `last`.
    pub(super) fn finish(&mut self, last: impl Fn(u32) -> u64, told: &mut impl FnMut(Piece)) {
        let mut threads: Vec<_> = self.threads.drain().collect();
        threads.sort_by_key(|(number, _)| *number);
        for (number, thread) in threads {
            let to = last(number);
            if to > thread.since {
                told(thread.piece(number, to, &self.regions));
            }
        }
    }
}

impl Thread {
    fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::ImplicitTaskBegin { parallel, .. } => self.tasks.push(*parallel),
            Event::ImplicitTaskEnd { .. } => {
                self.tasks.pop();
                self.wait = None;
            }
            Event::LoopBegin(begin) => self.loops.push((begin.the_loop, None)),
            Event::LoopEnd { .. } => {
                self.loops.pop();
            }
            Event::Chunk(chunk) => {
                if let Some((_, current)) = self.loops.last_mut() {
                    *current = Some((chunk.lower, chunk.iterations));
                }
            }
            Event::WaitBegin(sync) => {
                (self.wait, self.own, self.elsewhere) = (Some(*sync), None, false);
            }
            Event::WaitEnd(_) => self.wait = None,
            Event::TaskSchedule { prior, next, .. } if self.wait.is_some() => {
                self.elsewhere = *next != *self.own.get_or_insert(*prior);
            }
            Event::Pause(_) => self.paused = true,
            Event::Resume => self.paused = false,
            _ => {}
        }
    }

    fn piece(&self, thread: u32, to: u64, regions: &HashMap<u64, Region>) -> Piece {
        let region = self.tasks.last().copied().unwrap_or(0);
        let wait = self.wait.filter(|_| !self.elsewhere);
        let doing = match (self.paused, wait, region) {
            (true, ..) => Doing::Unknown,
            (_, Some(sync), _) => Doing::Wait(sync.kind),
            (_, None, 0) if self.worker && self.tasks.is_empty() => Doing::Idle,
            (_, None, 0) => Doing::Serial,
            (_, None, _) => Doing::Work,
        };
        let (the_loop, chunk) = self.loops.last().copied().unwrap_or((NOBODY, None));
        Piece {
            thread,
            from: self.since,
            to,
            region,
            chunk,
            site: Site {
                doing,
                fork: regions.get(&region).map_or(0, |region| region.code),
                wait: wait.map_or(0, |wait| wait.code),
                the_loop,
            },
        }
    }
}

/// Whether the thread does something else from now on.
fn changes(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Chunk(_)
            | Event::ThreadEnd { .. }
            | Event::ParallelBegin { .. }
            | Event::ImplicitTaskBegin { .. }
            | Event::ImplicitTaskEnd { .. }
            | Event::LoopBegin(_)
            | Event::LoopEnd { .. }
            | Event::WaitBegin(_)
            | Event::WaitEnd(_)
            | Event::TaskSchedule { .. }
            | Event::Pause(_)
            | Event::Resume
    )
}

/// Some of `ompt_state_t`.
mod of_runtime {
    pub(super) const WORK_PARALLEL: u32 = 0x001;
    pub(super) const WORK_REDUCTION: u32 = 0x002;
    pub(super) const BARRIERS: std::ops::RangeInclusive<u32> = 0x010..=0x016;
    pub(super) const BARRIER_EXPLICIT: u32 = 0x014;
    pub(super) const TASKWAIT: u32 = 0x020;
    pub(super) const TASKGROUP: u32 = 0x021;
    pub(super) const MUTEX: u32 = 0x040;
    pub(super) const LOCK: u32 = 0x041;
    pub(super) const CRITICAL: u32 = 0x042;
    pub(super) const ATOMIC: u32 = 0x043;
    pub(super) const ORDERED: u32 = 0x044;
}

/// `None`: nobody knows, since the recording was paused. `asked`: what the runtime answered at a sample; `waits`: the trace tells
/// waits one by one.
pub(super) fn state(doing: Doing, asked: Option<u32>, waits: bool) -> Option<State> {
    // The trace has no waits for these.
    let mutex = match asked {
        Some(of_runtime::MUTEX | of_runtime::LOCK) => Some(State::Lock),
        Some(of_runtime::CRITICAL) => Some(State::Critical),
        Some(of_runtime::ATOMIC) => Some(State::Atomic),
        Some(of_runtime::ORDERED) => Some(State::Ordered),
        _ => None,
    };
    Some(match (doing, asked) {
        (Doing::Unknown, _) => return None,
        (Doing::Idle, _) => State::Idle,
        _ if mutex.is_some() => mutex?,
        (Doing::Serial, _) => State::Serial,
        // A task, run while waiting.
        (_, Some(of_runtime::WORK_PARALLEL)) => State::Work,
        (_, Some(of_runtime::WORK_REDUCTION)) => State::Reduction,
        (Doing::Wait(SYNC_BARRIER_EXPLICIT), _) => State::ExplicitBarrier,
        (Doing::Wait(SYNC_TASKWAIT | SYNC_TASKGROUP), _) => State::TaskWait,
        (Doing::Wait(SYNC_REDUCTION), _) => State::Reduction,
        (Doing::Wait(_), _) => State::ImplicitBarrier,
        (Doing::Work, Some(what)) if !waits => match what {
            of_runtime::BARRIER_EXPLICIT => State::ExplicitBarrier,
            of_runtime::TASKWAIT | of_runtime::TASKGROUP => State::TaskWait,
            what if of_runtime::BARRIERS.contains(&what) => State::ImplicitBarrier,
            _ => State::Work,
        },
        (Doing::Work, _) => State::Work,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_decides_and_the_runtime_adds() {
        let of = |doing, asked| state(doing, asked, true);
        assert_eq!(of(Doing::Work, Some(0x11)), Some(State::Work));
        assert_eq!(state(Doing::Work, Some(0x11), false), Some(State::ImplicitBarrier));
        assert_eq!(of(Doing::Work, Some(0x42)), Some(State::Critical));
        assert_eq!(of(Doing::Wait(9), Some(0x102)), Some(State::ImplicitBarrier));
        assert_eq!(of(Doing::Wait(9), Some(1)), Some(State::Work));
        assert_eq!(of(Doing::Wait(3), None), Some(State::ExplicitBarrier));
        assert_eq!(of(Doing::Serial, Some(0)), Some(State::Serial));
        assert_eq!(of(Doing::Idle, Some(0x41)), Some(State::Idle));
        assert_eq!(of(Doing::Unknown, Some(1)), None);
    }
}
