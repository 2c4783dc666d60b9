//! What OpenACC and OpenMP's `target` did: operation by operation, each as soon as its duration is known, and as rows.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::{construct_name, event_name, is_end};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, At, Event};

use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::process::Process;
use crate::row::{Ns, row};
use crate::site::{AccPlace, Sites};
use crate::table::Rows;

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

row! {
    /// A row per operation. `docs/export.md` describes the columns; what was not told is missing.
    OperationRow<'a> {
        both part: &'a str;
        text rank: Option<u64>;
        both thread: u32;
        both depth: u32;
        both operation: &'static str;
        both construct: Option<&'static str>;
        both file: Option<&'a str>;
        both line: Option<u32>;
        both function: Option<&'a str>;
        both name: Option<&'a str>;
        both start_ns: Ns;
        both duration_ns: Option<Ns>;
        parquet duration_ticks: Option<u64>;
        both asynchronous "async": Option<i64>;
        both async_queue: Option<i64>;
        both implicit: Option<bool>;
        both device_type: Option<i32>;
        both device_number: Option<i32>;
        both bytes: Option<u64>;
        both host_ptr: Option<u64>;
        both device_ptr: Option<u64>;
        both num_gangs: Option<u64>;
        both num_workers: Option<u64>;
        both vector_length: Option<u64>;
        both model: &'static str;
        both at: Option<&'a str>;
        both teams: Option<u64>;
        parquet ticks_per_second: f64;
    }
}

impl<'a> OperationRow<'a> {
    pub(crate) fn new(process: &'a Process<'_>, sites: &'a Sites<'_>, done: &Done) -> Self {
        let place = sites.places.get(done.operation.site);
        let code = sites.code(done.operation.detail.code());
        let row = OperationRow::of_operation(&done.operation, place);
        let of_code = code.map(|code| code.function.as_str());
        OperationRow {
            part: &process.name,
            rank: process.part.meta().rank,
            thread: done.thread,
            depth: done.depth,
            start_ns: Ns(process.ns(done.begin)),
            duration_ns: done.duration.map(|ticks| Ns(process.duration(ticks))),
            duration_ticks: done.duration,
            ticks_per_second: process.part.clock().hertz,
            function: row.function.or(of_code).filter(|name| !name.is_empty()),
            at: code.map(|code| code.label.as_str()),
            ..row
        }
    }

    /// Without where it was in the run.
    fn of_operation(operation: &AccOperation, place: Option<&'a AccPlace>) -> Self {
        let known = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        let mut row = OperationRow {
            operation: event_name(operation.event),
            construct: operation.construct.map(construct_name),
            file: place.and_then(|place| known(&place.file)),
            line: place.map(|place| place.line).filter(|line| *line != 0),
            function: place.and_then(|place| known(&place.function)),
            name: place.and_then(|place| known(&place.name)),
            asynchronous: operation.asynchronous,
            async_queue: operation.queue,
            implicit: operation.implicit,
            device_type: operation.device_type,
            device_number: operation.device,
            model: match is_of_target(operation.event) {
                true => "OpenMP",
                false => "OpenACC",
            },
            ..OperationRow::default()
        };
        match operation.detail {
            AccDetail::None => {}
            AccDetail::Target { bytes, teams, .. } => (row.bytes, row.teams) = (bytes, teams),
            AccDetail::Data { bytes, host, device } => {
                (row.bytes, row.host_ptr, row.device_ptr) = (bytes, host, device);
            }
            AccDetail::Launch { gangs, workers, vector } => {
                (row.num_gangs, row.num_workers, row.vector_length) = (gangs, workers, vector);
            }
        }
        row
    }
}

/// A number or a text of an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Told<'a> {
    Number(u64),
    Signed(i64),
    Text(&'a str),
}

/// All that viewers are told of an operation, by the names of `acc_prof.h` where that has some, of `target` by those of `omp-tools.h`. `at`:
/// what its return address is called. What was not told is not there.
pub(crate) fn told<'a>(
    operation: &AccOperation,
    place: Option<&'a AccPlace>,
    at: Option<&'a str>,
) -> Vec<(&'static str, Told<'a>)> {
    let row = OperationRow::of_operation(operation, place);
    let number = |value: Option<u64>| value.map(Told::Number);
    let signed = |value: Option<i64>| value.map(Told::Signed);
    let named = match operation.detail {
        AccDetail::Launch { .. } => "kernel_name",
        _ => "var_name",
    };
    let is_target = is_of_target(operation.event);
    let device = match is_target {
        true => "device_num",
        false => "device_number",
    };
    let fields = [
        ("construct", row.construct.map(Told::Text)),
        ("implicit", number(row.implicit.map(u64::from))),
        ("device_type", signed(row.device_type.map(i64::from))),
        (device, signed(row.device_number.map(i64::from))),
        ("async", signed(row.asynchronous)),
        ("async_queue", signed(row.async_queue)),
        ("bytes", number(row.bytes)),
        ("requested_num_teams", number(row.teams)),
        ("at", at.filter(|_| is_target).map(Told::Text)),
        ("host_ptr", number(row.host_ptr)),
        ("device_ptr", number(row.device_ptr)),
        ("num_gangs", number(row.num_gangs)),
        ("num_workers", number(row.num_workers)),
        ("vector_length", number(row.vector_length)),
        (named, row.name.map(Told::Text)),
        ("src_file", row.file.map(Told::Text)),
        ("line_no", number(row.line.map(u64::from))),
        ("func_name", row.function.map(Told::Text)),
    ];
    let known = fields.into_iter();
    known.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// One row per operation, as they end.
pub(crate) fn rows(processes: &[Process<'_>], mut rows: Rows, notices: &mut Notices) -> Result<(), Error> {
    rows.head::<OperationRow<'_>>();
    for process in processes {
        let (mut open, mut sites) = (Operations::default(), Sites::default());
        process.part.for_each_while(|at, event| {
            notices.see(event);
            sites.see(event);
            open.see(at, event, |done| put(&mut rows, process, &sites, done));
            !rows.has_failed()
        })?;
        notices.list.extend(Notice::of_part(process));
        open.finish(|done| put(&mut rows, process, &sites, done));
    }
    rows.finish()
}

fn put(rows: &mut Rows, process: &Process<'_>, sites: &Sites<'_>, done: &Done) {
    rows.row(&OperationRow::new(process, sites, done));
}
