//! Chunks with their ends: what a lane is executing, and a chunk as soon as it is known how long it took.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Event, LoopBegin};

/// An execution of a loop by a thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Execution {
    pub(crate) begin: LoopBegin,
    pub(crate) thread: u32,
    /// The innermost parallel region; 0: none.
    pub(crate) region: u64,
    /// Counts this thread's executions of this loop in this region, from 0. All threads of a team meet
    /// the same worksharing loops in the same order, so these two name an execution in all of them.
    pub(crate) number: u32,
}

/// A chunk that has ended, or that the trace was cut in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended<'e> {
    pub(crate) execution: &'e Execution,
    pub(crate) chunk: Chunk,
    pub(crate) begin: u64,
    /// Ticks that it took, without the recorder's own; `None`: the trace is cut before.
    pub(crate) duration: Option<u64>,
}

#[derive(Debug)]
struct Running {
    execution: Execution,
    chunk: Option<(Chunk, u64)>,
    /// What the recorder did in it.
    recorder: u64,
    /// How many implicit tasks were around it.
    tasks: usize,
}

impl Running {
    fn ended(&mut self, end: Option<u64>, see: &mut impl FnMut(Ended<'_>)) {
        let recorder = std::mem::take(&mut self.recorder);
        if let Some((chunk, begin)) = self.chunk.take() {
            let duration = end.map(|end| end.saturating_sub(begin).saturating_sub(recorder));
            see(Ended {
                execution: &self.execution,
                chunk,
                begin,
                duration,
            });
        }
    }
}

#[derive(Debug, Default)]
struct Task {
    region: u64,
    executions: HashMap<u32, u32>,
}

#[derive(Debug, Default)]
struct Lane {
    tasks: Vec<Task>,
    loops: Vec<Running>,
    /// For loops outside of all implicit tasks.
    outside: Task,
}

/// The state of all lanes of a part.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    lanes: Vec<Lane>,
    /// Chunks that belong to no loop: what begins it was lost.
    pub(crate) stray: u64,
}

impl Walk {
    /// Takes an event in; calls `see` with the chunk that it ends, and `begun` when a thread begins its
    /// part of an execution.
    #[inline]
    pub(crate) fn see(
        &mut self,
        at: At,
        event: &Event<'_>,
        mut see: impl FnMut(Ended<'_>),
        begun: impl FnOnce(&Execution),
    ) {
        let index = at.lane as usize;
        if index >= self.lanes.len() {
            self.lanes.resize_with(index + 1, Lane::default);
        }
        let lane = &mut self.lanes[index];
        match event {
            Event::Chunk(chunk) => match lane.loops.last_mut() {
                Some(running) => {
                    running.ended(Some(at.ticks), &mut see);
                    running.chunk = Some((*chunk, at.ticks));
                }
                None => self.stray += 1,
            },
            Event::LoopBegin(begin) => {
                let tasks = lane.tasks.len();
                let task = lane.tasks.last_mut().unwrap_or(&mut lane.outside);
                let next = task.executions.entry(begin.the_loop).or_default();
                let execution = Execution {
                    begin: *begin,
                    thread: at.thread,
                    region: task.region,
                    number: *next,
                };
                *next += 1;
                begun(&execution);
                lane.loops.push(Running {
                    execution,
                    chunk: None,
                    recorder: 0,
                    tasks,
                });
            }
            Event::Recorder(it) => {
                let in_chunks = lane.loops.iter_mut().filter(|it| it.chunk.is_some());
                in_chunks.for_each(|running| {
                    running.recorder = running.recorder.saturating_add(it.ticks);
                });
            }
            Event::LoopEnd { the_loop } => {
                let ends = |it: &Running| it.execution.begin.the_loop == *the_loop;
                if let Some(from) = lane.loops.iter().rposition(ends) {
                    end_loops(lane, from, at.ticks, &mut see);
                }
            }
            Event::ImplicitTaskBegin { parallel, .. } => lane.tasks.push(Task {
                region: *parallel,
                executions: HashMap::new(),
            }),
            Event::ImplicitTaskEnd { parallel } => {
                if let Some(task) = lane.tasks.iter().rposition(|it| it.region == *parallel) {
                    // Nothing of a task outlives it, even where a loop's end was lost.
                    let from = lane.loops.partition_point(|it| it.tasks <= task);
                    end_loops(lane, from, at.ticks, &mut see);
                    lane.tasks.truncate(task);
                }
            }
            Event::ThreadEnd { .. } => {
                end_loops(lane, 0, at.ticks, &mut see);
                *lane = Lane::default();
            }
            _ => {}
        }
    }

    /// What is still running where the trace is cut.
    pub(crate) fn finish(self, mut see: impl FnMut(Ended<'_>)) {
        for mut lane in self.lanes {
            for mut running in lane.loops.drain(..).rev() {
                running.ended(None, &mut see);
            }
        }
    }
}

fn end_loops(lane: &mut Lane, from: usize, ticks: u64, see: &mut impl FnMut(Ended<'_>)) {
    for mut running in lane.loops.drain(from..).rev() {
        running.ended(Some(ticks), see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompchunk_trace_format::Recorder;

    /// A block that was written in a chunk is not the chunk's time, nor the next one's.
    #[test]
    fn chunks_without_the_recorders_time() {
        let chunk = |lower| {
            Event::Chunk(Chunk {
                lower,
                iterations: 1,
                create_duration: 0,
                last: false,
            })
        };
        let own = Event::Recorder(Recorder {
            ticks: 80,
            preempted: 30,
            before: 5,
        });
        let begin = Event::LoopBegin(LoopBegin {
            the_loop: 0,
            work: 10,
            count: 2,
            start: None,
            step: None,
        });
        let end = Event::LoopEnd { the_loop: 0 };
        let events = [
            (0, begin),
            (5, own.clone()),
            (10, chunk(0)),
            (90, own),
            (110, chunk(1)),
            (130, end),
        ];
        let (mut walk, mut found) = (Walk::default(), Vec::new());
        for (ticks, event) in &events {
            let at = At {
                lane: 0,
                thread: 0,
                ticks: *ticks,
            };
            walk.see(at, event, |it| found.push(it.duration), |_| {});
        }
        assert_eq!(found, [Some(20), Some(20)]);
    }
}
