//! Operations of OpenACC, one by one: each as soon as it is known how long it took. What is open in each lane is the only state. Also
//! the table of them, a row each, as CSV or as JSON Lines.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::{construct_name, event_name, is_end};
use ompchunk_trace_format::{AccDetail, AccOperation, At, Event};
use serde::Serialize;

use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::openacc::{AccPlace, AccPlaces};
use crate::process::Process;
use crate::table::{Rows, tenths};

/// An operation that is over, or of which nothing more will be known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) operation: AccOperation,
    pub(crate) thread: u32,
    /// Operations of the same thread that it is inside.
    pub(crate) depth: u32,
    pub(crate) begin: u64,
    /// Ticks, with what is inside; `None`: it has no length, or its end was not told.
    pub(crate) duration: Option<u64>,
}

/// What is open in each lane, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    lanes: BTreeMap<u32, Vec<Done>>,
}

impl Operations {
    /// Takes an event in; calls `see` with each operation that it ends.
    #[inline]
    pub(crate) fn see(&mut self, at: At, event: &Event<'_>, mut see: impl FnMut(&Done)) {
        let open = |lanes: &BTreeMap<u32, Vec<Done>>, operation: &AccOperation| Done {
            operation: *operation,
            thread: at.thread,
            depth: lanes.get(&at.lane).map_or(0, |it| it.len() as u32),
            begin: at.ticks,
            duration: None,
        };
        match event {
            Event::AccBegin(it) => {
                let it = open(&self.lanes, it);
                self.lanes.entry(at.lane).or_default().push(it);
            }
            // The end of something that has no begin is nothing that was done.
            Event::AccPoint(it) if !is_end(it.event) => see(&open(&self.lanes, it)),
            Event::AccEnd(it) => {
                let Some(lane) = self.lanes.get_mut(&at.lane) else {
                    return;
                };
                let is_it = |open: &Done| open.operation.event == it.event;
                let Some(from) = lane.iter().rposition(is_it) else {
                    return;
                };
                // What is open inside has no end: it was lost.
                lane.drain(from + 1..).rev().for_each(|it| see(&it));
                if let Some(mut done) = lane.pop() {
                    let lasted = at.ticks.saturating_sub(done.begin);
                    done.duration = it.told.then_some(lasted);
                    see(&done);
                }
            }
            Event::ThreadEnd { .. } => {
                let lane = self.lanes.remove(&at.lane).unwrap_or_default();
                lane.iter().rev().for_each(see);
            }
            _ => {}
        }
    }

    /// What is still open where the trace ends.
    pub(crate) fn finish(self, mut see: impl FnMut(&Done)) {
        for lane in self.lanes.into_values() {
            lane.iter().rev().for_each(&mut see);
        }
    }
}

/// A row per operation. `docs/export.md` describes the columns; what was not told is missing.
#[derive(Debug, Serialize)]
pub(crate) struct OperationRow<'a> {
    pub(crate) part: &'a str,
    pub(crate) rank: Option<u64>,
    pub(crate) thread: u32,
    pub(crate) depth: u32,
    pub(crate) operation: &'static str,
    pub(crate) construct: Option<&'static str>,
    pub(crate) file: Option<&'a str>,
    pub(crate) line: Option<u32>,
    pub(crate) function: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) start_ns: f64,
    pub(crate) duration_ns: Option<f64>,
    #[serde(rename = "async")]
    pub(crate) asynchronous: Option<i64>,
    pub(crate) async_queue: Option<i64>,
    pub(crate) implicit: Option<bool>,
    pub(crate) device_type: Option<i32>,
    pub(crate) device_number: Option<i32>,
    pub(crate) bytes: Option<u64>,
    pub(crate) host_ptr: Option<u64>,
    pub(crate) device_ptr: Option<u64>,
    pub(crate) num_gangs: Option<u64>,
    pub(crate) num_workers: Option<u64>,
    pub(crate) vector_length: Option<u64>,
}

const NAMES: [&str; 23] = [
    "part",
    "rank",
    "thread",
    "depth",
    "operation",
    "construct",
    "file",
    "line",
    "function",
    "name",
    "start_ns",
    "duration_ns",
    "async",
    "async_queue",
    "implicit",
    "device_type",
    "device_number",
    "bytes",
    "host_ptr",
    "device_ptr",
    "num_gangs",
    "num_workers",
    "vector_length",
];

impl<'a> OperationRow<'a> {
    pub(crate) fn of(process: &'a Process<'_>, place: Option<&'a AccPlace>, it: &Done) -> Self {
        let operation = &it.operation;
        let text = |text: &'a str| Some(text).filter(|it| !it.is_empty());
        let (data, launch) = match operation.detail {
            AccDetail::None => ([None; 3], [None; 3]),
            AccDetail::Data {
                bytes,
                host,
                device,
            } => ([bytes, host, device], [None; 3]),
            AccDetail::Launch {
                gangs,
                workers,
                vector,
            } => ([None; 3], [gangs, workers, vector]),
        };
        OperationRow {
            part: &process.name,
            rank: process.part.meta().rank,
            thread: it.thread,
            depth: it.depth,
            operation: event_name(operation.event),
            construct: operation.construct.map(construct_name),
            file: place.and_then(|it| text(&it.file)),
            line: place.map(|it| it.line).filter(|it| *it != 0),
            function: place.and_then(|it| text(&it.function)),
            name: place.and_then(|it| text(&it.name)),
            start_ns: tenths(process.ns(it.begin)),
            duration_ns: it.duration.map(|it| tenths(process.duration(it))),
            asynchronous: operation.asynchronous,
            async_queue: operation.queue,
            implicit: operation.implicit,
            device_type: operation.device_type,
            device_number: operation.device,
            bytes: data[0],
            host_ptr: data[1],
            device_ptr: data[2],
            num_gangs: launch[0],
            num_workers: launch[1],
            vector_length: launch[2],
        }
    }
}

/// One row per operation, as they end.
pub(crate) fn rows(
    processes: &[Process<'_>],
    mut rows: Rows,
    notices: &mut Notices,
) -> Result<(), Error> {
    rows.head(&NAMES);
    for process in processes {
        let (mut open, mut places) = (Operations::default(), AccPlaces::default());
        process.part.for_each_while(|at, event| {
            notices.see(&event);
            if let Event::AccSite(it) = &event {
                places.see(it);
            }
            open.see(at, &event, |it| {
                let place = places.get(it.operation.site);
                rows.row(&OperationRow::of(process, place, it));
            });
            !rows.has_failed()
        })?;
        notices.list.extend(Notice::of_part(process));
        open.finish(|it| {
            let place = places.get(it.operation.site);
            rows.row(&OperationRow::of(process, place, it));
        });
    }
    rows.finish()
}
