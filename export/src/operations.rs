//! Operations of OpenACC and of OpenMP's `target`, one by one: each as soon as its duration is known. The only state is what is open in each lane. Also
//! the table of them, a row each, as CSV or as JSON Lines.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::{construct_name, event_name, is_end};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, At, Event};
use serde::Serialize;

use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::process::Process;
use crate::site::Sites;
use crate::table::{Rows, names, tenths};

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

/// A row per operation. `docs/export.md` describes the columns; what was not told is missing.
#[derive(Debug, Default, Serialize)]
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
    pub(crate) model: &'static str,
    pub(crate) at: Option<&'a str>,
    pub(crate) teams: Option<u64>,
}

impl<'a> OperationRow<'a> {
    pub(crate) fn of(process: &'a Process<'_>, sites: &'a Sites<'_>, done: &Done) -> Self {
        let operation = &done.operation;
        let place = sites.places.get(operation.site);
        let code = sites.code(operation.detail.code());
        let (of_place, of_code) = (
            place.map(|place| place.function.as_str()),
            code.map(|code| code.function.as_str()),
        );
        let known = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        let mut row = OperationRow {
            part: &process.name,
            rank: process.part.meta().rank,
            thread: done.thread,
            depth: done.depth,
            operation: event_name(operation.event),
            construct: operation.construct.map(construct_name),
            file: place.and_then(|place| known(&place.file)),
            line: place.map(|place| place.line).filter(|line| *line != 0),
            function: of_place.or(of_code).and_then(known),
            name: place.and_then(|place| known(&place.name)),
            start_ns: tenths(process.ns(done.begin)),
            duration_ns: done.duration.map(|ticks| tenths(process.duration(ticks))),
            asynchronous: operation.asynchronous,
            async_queue: operation.queue,
            implicit: operation.implicit,
            device_type: operation.device_type,
            device_number: operation.device,
            model: match is_of_target(operation.event) {
                true => "OpenMP",
                false => "OpenACC",
            },
            at: code.map(|code| code.label.as_str()),
            ..OperationRow::default()
        };
        match operation.detail {
            AccDetail::None => {}
            AccDetail::Target { bytes, teams, .. } => (row.bytes, row.teams) = (bytes, teams),
            AccDetail::Data {
                bytes,
                host,
                device,
            } => {
                (row.bytes, row.host_ptr, row.device_ptr) = (bytes, host, device);
            }
            AccDetail::Launch {
                gangs,
                workers,
                vector,
            } => {
                (row.num_gangs, row.num_workers, row.vector_length) = (gangs, workers, vector);
            }
        }
        row
    }
}

/// One row per operation, as they end.
pub(crate) fn rows(
    processes: &[Process<'_>],
    mut rows: Rows,
    notices: &mut Notices,
) -> Result<(), Error> {
    rows.head(&names::<OperationRow<'_>>());
    for process in processes {
        let (mut open, mut sites) = (Operations::default(), Sites::new(None));
        process.part.for_each_while(|at, event| {
            notices.see(&event);
            sites.see(&event);
            open.see(at, &event, |done| put(&mut rows, process, &sites, done));
            !rows.has_failed()
        })?;
        notices.list.extend(Notice::of_part(process));
        open.finish(|done| put(&mut rows, process, &sites, done));
    }
    rows.finish()
}

fn put(rows: &mut Rows, process: &Process<'_>, sites: &Sites<'_>, done: &Done) {
    rows.row(&OperationRow::of(process, sites, done));
}
