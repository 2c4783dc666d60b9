//! One lane's events, one after the other: chunks are counted here, and each part of a loop's execution goes
//! out to be joined with those of the other threads. Chunks are the hot path; everything else is rare.

use std::collections::HashMap;

use ompchunk_trace_format::{
    Aggregate, At, Chunk, Event, LoopBegin, Lost, NOBODY, OffCore, Recorder, Sync, Unwanted,
};

use crate::account;
use crate::counted::Counted;
use crate::course::Course;
use crate::definition::{Definition, Place};
use crate::histogram::Durations;
use crate::loss::Loss;
use crate::mix::ByNumber;
use crate::off::Off;
use crate::openacc::Operations;
use crate::share::{DEALT_BY_RUNTIME, Share, Sums, sums};
use crate::task::{Task, is_reduction};
use crate::tasks::TaskSums;
use crate::told::{Out, Told};
use crate::worst::{Long, Worst};

/// A loop as a lane saw it.
#[derive(Debug, Default)]
pub(crate) struct LaneLoop {
    pub(crate) number: u32,
    instrumented: bool,
    pub(crate) durations: Durations,
    /// Longest and shortest of all chunks.
    pub(crate) extremes: Option<(u64, u64)>,
    pub(crate) worst: Worst,
    pub(crate) threads: Vec<(u32, Sums)>,
    pub(crate) lost: Loss,
    /// Parts of executions of which the runtime tells some chunks only.
    pub(crate) untold: u64,
    /// Executions that nobody wanted, as the thread with most of them has it.
    pub(crate) left_out: [u64; 2],
}

#[derive(Debug)]
struct Open {
    slot: usize,
    share: Share,
    chunk: Option<(u64, Chunk)>,
    /// The recording paused in it.
    paused: bool,
    /// Of the chunk.
    off: Off,
    shortest: u64,
    longest: u64,
    bookkeeping: u64,
    timed: u64,
    start: Option<i64>,
    step: Option<i64>,
}

/// The state of a lane.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    pub(crate) loops: Vec<LaneLoop>,
    slots: ByNumber<usize>,
    /// What is at an address now.
    places: HashMap<u64, Place>,
    tasks: Vec<Task>,
    open: Vec<Open>,
    /// The loop that ended last, as long as nothing else has begun.
    after: Option<u32>,
    /// The region that the thread began last, and when.
    forked: Option<(u64, u64)>,
    pub(crate) threads: Vec<u32>,
    pub(crate) lost: Loss,
    pub(crate) counted: Counted,
    pub(crate) added_tasks: TaskSums,
    /// Chunks outside of loops: a damaged order.
    pub(crate) stray: u64,
    pub(crate) course: Course,
    pub(crate) openacc: Operations,
    pub(crate) account: account::Course,
    pub(crate) regions: account::RegionCourse,
    pub(crate) chunks: u64,
    /// Other records.
    pub(crate) events: u64,
    /// All of the recorder's own time.
    pub(crate) recorder: u64,
    /// From some time on nobody knew whether threads were on a core.
    pub(crate) lost_sight: bool,
    pub(crate) last: u64,
    pub(crate) out: Out,
}

impl Lane {
    #[inline]
    pub(crate) fn see(&mut self, at: At, event: &Event<'_>) {
        if let Event::Chunk(chunk) = event {
            self.chunk(at.ticks, *chunk);
        } else {
            self.other(at, event);
        }
    }

    #[inline]
    fn chunk(&mut self, ticks: u64, chunk: Chunk) {
        self.chunks += 1;
        self.last = ticks;
        let Some(open) = self.open.last_mut() else {
            self.stray += 1;
            return;
        };
        if !open.share.told {
            return;
        }
        if let Some(before) = open.chunk.replace((ticks, chunk)) {
            close(open, &mut self.loops, before, ticks);
        }
        open.bookkeeping += chunk.create_duration;
        open.timed += u64::from(chunk.create_duration != 0);
    }

    #[inline(never)]
    fn other(&mut self, at: At, event: &Event<'_>) {
        self.last = at.ticks;
        self.course.see(at, event);
        self.account.follow(at, event);
        self.regions.follow(at, event);
        self.events += 1;
        match event {
            Event::LoopBegin(begin) => self.loop_begins(at, begin),
            Event::LoopEnd { .. } => self.loop_ends(at.ticks, true),
            Event::SyncBegin(sync) => self.sync_begins(at, sync),
            Event::SyncEnd(sync) => self.sync_ends(at.ticks, sync),
            Event::WaitBegin(_) | Event::WaitEnd(_) => {}
            Event::ImplicitTaskBegin {
                parallel,
                team_size,
                ..
            } => {
                self.after = None;
                let forked = self.forked.take();
                let forked = forked.filter(|(region, _)| region == parallel);
                let forked = forked.map(|(_, at)| at);
                self.tasks
                    .push(Task::begin(*parallel, *team_size, forked, at.ticks));
            }
            Event::ImplicitTaskEnd { .. } => {
                self.after = None;
                let leave = self.tasks.pop().and_then(|task| task.ends(at));
                self.out.told.extend(leave.map(Told::Leave));
            }
            Event::ParallelBegin { parallel, .. } => {
                self.after = None;
                self.forked = Some((*parallel, at.ticks));
            }
            Event::ThreadBegin { thread, .. } => {
                self.after = None;
                if !self.threads.contains(thread) {
                    self.threads.push(*thread);
                }
            }
            Event::Loop(definition) => {
                let slot = self.slot(definition.the_loop);
                self.loops[slot].instrumented = definition.instrumented;
                let place = self.places.get(&definition.code);
                self.out.definitions.push(Definition::of(definition, place));
            }
            Event::Code(code) => {
                let place = Place::of(code);
                self.out.places.push((code.address, place.clone()));
                self.places.insert(code.address, place);
            }
            Event::Aggregate(aggregate) => self.aggregate(aggregate),
            Event::Lost(lost) => self.lost(lost),
            Event::Sum(sum) => {
                self.counted.see(sum);
                self.openacc.see(at, event);
            }
            Event::Tasks(_) | Event::TaskRegion(_) => self.added_tasks.see(event),
            Event::AccSite(_) | Event::AccBegin(_) | Event::AccPoint(_) | Event::AccEnd(_) => {
                self.after = None;
                self.openacc.see(at, event);
            }
            // Sub-blocks are inside their chunk, which goes on.
            Event::Chunk(_) | Event::SubBlock(_) | Event::Resume => {}
            Event::Pause(_) => {
                self.after = None;
                for open in &mut self.open {
                    open.paused = true;
                }
            }
            Event::Barriers { parallel, count } => {
                let mut tasks = self.tasks.iter_mut();
                if let Some(task) = tasks.find(|task| task.region == *parallel) {
                    task.passes(*count);
                }
            }
            Event::LeftOut(left_out) => {
                let slot = self.slot(left_out.the_loop);
                let why = usize::from(left_out.why == Unwanted::Skipped);
                self.loops[slot].left_out[why] += left_out.executions;
            }
            Event::Omitted { .. } => {
                self.after = None;
                if let Some(task) = self.tasks.last_mut() {
                    task.omitted += 1;
                }
            }
            Event::Recorder(recorder) => self.recorder(recorder),
            Event::OffCore(off_core) if off_core.ticks == OffCore::UNKNOWN => {
                self.lost_sight = true
            }
            Event::OffCore(off_core) => self.off_core(at.ticks, off_core),
            // Of what is told no more than they: outside of loops.
            Event::Times(times) if times.the_loop == NOBODY => {
                self.recorder = self.recorder.saturating_add(times.recorder);
            }
            Event::Times(times) => {
                let slot = self.slot(times.the_loop);
                self.recorder = self.recorder.saturating_add(times.recorder);
                let sums = sums(&mut self.loops[slot].threads, times.thread);
                sums.off.add(&Off::from(times));
            }
            // A reduction's or a task's own events are no barrier's; anything else begins something.
            Event::ParallelEnd { .. }
            | Event::WorkBegin { .. }
            | Event::WorkEnd { .. }
            | Event::ThreadEnd { .. }
            | Event::TaskCreate { .. }
            | Event::TaskSchedule { .. } => self.after = None,
        }
    }

    /// It is in everything that is open.
    fn recorder(&mut self, recorder: &Recorder) {
        for open in &mut self.open {
            match open.chunk {
                Some(_) => &mut open.off,
                None => &mut open.share.between,
            }
            .record(recorder);
        }
        if let Some(task) = self.tasks.last_mut() {
            task.recorded(recorder.ticks);
        }
        let own = recorder.ticks.saturating_sub(recorder.preempted);
        let all = own.saturating_add(recorder.before.into());
        self.recorder = self.recorder.saturating_add(all);
    }

    fn off_core(&mut self, ticks: u64, off_core: &OffCore) {
        for open in &mut self.open {
            match open.chunk {
                Some((begin, _)) => open.off.find(off_core, ticks.saturating_sub(begin)),
                None => {
                    let lasted = ticks.saturating_sub(open.share.begin);
                    open.share.between.find(off_core, lasted);
                }
            }
        }
    }

    fn slot(&mut self, number: u32) -> usize {
        *self.slots.entry(number).or_insert_with(|| {
            self.loops.push(LaneLoop {
                number,
                ..LaneLoop::default()
            });
            self.loops.len() - 1
        })
    }

    fn loop_begins(&mut self, at: At, begin: &LoopBegin) {
        self.after = None;
        let slot = self.slot(begin.the_loop);
        let told = self.loops[slot].instrumented || DEALT_BY_RUNTIME.contains(&begin.work);
        self.loops[slot].untold += u64::from(!told);
        let (mut region, mut team_size, mut place) = (0, 1, (0, 0));
        if let Some(task) = self.tasks.last_mut() {
            (region, team_size) = (task.region, task.team_size.max(1));
            place = task.place_of(begin.the_loop);
        }
        self.open.push(Open {
            slot,
            share: Share {
                the_loop: begin.the_loop,
                region,
                team_size,
                place,
                thread: at.thread,
                begin: at.ticks,
                end: at.ticks,
                busy: 0,
                off: Off::default(),
                between: Off::default(),
                chunks: 0,
                iterations: 0,
                count: begin.count,
                work: begin.work,
                told,
                whole: false,
                nested: !self.open.is_empty(),
            },
            chunk: None,
            paused: false,
            off: Off::default(),
            shortest: u64::MAX,
            longest: 0,
            bookkeeping: 0,
            timed: 0,
            start: begin.start,
            step: begin.step,
        });
    }

    fn loop_ends(&mut self, ticks: u64, whole: bool) {
        let Some(mut open) = self.open.pop() else {
            return;
        };
        let whole = whole && !open.paused;
        if let Some(before) = open.chunk.take().filter(|_| whole) {
            close(&mut open, &mut self.loops, before, ticks);
        }
        let mut share = open.share;
        share.whole = whole;
        share.end = ticks;
        if !share.told && whole {
            // Without its chunks, all of its time counts as work.
            let lasted = ticks.saturating_sub(share.begin);
            share.off = std::mem::take(&mut share.between).within(lasted);
            share.busy = lasted - share.off.outside();
        }
        let the_loop = &mut self.loops[open.slot];
        if share.chunks > 0 {
            let (longest, shortest) = the_loop.extremes.unwrap_or((0, u64::MAX));
            the_loop.extremes = Some((longest.max(open.longest), shortest.min(open.shortest)));
        }
        let sums = sums(&mut the_loop.threads, share.thread);
        sums.executions += u64::from(whole);
        sums.chunks += share.chunks;
        sums.iterations = sums.iterations.saturating_add(share.iterations);
        sums.busy += share.busy;
        sums.off.add(&share.off);
        sums.off.add(&share.between);
        sums.bookkeeping += open.bookkeeping;
        sums.timed += open.timed;
        self.out.told.push(Told::Share(share));
        self.after = Some(share.the_loop);
    }

    fn sync_begins(&mut self, at: At, sync: &Sync) {
        if is_reduction(sync) {
            return;
        }
        let after = self.after.take();
        if let Some(task) = self.tasks.last_mut() {
            task.sync_begins(at, sync, after);
        }
    }

    fn sync_ends(&mut self, ticks: u64, sync: &Sync) {
        let task = self.tasks.last_mut();
        let leave = task.and_then(|task| task.sync_ends(ticks, sync));
        self.out.told.extend(leave.map(Told::Leave));
    }

    fn aggregate(&mut self, aggregate: &Aggregate<'_>) {
        let slot = self.slot(aggregate.the_loop);
        let the_loop = &mut self.loops[slot];
        if !the_loop.instrumented {
            // Dealt by the runtime or a part of a static loop's chunks: the record does not tell which.
            the_loop.untold += aggregate.executions;
            return;
        }
        for (exponent, count) in aggregate.histogram.counts().enumerate() {
            the_loop.durations.add_octave(exponent, count);
        }
        if aggregate.histogram.counts().any(|count| count > 0) {
            let (longest, shortest) = the_loop.extremes.unwrap_or((0, u64::MAX));
            the_loop.extremes = Some((longest.max(aggregate.max), shortest.min(aggregate.min)));
        }
        let sums = sums(&mut the_loop.threads, aggregate.thread);
        sums.executions += aggregate.executions;
        sums.counted_executions += aggregate.executions;
        sums.chunks += aggregate.chunks;
        sums.counted_chunks += aggregate.chunks;
        sums.iterations = sums.iterations.saturating_add(aggregate.iterations);
        sums.busy = sums.busy.saturating_add(aggregate.sum);
        sums.bookkeeping = sums.bookkeeping.saturating_add(aggregate.create_duration);
        sums.timed += if aggregate.create_duration > 0 {
            aggregate.chunks
        } else {
            0
        };
    }

    fn lost(&mut self, lost: &Lost) {
        let loss = Loss {
            chunks: lost.chunks,
            iterations: lost.iterations,
            events: lost.events,
            span: Some((lost.from, lost.to)),
        };
        if lost.the_loop == NOBODY {
            self.lost.add(&loss);
        } else {
            let slot = self.slot(lost.the_loop);
            self.loops[slot].lost.add(&loss);
        }
    }

    /// The trace ends here. What is open has no end: its last chunk is not counted.
    pub(crate) fn finish(&mut self) {
        while !self.open.is_empty() {
            self.loop_ends(self.last, false);
        }
    }
}

/// A chunk ends where the next event says.
#[inline]
fn close(open: &mut Open, loops: &mut [LaneLoop], (begin, chunk): (u64, Chunk), end: u64) {
    // Times that go back are a damaged order, and the check names them.
    let mut duration = end.saturating_sub(begin);
    let mut off = Off::default();
    if !open.off.is_none() {
        off = std::mem::take(&mut open.off).within(duration);
        duration -= off.outside();
        open.share.off.add(&off);
    }
    open.share.busy += duration;
    open.share.chunks += 1;
    open.share.iterations = open.share.iterations.wrapping_add(chunk.iterations);
    open.shortest = open.shortest.min(duration);
    open.longest = open.longest.max(duration);
    let the_loop = &mut loops[open.slot];
    the_loop.durations.add(duration);
    if the_loop.worst.wants(duration) {
        the_loop.worst.add(Long {
            duration,
            off,
            begin,
            thread: open.share.thread,
            lower: chunk.lower,
            iterations: chunk.iterations,
            start: open.start,
            step: open.step,
        });
    }
}
