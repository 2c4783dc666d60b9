//! What a trace tells: events under their OMPT names, and the definitions they refer to.

use ompt::raw::{LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_SIGNED, WORK_DISTRIBUTE};
pub(crate) use ompt::raw::{STATUS_COMPLETE as COMPLETE, STATUS_SWITCH as SWITCH};
use ompt::sched_type::{ChunkSize, Clause};

use crate::block::BlockHead;
use crate::iterations::{Group, SubBlock, Variable};
use crate::numbered::{event_fields, numbered};
use crate::openacc::{AccEnd, AccOperation, AccSite};
use crate::sum::{Histogram, Sum};
use crate::tasks::{TaskRegion, Tasks};
use crate::times::{LeftOut, OffCore, Paused, Recorder, Times, Unwanted};

/// `ompt_task_implicit`
pub(crate) const IMPLICIT: u32 = 2;

/// Stands for a task whose creation has no duration.
pub(crate) const NOT_TIMED: u64 = 0;

/// Stands for "no loop" and "no thread" in the fields that number them.
pub const NOBODY: u32 = u32::MAX;

/// One record. Everything but [`Event::Chunk`] and [`Event::SubBlock`] is rare.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// The thread begins a chunk of its innermost loop. The chunk ends with the thread's next event.
    Chunk(Chunk),
    /// `ompt_callback_sub_block`: the thread begins a piece of the chunk that it is in, which goes on.
    SubBlock(SubBlock),
    /// `ompt_callback_thread_begin`: the lane now belongs to this thread.
    ThreadBegin {
        /// Numbered from 0 in the order of their beginning.
        thread: u32,
        /// The operating system's number.
        os_thread: u32,
        /// `ompt_thread_t`
        kind: u32,
    },
    /// `ompt_callback_thread_end`, or the end of the recording.
    ThreadEnd {
        /// The thread.
        thread: u32,
    },
    /// `ompt_callback_parallel_begin`
    ParallelBegin {
        /// Unique in the part, never 0.
        parallel: u64,
        /// Requested team size.
        requested: u32,
        /// `PARALLEL_*`
        flags: u32,
        /// Return address of the runtime call; see [`Event::Code`].
        code: u64,
    },
    /// `ompt_callback_parallel_end`
    ParallelEnd {
        /// The region that ends.
        parallel: u64,
    },
    /// `ompt_callback_implicit_task`, begin.
    ImplicitTaskBegin {
        /// The region; 0 for the initial task.
        parallel: u64,
        /// Number of the thread in the team.
        index: u32,
        /// Actual team size.
        team_size: u32,
        /// `ompt_task_initial` (1) or `ompt_task_implicit` (2)
        flags: u32,
    },
    /// `ompt_callback_implicit_task`, end; never later than the end of the region.
    ImplicitTaskEnd {
        /// The region; 0 for the initial task.
        parallel: u64,
    },
    /// `ompt_callback_work`, begin, of everything but loops.
    WorkBegin {
        /// `ompt_work_t`
        work: u32,
        /// As OMPT has it: the number of sections, for instance.
        count: u64,
        /// Return address of the runtime call.
        code: u64,
    },
    /// `ompt_callback_work`, end, of everything but loops.
    WorkEnd {
        /// `ompt_work_t`
        work: u32,
    },
    /// `ompt_callback_sync_region`
    SyncBegin(Sync),
    /// `ompt_callback_sync_region`
    SyncEnd(Sync),
    /// `ompt_callback_sync_region_wait`
    WaitBegin(Sync),
    /// `ompt_callback_sync_region_wait`
    WaitEnd(Sync),
    /// The thread begins its part of one execution of a loop.
    LoopBegin(LoopBegin),
    /// The thread has run its last chunk, or had none.
    LoopEnd {
        /// The loop's number.
        the_loop: u32,
    },
    /// `ompt_callback_task_create`
    TaskCreate {
        /// Unique in the part, never 0.
        task: u64,
        /// The explicit task that creates it; 0: the thread's implicit task does.
        parent: u64,
        /// `ompt_task_flag_t`, and [`crate::tasks::OF_CREATOR`]
        flags: u32,
        /// Ticks that creating it took; 0: not known.
        create_duration: u64,
        /// Return address of the runtime call.
        code: u64,
    },
    /// `ompt_callback_task_schedule`
    TaskSchedule {
        /// The explicit task that stops; 0: another one, or one that is not told.
        prior: u64,
        /// `ompt_task_status_t` of it.
        status: u32,
        /// The explicit task that begins or goes on; 0 likewise.
        next: u64,
    },
    /// `ompt_callback_task_creation`: the thread has created a task, which was told before.
    TaskCreation {
        /// The task.
        task: u64,
        /// Ticks that it took until now, with one reading of the clock.
        duration: u64,
    },
    /// One dependence of `ompt_callback_dependences`.
    TaskDependence {
        /// The task, or `taskwait`, that has it.
        task: u64,
        /// `ompt_dependence_type_t`
        kind: u32,
        /// An address, or what else the runtime says.
        variable: u64,
    },
    /// The thread is on this processor where its next chunk begins, or its next explicit task begins or goes on, and those after that:
    /// [`At::cpu`]. Comes where [`crate::Mode::cpus`] says so.
    OnCpu {
        /// As the system numbers them.
        cpu: u32,
    },
    /// What the recorder itself did in the thread until now, beyond storing what happened.
    Recorder(Recorder),
    /// The thread was not on a core, as was found now.
    OffCore(OffCore),
    /// Both, of executions that are not told chunk by chunk.
    Times(Times),
    /// What the trace does not hold.
    Lost(Lost),
    /// A loop; comes in each lane before the lane's first execution of it.
    Loop(LoopDefinition<'a>),
    /// A return address, by name; comes in a lane before the lane's first use of it, if anything is known, and again.
    Code(Code<'a>),
    /// Executions that are not told chunk by chunk.
    Aggregate(Aggregate<'a>),
    /// The lane stops here, as it was asked to: loops, barriers and the like that were open are ended now, whether or
    /// not they have ended, and of a loop chunks may be missing. Tasks and regions that began before still end.
    Pause(Paused),
    /// The lane goes on. What it is in by now was begun right before, at the time when it really began.
    Resume,
    /// Barriers of a region that the lane's thread passed while it was paused.
    Barriers {
        /// The region.
        parallel: u64,
        /// How many.
        count: u64,
    },
    /// Executions that are not told since nobody wants to know, added up: comes at the thread's end or along the way.
    LeftOut(LeftOut),
    /// The thread was in a loop that is not told; at least one since the lane's event before.
    Omitted {
        /// The last one.
        the_loop: u32,
        /// Why.
        why: Unwanted,
    },
    /// Other events that are not told one by one.
    Sum(Sum),
    /// Explicit tasks of a construct, added up.
    Tasks(Tasks<'a>),
    /// A region with explicit tasks, likewise.
    TaskRegion(TaskRegion),
    /// A place that OpenACC's events name; comes in a lane before its first use.
    AccSite(AccSite<'a>),
    /// Something of OpenACC, or of OpenMP's `target`, begins in the thread.
    AccBegin(AccOperation),
    /// ... and ends.
    AccEnd(AccEnd),
    /// Something of either that has no length, or an end without a begin, which then is the event.
    AccPoint(AccOperation),
}

/// `PARALLEL_*`: `ompt_parallel_flag_t`, squeezed into 24 bits.
pub const PARALLEL_INVOKER_PROGRAM: u32 = 1;
/// `ompt_parallel_invoker_runtime`
pub const PARALLEL_INVOKER_RUNTIME: u32 = 2;
/// `ompt_parallel_league`
pub const PARALLEL_LEAGUE: u32 = 4;
/// `ompt_parallel_team`
pub const PARALLEL_TEAM: u32 = 8;

event_fields! {
    /// A chunk.
    Chunk {
        lower: u64, "First logical iteration.";
        iterations: u64, "Number of iterations.";
        create_duration: u64, "Ticks of the bookkeeping that led to it, with one reading of the clock (metadata has its cost); 0: unmeasured.";
        last: bool, "Known to be the last that the thread runs in this execution. Otherwise it may still be.";
    }

    /// A barrier, a taskwait, ... or the waiting in it.
    Sync {
        kind: u32, "`ompt_sync_region_t`";
        code: u64, "Return address of the runtime call, or 0.";
    }
}

/// Barriers of every kind, by `ompt_sync_region_t`.
pub fn is_barrier(kind: u32) -> bool {
    // barrier, implicit, explicit, implementation; implicit_workshare, implicit_parallel, teams.
    matches!(kind, 1..=4 | 8..=10)
}

event_fields! {
    /// A thread's part of one execution of a loop begins.
    LoopBegin {
        the_loop: u32, "The loop's number, as [`LoopDefinition::the_loop`] has it.";
        work: u32, "`ompt_work_t`";
        count: u64, "Iterations of the whole loop, as the runtime says.";
        start: Option<i64>, "The user's first value in this execution.";
        step: Option<i64>, "The user's step in this execution.";
    }
}

impl LoopBegin {
    /// Threads that run it, of a team of so many: the first alone has what `distribute` (`ompt_work_distribute`) deals to its team.
    pub const fn threads_of(&self, team_size: u32) -> u32 {
        if self.work == WORK_DISTRIBUTE || team_size == 0 { 1 } else { team_size }
    }
}

event_fields! {
    /// What is known of a loop.
    #[derive(Default)]
    LoopDefinition<'a> {
        the_loop: u32, "The number by which the part's other records name it.";
        instrumented: bool, "From a loop record of the plugin. Else there are only the runtime's events: `line` and so on are 0, \
            `schedule` and `chunk` are those that the chunks show, and of a static loop these are not complete but where \
            [`LOOP_BLOCK_TOLD`] says more.";
        construct: u8, "`ompt_chunk_for` (1), `ompt_chunk_distribute` (2) or `ompt_chunk_sections` (3)";
        bits: u8, "Width of the logical iteration variable.";
        variable_bits: u8, "Width of the user's variable; 0: nothing is known of it.";
        fixed: u8, "`enum ompt_chunk_fixed`: why its schedule cannot be changed; 0: it can, or it is not known.";
        bound: u8, "`enum ompt_chunk_bound`: what may rely on which thread runs which of its iterations; 0: nothing, or it is not known.";
        flags: u32, "`enum ompt_chunk_loop_flags`";
        schedule: u32, "`enum sched_type` with modifier bits.";
        chunk: i64, "Chunk size, if `flags` say that it is known.";
        start: i64, "The user's first value and step where they are constants; executions repeat them.";
        step: i64, "The user's step.";
        line: u32, "Source line; 0: unknown.";
        column: u32, "Source column; 0: unknown.";
        code: u64, "Return address of the runtime call that begins the loop.";
        function: &'a [u8], "The function's name, mangled; not always UTF-8.";
        file: &'a [u8], "The source file's path; empty: unknown.";
        group: Group<'a>, "The loops that give a thread the same iterations, itself included.";
    }
}

/// `ompt_work_t`: loops that get their chunks from the runtime, which then tells all of them.
pub const DEALT_BY_RUNTIME: std::ops::RangeInclusive<u32> = 11..=13;

/// A flag, the recorder's own, of static loops that the plugin did not see: a thread's chunk, where told, is all that it runs of the execution.
pub const LOOP_BLOCK_TOLD: u32 = 1 << 31;

impl LoopDefinition<'_> {
    /// The schedule's chunk size, as far as the flags say that it is known.
    pub fn chunk_size(&self) -> ChunkSize {
        if self.flags & LOOP_CHUNK_KNOWN != 0 {
            ChunkSize::Known(self.chunk)
        } else if self.flags & LOOP_CHUNKED != 0 {
            ChunkSize::RunTime
        } else {
            ChunkSize::None
        }
    }

    /// Its schedule as a user writes it.
    pub fn clause(&self) -> Clause {
        Clause { schedule: self.schedule, chunk: self.chunk_size() }
    }

    /// Where a thread's chunk is told, it is all of the thread's part.
    pub fn tells_blocks(&self) -> bool {
        !self.instrumented && self.flags & LOOP_BLOCK_TOLD != 0
    }

    /// What is known of the user's variable.
    pub fn variable(&self) -> Variable {
        Variable { bits: self.variable_bits, signed: self.flags & LOOP_SIGNED != 0 }
    }
}

event_fields! {
    /// What was lost, where.
    #[derive(Default)]
    Lost {
        reason: u32, "Why; a [`Reason`]'s number.";
        the_loop: u32, "The loop, or [`NOBODY`].";
        thread: u32, "The thread, or [`NOBODY`].";
        chunks: u64, "Chunks.";
        iterations: u64, "Their iterations.";
        events: u64, "Other records.";
        from: u64, "When the first was lost, in ticks.";
        to: u64, "When the last was lost.";
    }
    /// Executions of one loop by one thread, added up. Durations are in ticks, from the chunk's event to the thread's next.
    #[derive(Default)]
    Aggregate<'a> {
        the_loop: u32, "The loop.";
        thread: u32, "The thread.";
        executions: u64, "Executions that the thread took part in.";
        chunks: u64, "Chunks.";
        iterations: u64, "Iterations.";
        sum: u64, "Sum of the chunks' durations.";
        min: u64, "Shortest.";
        max: u64, "Longest.";
        create_duration: u64, "Sum of the chunks' `create_duration`.";
        histogram: Histogram<'a>, "Chunks by duration.";
    }
    /// A return address, by name.
    Code<'a> {
        address: u64, "The address.";
        offset: u64, "The same from the start of the object.";
        object: &'a [u8], "Path of the program or library.";
        function: &'a [u8], "The symbol before it; empty: unknown.";
    }
}

numbered! {
    fn known;
    /// Why something is not in the trace.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Reason {
        /// The disk, the quota or the file size limit.
        DiskFull = 1,
        /// `--max-size`
        MaxSize = 2,
        /// Somebody made the file shorter while it was written.
        Truncated = 3,
        /// The process had no memory left.
        Memory = 4,
    }
}

impl Reason {
    /// From the number on disk; `None` for 0.
    pub const fn from_number(number: u32) -> Option<Reason> {
        match number {
            0 => None,
            number => Some(Reason::known(number)),
        }
    }
}

/// Its lane, its thread, its time, and what the lane said of the thread until then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct At {
    /// The lane: events of one lane come in the order of time.
    pub lane: u32,
    /// The thread, [`crate::NOBODY`] outside all threads.
    pub thread: u32,
    /// The time, see [`crate::Part::clock`].
    pub ticks: u64,
    /// The processor, as far as the lane was read: [`crate::Part::events_of`] knows a block alone.
    pub cpu: Option<u32>,
}

impl At {
    /// Where a block of the lane begins. If blocks before it are missing, the lane may be another thread's by now.
    pub(crate) fn in_block(self, head: &BlockHead) -> At {
        let BlockHead { lane, thread, ticks, .. } = *head;
        At { lane, thread, ticks, cpu: self.cpu.filter(|_| self.thread == thread) }
    }

    /// Goes on to an event, and to what it says of the thread.
    #[inline(always)]
    pub(crate) fn follow(&mut self, thread: u32, ticks: u64, event: &Event<'_>) {
        (self.thread, self.ticks) = (thread, ticks);
        match event {
            Event::ThreadBegin { .. } => self.cpu = None,
            Event::OnCpu { cpu } => self.cpu = Some(*cpu),
            _ => {}
        }
    }
}
