//! Chunks with their ends: what each lane executes, and each chunk as soon as its duration is known. Tables of chunks and loops
//! are one walk over a part ([`read`]); each is a [`Visitor`].

use std::collections::HashMap;
use std::mem::take;

use ompchunk_trace_format::{At, Chunk, Error, Event, LoopBegin};

use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Execution {
    pub(crate) begin: LoopBegin,
    pub(crate) thread: u32,
    /// The innermost parallel region; 0: none.
    pub(crate) region: u64,
    /// By thread, loop and region, from 0. A team's threads meet loops in one order, so it names an execution in all.
    pub(crate) number: u32,
}

/// A chunk that has ended, or that the trace was cut in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'e> {
    pub(crate) execution: &'e Execution,
    pub(crate) chunk: Chunk,
    /// Where it began.
    pub(crate) at: At,
    /// Ticks without the recorder's own; `None`: the trace is cut before the end.
    pub(crate) duration: Option<u64>,
}

pub(crate) enum Found<'e> {
    Begun(&'e Execution),
    Ended(Ended<'e>),
}

struct Running {
    execution: Execution,
    chunk: Option<(At, Chunk)>,
    /// Ticks of the recorder in the chunk.
    recorder: u64,
    tasks: usize,
}

impl Running {
    fn end_chunk(&mut self, end: Option<u64>, tell: &mut impl FnMut(Found<'_>)) {
        let recorder = take(&mut self.recorder);
        if let Some((at, chunk)) = self.chunk.take() {
            let duration = end.map(|end| end.saturating_sub(at.ticks).saturating_sub(recorder));
            tell(Found::Ended(Ended { execution: &self.execution, chunk, at, duration }));
        }
    }
}

#[derive(Debug, Default)]
struct Task {
    region: u64,
    executions: HashMap<u32, u32>,
}

#[derive(Default)]
struct LaneLoops {
    tasks: Vec<Task>,
    loops: Vec<Running>,
    /// For loops outside of all implicit tasks.
    outside: Task,
}

impl LaneLoops {
    fn begin_loop(&mut self, at: At, begin: LoopBegin) -> Execution {
        let tasks = self.tasks.len();
        let task = self.tasks.last_mut().unwrap_or(&mut self.outside);
        let next = task.executions.entry(begin.the_loop).or_default();
        let execution = Execution { begin, thread: at.thread, region: task.region, number: *next };
        *next += 1;
        self.loops.push(Running { execution, chunk: None, recorder: 0, tasks });
        execution
    }

    /// The recorder's time is in all chunks that are open.
    fn add_recorder(&mut self, ticks: u64) {
        for running in self.loops.iter_mut().filter(|running| running.chunk.is_some()) {
            running.recorder = running.recorder.saturating_add(ticks);
        }
    }

    /// Nothing outlives its task, even where a loop's end was lost.
    fn end_task(&mut self, region: u64, end: u64, tell: &mut impl FnMut(Found<'_>)) {
        if let Some(task) = self.tasks.iter().rposition(|task| task.region == region) {
            let from = self.loops.partition_point(|running| running.tasks <= task);
            self.end_loops(from, Some(end), tell);
            self.tasks.truncate(task);
        }
    }

    fn end_loops(&mut self, from: usize, end: Option<u64>, tell: &mut impl FnMut(Found<'_>)) {
        for mut running in self.loops.drain(from..).rev() {
            running.end_chunk(end, tell);
        }
    }
}

#[derive(Default)]
pub(crate) struct Walk {
    lanes: Vec<LaneLoops>,
    /// Chunks that belong to no loop: the loop's begin was lost.
    pub(crate) stray: u64,
}

impl Walk {
    #[inline]
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>, mut tell: impl FnMut(Found<'_>)) {
        let index = at.lane as usize;
        if index >= self.lanes.len() {
            self.lanes.resize_with(index + 1, LaneLoops::default);
        }
        let lane = &mut self.lanes[index];
        match event {
            Event::Chunk(chunk) => match lane.loops.last_mut() {
                Some(running) => {
                    running.end_chunk(Some(at.ticks), &mut tell);
                    running.chunk = Some((at, *chunk));
                }
                None => self.stray += 1,
            },
            Event::LoopBegin(begin) => tell(Found::Begun(&lane.begin_loop(at, *begin))),
            Event::Recorder(own) => lane.add_recorder(own.ticks),
            Event::LoopEnd { the_loop } => {
                let is_of_loop = |running: &Running| running.execution.begin.the_loop == *the_loop;
                if let Some(from) = lane.loops.iter().rposition(is_of_loop) {
                    lane.end_loops(from, Some(at.ticks), &mut tell);
                }
            }
            Event::ImplicitTaskBegin { parallel, .. } => {
                lane.tasks.push(Task { region: *parallel, executions: HashMap::new() })
            }
            Event::ImplicitTaskEnd { parallel } => lane.end_task(*parallel, at.ticks, &mut tell),
            Event::ThreadEnd { .. } => take(lane).end_loops(0, Some(at.ticks), &mut tell),
            _ => {}
        }
    }

    pub(crate) fn finish(self, mut tell: impl FnMut(Found<'_>)) {
        for mut lane in self.lanes {
            lane.end_loops(0, None, &mut tell);
        }
    }
}

/// What an export makes of a part. Only loops that are asked for are told.
pub(crate) trait Visitor {
    fn begun(&mut self, _sites: &Sites<'_>, _execution: &Execution) {}
    /// A chunk has ended, or the trace has.
    fn ended(&mut self, sites: &Sites<'_>, ended: &Ended<'_>);
    /// Each event, after what begins and ends with the event.
    fn event(&mut self, _sites: &Sites<'_>, _at: At, _event: &Event<'_>) {}
    fn has_failed(&self) -> bool {
        false
    }
}

pub(crate) fn read<'p, V: Visitor>(
    process: &'p Process<'_>,
    notices: &mut Notices,
    visitor: &mut V,
) -> Result<Sites<'p>, Error> {
    let mut walk = Walk::default();
    let mut sites = Sites::for_process(process);
    let mut chunks = 0;
    let mut hand_on = |sites: &Sites<'_>, visitor: &mut V, found: Found<'_>| match found {
        Found::Begun(execution) if sites.selected(execution.begin.the_loop) => visitor.begun(sites, execution),
        Found::Ended(ended) if sites.selected(ended.execution.begin.the_loop) => {
            chunks += 1;
            visitor.ended(sites, &ended);
        }
        _ => {}
    };
    process.part.for_each_while(|at, event| {
        sites.follow(event);
        notices.follow(event);
        walk.follow(at, event, |found| hand_on(&sites, visitor, found));
        visitor.event(&sites, at, event);
        !visitor.has_failed()
    })?;
    notices.part(process, &sites, walk.stray);
    walk.finish(|found| hand_on(&sites, visitor, found));
    notices.chunks += chunks;
    Ok(sites)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompchunk_trace_format::Recorder;

    /// A block that was written in a chunk is not the chunk's time, nor the next one's.
    #[test]
    fn chunks_without_the_recorders_time() {
        let chunk = |lower| Event::Chunk(Chunk { lower, iterations: 1, create_duration: 0, last: false });
        let own = Event::Recorder(Recorder { ticks: 80, preempted: 30, before: 5 });
        let begin = Event::LoopBegin(LoopBegin { the_loop: 0, work: 10, count: 2, start: None, step: None });
        let end = Event::LoopEnd { the_loop: 0 };
        let events = [(0, begin), (5, own.clone()), (10, chunk(0)), (90, own), (110, chunk(1)), (130, end)];
        let (mut walk, mut durations) = (Walk::default(), Vec::new());
        for (ticks, event) in &events {
            let at = At { ticks: *ticks, ..At::default() };
            walk.follow(at, event, |found| {
                if let Found::Ended(ended) = found {
                    durations.push(ended.duration);
                }
            });
        }
        assert_eq!(durations, [Some(20), Some(20)]);
    }
}
