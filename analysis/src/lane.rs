//! One lane's events, one after the other: chunks are counted here, and each part of a loop's execution goes
//! out to be joined with those of the other threads. Chunks are the hot path; everything else is rare.

use std::collections::HashMap;

use ompchunk_trace_format::{
    Aggregate, At, Chunk, Event, LoopBegin, LoopDefinition, Lost, NOBODY, OffCore, Times, Unwanted,
};

use crate::account;
use crate::aggregates::Counted;
use crate::definition::{CodePlace, Definition};
use crate::merge::Merge;
use crate::open_loop::{LaneLoop, Loss, Open};
use crate::openacc::Operations;
use crate::parallel_time::ParallelTime;
use crate::phase::Leave;
use crate::scan::Visit;
use crate::share::{Occurrence, Share, Sums, Tells, sums_of};
use crate::task::{ByNumber, Tasks, is_between, is_reduction};
use crate::tasks::TaskSums;

#[derive(Debug, Default)]
pub(crate) struct LaneSums {
    pub(crate) loops: Vec<LaneLoop>,
    slots: ByNumber<usize>,
    /// What is at an address now.
    places: HashMap<u64, CodePlace>,
    tasks: Tasks,
    open: Vec<Open>,
    /// The loop that ended last, as long as nothing else has begun.
    after: Option<u32>,
    pub(crate) threads: Vec<u32>,
    pub(crate) lost: Loss,
    pub(crate) counted: Counted,
    pub(crate) added_tasks: TaskSums,
    /// Chunks outside of loops: a damaged order.
    pub(crate) stray: u64,
    pub(crate) parallel_time: ParallelTime,
    pub(crate) openacc: Operations,
    pub(crate) account: account::Course,
    pub(crate) regions: account::RegionCourse,
    pub(crate) chunks: u64,
    pub(crate) events: u64,
    pub(crate) recorder: u64,
    /// From some time on nobody knew whether threads were on a core.
    pub(crate) lost_sight: bool,
    pub(crate) last: u64,
    pub(crate) out: Out,
}

impl Visit for LaneSums {
    #[inline]
    fn visit(&mut self, at: At, event: &Event<'_>) {
        if let Event::Chunk(chunk) = event {
            self.chunk(at.ticks, *chunk);
        } else {
            self.follow(at, event);
        }
    }
}

impl LaneSums {
    #[inline]
    fn chunk(&mut self, ticks: u64, chunk: Chunk) {
        self.chunks += 1;
        self.last = ticks;
        match self.open.last_mut() {
            Some(open) => open.begin_chunk(ticks, chunk, &mut self.loops[open.slot]),
            None => self.stray += 1,
        }
    }

    #[inline(never)]
    fn follow(&mut self, at: At, event: &Event<'_>) {
        self.last = at.ticks;
        self.events += 1;
        self.parallel_time.follow(at, event);
        self.account.follow(at, event);
        self.regions.follow(at, event);
        self.openacc.follow(at, event, !self.open.is_empty());
        let is_sync = matches!(event, Event::SyncBegin(sync) if !is_reduction(sync));
        let after = if is_sync || is_between(event) { self.after.take() } else { self.after };
        self.out.told.extend(self.tasks.follow(at, event, after).map(Told::Leave));
        match event {
            Event::ThreadBegin { thread, .. } => {
                if !self.threads.contains(thread) {
                    self.threads.push(*thread);
                }
            }
            Event::LoopBegin(begin) => self.begin_loop(at, begin),
            Event::LoopEnd { .. } => self.end_loop(at.ticks, true),
            Event::Pause(_) => self.open.iter_mut().for_each(|open| open.paused = true),
            Event::Recorder(recorder) => {
                let own = recorder.ticks.saturating_sub(recorder.preempted).saturating_add(recorder.before.into());
                self.recorder.take_in(&own);
                self.off_core(at.ticks, event);
            }
            Event::OffCore(off_core) => {
                self.lost_sight |= off_core.ticks == OffCore::UNKNOWN;
                self.off_core(at.ticks, event);
            }
            _ => self.add_facts(event),
        }
    }

    /// What is told beside what the thread does: names, sums, and what is not told.
    fn add_facts(&mut self, event: &Event<'_>) {
        match event {
            Event::Loop(definition) => self.define(definition),
            Event::Code(code) => {
                let place = CodePlace::from_code(code);
                self.out.places.push((code.address, place.clone()));
                self.places.insert(code.address, place);
            }
            Event::Sum(sum) => self.counted.follow(sum),
            Event::Tasks(_) | Event::TaskRegion(_) => self.added_tasks.add_event(event),
            Event::Aggregate(aggregate) => self.aggregate(aggregate),
            Event::Times(times) => self.times(times),
            Event::Lost(lost) => self.lost(lost),
            Event::LeftOut(left_out) => {
                let of_loop = &mut self.lane_loop(left_out.the_loop).left_out;
                match left_out.why {
                    Unwanted::Loop | Unwanted::Costly | Unwanted::Other(_) => of_loop.unnamed += left_out.executions,
                    Unwanted::Skipped => of_loop.skipped += left_out.executions,
                }
            }
            Event::Omitted { why: Unwanted::Costly, .. } => {
                if let Some(open) = self.open.last_mut() {
                    open.share.costly = true;
                }
            }
            // What a thread does is followed already, or by parallel_time, account, regions, tasks and OpenACC alone; sub-blocks are inside their
            // chunk, which goes on.
            _ => {}
        }
    }

    fn define(&mut self, definition: &LoopDefinition<'_>) {
        self.lane_loop(definition.the_loop).tells = Tells::by_definition(definition);
        self.out.definitions.push(Definition::from_event(definition, self.places.get(&definition.code)));
    }

    /// Everything that is open was off its core, or in the recorder.
    fn off_core(&mut self, ticks: u64, event: &Event<'_>) {
        for open in &mut self.open {
            let (off, since) = open.off_since();
            off.add_event(event, ticks, since);
        }
    }

    fn times(&mut self, times: &Times) {
        self.recorder.take_in(&times.recorder);
        if times.the_loop != NOBODY {
            let lane_loop = self.lane_loop(times.the_loop);
            let off = &mut sums_of(&mut lane_loop.threads, times.thread).off;
            merge_fields!(off, times: recorder, preempted, waiting, either);
        }
    }

    fn lane_loop(&mut self, number: u32) -> &mut LaneLoop {
        let slot = self.slot(number);
        &mut self.loops[slot]
    }

    fn slot(&mut self, number: u32) -> usize {
        *self.slots.entry(number).or_insert_with(|| {
            self.loops.push(LaneLoop { number, ..LaneLoop::default() });
            self.loops.len() - 1
        })
    }

    fn begin_loop(&mut self, at: At, begin: &LoopBegin) {
        let slot = self.slot(begin.the_loop);
        let told = self.loops[slot].tells.all(begin.work);
        let (mut region, mut team_size, mut occurrence) = (0, 1, Occurrence::default());
        if let Some(task) = self.tasks.all.last_mut() {
            (region, team_size) = (task.region, begin.threads_of(task.team_size));
            occurrence = task.begin_loop(begin.the_loop);
        }
        let share = Share {
            the_loop: begin.the_loop,
            region,
            team_size,
            occurrence,
            thread: at.thread,
            begin: at.ticks,
            end: at.ticks,
            count: begin.count,
            work: begin.work,
            told,
            nested: !self.open.is_empty(),
            ..Share::default()
        };
        self.open.push(Open::new(slot, share, begin));
    }

    fn end_loop(&mut self, ticks: u64, whole: bool) {
        if let Some(open) = self.open.pop() {
            let lane_loop = &mut self.loops[open.slot];
            let share = open.end(ticks, whole, lane_loop);
            self.out.told.push(Told::Share(share));
            self.after = Some(share.the_loop);
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate<'_>) {
        let lane_loop = self.lane_loop(aggregate.the_loop);
        if !lane_loop.tells.all(0) {
            // Dealt by the runtime or a part of a static loop's chunks: the record does not tell which.
            lane_loop.partial_aggregates += aggregate.executions;
            return;
        }
        for (exponent, count) in aggregate.histogram.counts().enumerate() {
            lane_loop.durations.add_octave(exponent, count);
        }
        if aggregate.histogram.counts().any(|count| count > 0) {
            lane_loop.extremes.take_in(&Some([aggregate.min, aggregate.max]));
        }
        let is_timed = aggregate.create_duration > 0;
        sums_of(&mut lane_loop.threads, aggregate.thread).take_in(&Sums {
            executions: aggregate.executions,
            chunks: aggregate.chunks,
            iterations: aggregate.iterations,
            busy: aggregate.sum,
            bookkeeping: aggregate.create_duration,
            timed: if is_timed { aggregate.chunks } else { 0 },
            counted_executions: aggregate.executions,
            counted_chunks: aggregate.chunks,
            ..Sums::default()
        });
    }

    fn lost(&mut self, lost: &Lost) {
        let loss = if lost.the_loop == NOBODY { &mut self.lost } else { &mut self.lane_loop(lost.the_loop).lost };
        merge_fields!(loss, lost: chunks, iterations, events);
        loss.span.take_in(&Some([lost.from, lost.to]));
    }

    /// The trace ends here. What is open has no end: its last chunk is not counted.
    pub(crate) fn finish(&mut self) {
        while !self.open.is_empty() {
            self.end_loop(self.last, false);
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Out {
    pub(crate) told: Vec<Told>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) places: Vec<(u64, CodePlace)>,
}

#[derive(Debug)]
pub(crate) enum Told {
    Share(Share),
    Leave(Leave),
}
