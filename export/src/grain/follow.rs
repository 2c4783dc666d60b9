//! Which event does what to those that follow what each lane runs, one inside the other: `dag` tells all tasks apart, `summary` adds
//! them up.

use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;
use ompchunk_trace_format::{At, Chunk, Event, LoopBegin};

use crate::name::TASKGROUP;

/// Follows implicit tasks, regions and loops.
pub(super) trait Follow: FollowWaits + FollowTasks {
    fn implicit_begin(&mut self, at: At, id: u64, threads: u32);
    fn implicit_end(&mut self, at: At, id: u64);
    fn region_begin(&mut self, at: At, id: u64, code: u64);
    fn region_end(&mut self, at: At, id: u64);
    fn loop_begin(&mut self, at: At, begin: &LoopBegin);
    fn loop_end(&mut self, at: At, the_loop: u32);
    fn chunk(&mut self, at: At, chunk: &Chunk);
    /// The recorder ran instead for so many ticks.
    fn recorder(&mut self, at: At, ticks: u64);
    fn pause(&mut self, at: At);
    fn go_on(&mut self, at: At);
    /// What the thread begins or goes on with from now on is on this processor.
    fn on_cpu(&mut self, _at: At, _cpu: u32) {}
    /// All strands of a lane from `depth` on stop, and those that are no explicit tasks end.
    fn leave(&mut self, at: At, depth: usize);

    fn event(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => self.chunk(at, chunk),
            Event::LoopBegin(begin) => self.loop_begin(at, begin),
            Event::LoopEnd { the_loop } => self.loop_end(at, *the_loop),
            Event::ParallelBegin { parallel, code, .. } => self.region_begin(at, *parallel, *code),
            Event::ParallelEnd { parallel } => self.region_end(at, *parallel),
            Event::ImplicitTaskBegin { parallel, team_size, .. } => self.implicit_begin(at, *parallel, *team_size),
            Event::ImplicitTaskEnd { parallel } => self.implicit_end(at, *parallel),
            Event::SyncBegin(sync) => self.sync_begin(at, sync.kind),
            Event::SyncEnd(sync) => self.sync_end(at, sync.kind),
            Event::WaitBegin(sync) if sync.kind == TASKGROUP => self.wait(at, TASKGROUP),
            Event::Recorder(own) => self.recorder(at, own.ticks),
            Event::Pause(_) => self.pause(at),
            Event::Resume => self.go_on(at),
            Event::OnCpu { cpu } => self.on_cpu(at, *cpu),
            Event::ThreadEnd { .. } => self.leave(at, 0),
            _ => self.task(at, event),
        }
    }
}

/// Follows waits, by `ompt_sync_region_t`.
pub(super) trait FollowWaits {
    fn wait(&mut self, at: At, kind: u32);
    fn sync_begin(&mut self, at: At, kind: u32);
    fn sync_end(&mut self, at: At, kind: u32);
}

/// Follows explicit tasks.
pub(super) trait FollowTasks {
    fn create(&mut self, at: At, number: u64, flags: u32, code: u64);
    /// A `taskwait` with dependences: what follows is behind tasks that are told next.
    fn wait_by_dependences(&mut self, at: At, number: u64, flags: u32, code: u64);
    /// How long the creation took.
    fn creation(&mut self, number: u64, duration: u64);
    fn switch(&mut self, at: At, prior: u64, status: u32, next: u64);
    fn depends(&mut self, at: At, number: u64, kind: u32, variable: u64);

    fn task(&mut self, at: At, event: &Event<'_>) {
        match event {
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
}
