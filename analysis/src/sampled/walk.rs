//! A thread's time, as the trace tells it: at each of its events, what it did since the one before. Exact, and independent of samples.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Event, NOBODY, Sync};

/// What a thread did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Doing {
    /// Outside of all regions, its own program.
    Serial,
    /// In a region.
    Work,
    /// In a region, at a barrier or the like: an `ompt_sync_region_t`.
    Wait(u32),
    /// Between regions, one of a team that has no work.
    Idle,
    /// The recording was paused.
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
    /// The innermost loop.
    pub(super) the_loop: u32,
}

/// A region.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Region {
    /// Return address of the call that forked it.
    pub(super) code: u64,
    /// The thread that forked it.
    pub(super) thread: u32,
    /// The region in which it did; 0: none.
    pub(super) parent: u64,
}

/// A piece of a thread's time.
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
    /// One of the runtime's.
    worker: bool,
}

/// Reads a part's events, in the order of each lane.
#[derive(Debug, Default)]
pub(super) struct Walk {
    threads: HashMap<u32, Thread>,
    pub(super) regions: HashMap<u64, Region>,
}

/// `ompt_thread_worker`
const WORKER: u32 = 2;

impl Walk {
    /// What the event ends is told.
    pub(super) fn follow(&mut self, at: At, event: &Event<'_>, told: &mut impl FnMut(Piece)) {
        // These only tell of what was; their time is the next event's.
        if at.thread == NOBODY {
            return;
        }
        if let Event::ThreadBegin { thread, kind, .. } = event {
            let thread_begun = Thread { since: at.ticks, worker: *kind == WORKER, ..Thread::default() };
            self.threads.insert(*thread, thread_begun);
            return;
        }
        let Some(thread) = self.threads.get_mut(&at.thread) else {
            return;
        };
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
    /// What it does from now on.
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
                let own = *self.own.get_or_insert(*prior);
                self.elsewhere = *next != own;
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
