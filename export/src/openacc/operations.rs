//! Operations of OpenACC, one by one: each as soon as its duration is known. The only state is what is open in each lane.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::is_end;
use ompchunk_trace_format::{AccEnd, AccOperation, At, Event};

/// An operation that is over, or of which nothing more will be known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) operation: AccOperation,
    pub(crate) thread: u32,
    /// Operations of the same thread around this one.
    pub(crate) depth: u32,
    pub(crate) begin: u64,
    /// Ticks, with what is inside; `None`: a point in time, or the end was not told.
    pub(crate) duration: Option<u64>,
}

/// What is open in each lane, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    lanes: BTreeMap<u32, Vec<Done>>,
}

impl Operations {
    /// Takes an event; calls `tell` with each operation that ends.
    #[inline]
    pub(crate) fn see(&mut self, at: At, event: &Event<'_>, mut tell: impl FnMut(&Done)) {
        match event {
            Event::AccBegin(operation) => {
                let begun = self.begun(at, operation);
                self.lanes.entry(at.lane).or_default().push(begun);
            }
            // The end of something that has no begin is nothing that was done.
            Event::AccPoint(point) if !is_end(point.event) => tell(&self.begun(at, point)),
            Event::AccEnd(end) => {
                if let Some(lane) = self.lanes.get_mut(&at.lane) {
                    end_operation(lane, end, at.ticks, tell);
                }
            }
            Event::ThreadEnd { .. } => {
                let lane = self.lanes.remove(&at.lane).unwrap_or_default();
                lane.iter().rev().for_each(tell);
            }
            _ => {}
        }
    }

    fn begun(&self, at: At, operation: &AccOperation) -> Done {
        Done {
            operation: *operation,
            thread: at.thread,
            depth: self.lanes.get(&at.lane).map_or(0, |lane| lane.len() as u32),
            begin: at.ticks,
            duration: None,
        }
    }

    /// What is still open where the trace ends.
    pub(crate) fn finish(self, mut tell: impl FnMut(&Done)) {
        for lane in self.lanes.into_values() {
            lane.iter().rev().for_each(&mut tell);
        }
    }
}

fn end_operation(lane: &mut Vec<Done>, end: &AccEnd, ticks: u64, mut tell: impl FnMut(&Done)) {
    let begun = |open: &Done| open.operation.event == end.event;
    let Some(from) = lane.iter().rposition(begun) else {
        return;
    };
    // What is open inside lost its end.
    lane.drain(from + 1..).rev().for_each(|lost| tell(&lost));
    if let Some(mut done) = lane.pop() {
        let lasted = ticks.saturating_sub(done.begin);
        done.duration = end.told.then_some(lasted);
        tell(&done);
    }
}
