//! What OpenACC and OpenMP's `target` did: operation by operation, each as soon as its duration is known, and as rows.

use std::collections::BTreeMap;

use ompchunk_trace_format::openacc::{construct_name, event_name, is_end};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccOperation, At, Event};

use crate::error::Error;
use crate::name::{Argument, Value};
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
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>, mut tell: impl FnMut(&Done)) {
        match event {
            Event::AccBegin(operation) | Event::AccPoint(operation) => {
                let lane = self.lanes.entry(at.lane).or_default();
                let (depth, begin) = (lane.len() as u32, at.ticks);
                let done = Done { operation: *operation, thread: at.thread, depth, begin, duration: None };
                match event {
                    Event::AccBegin(_) => lane.push(done),
                    // The end of something that has no begin is nothing that was done.
                    _ if is_end(operation.event) => {}
                    _ => tell(&done),
                }
            }
            Event::AccEnd(end) => {
                let lane = self.lanes.entry(at.lane).or_default();
                let Some(from) = lane.iter().rposition(|open| open.operation.event == end.event) else { return };
                // What is open inside lost its end.
                lane.drain(from + 1..).rev().for_each(|lost| tell(&lost));
                if let Some(mut done) = lane.pop() {
                    done.duration = end.told.then_some(at.ticks.saturating_sub(done.begin));
                    tell(&done);
                }
            }
            Event::ThreadEnd { .. } => self.lanes.remove(&at.lane).unwrap_or_default().iter().rev().for_each(tell),
            _ => {}
        }
    }

    pub(crate) fn finish(self, mut tell: impl FnMut(&Done)) {
        for lane in self.lanes.into_values() {
            lane.iter().rev().for_each(&mut tell);
        }
    }
}

row! {
    /// A row per operation. `docs/export.md` describes the columns; what was not told is missing.
    OperationRow<'a> { process: &'a Process<'a>, sites: &'a Sites<'a>, done: &'a Done, }
    let operation = &done.operation;
    let place = sites.places.get(&operation.site);
    let code = sites.code(operation.detail.code());
    let amounts = Amounts::from_detail(&operation.detail);
    "part": &str = &process.name;
    "rank" in text: Option<u64> = process.part.meta().rank;
    "thread": u32 = done.thread;
    "depth": u32 = done.depth;
    "operation": &str = event_name(operation.event);
    "construct": Option<&str> = operation.construct.map(construct_name);
    "file": Option<&str> = place.and_then(|place| known(&place.file));
    "line": Option<u32> = place.map(|place| place.line).filter(|line| *line != 0);
    "function": Option<&str> = place.and_then(|place| known(&place.function)).or(code.and_then(|code| known(&code.function)));
    "name": Option<&str> = place.and_then(|place| known(&place.name));
    "start_ns": Ns = Ns(process.ns(done.begin));
    "duration_ns": Option<Ns> = done.duration.map(|ticks| Ns(process.duration(ticks)));
    "duration_ticks" in parquet: Option<u64> = done.duration;
    "async": Option<i64> = operation.asynchronous;
    "async_queue": Option<i64> = operation.queue;
    "implicit": Option<bool> = operation.implicit;
    "device_type": Option<i32> = operation.device_type;
    "device_number": Option<i32> = operation.device;
    "bytes": Option<u64> = amounts.bytes;
    "host_ptr": Option<u64> = amounts.host;
    "device_ptr": Option<u64> = amounts.device;
    "num_gangs": Option<u64> = amounts.gangs;
    "num_workers": Option<u64> = amounts.workers;
    "vector_length": Option<u64> = amounts.vector;
    "model": &str = if is_of_target(operation.event) { "OpenMP" } else { "OpenACC" };
    "at": Option<&str> = code.map(|code| code.label.as_str());
    "teams": Option<u64> = amounts.teams;
    "ticks_per_second" in parquet: f64 = process.part.clock().hertz;
}

fn known(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[derive(Default)]
struct Amounts {
    bytes: Option<u64>,
    teams: Option<u64>,
    host: Option<u64>,
    device: Option<u64>,
    gangs: Option<u64>,
    workers: Option<u64>,
    vector: Option<u64>,
}

impl Amounts {
    fn from_detail(detail: &AccDetail) -> Amounts {
        match *detail {
            AccDetail::None => Amounts::default(),
            AccDetail::Target { bytes, teams, .. } => Amounts { bytes, teams, ..Amounts::default() },
            AccDetail::Data { bytes, host, device } => Amounts { bytes, host, device, ..Amounts::default() },
            AccDetail::Launch { gangs, workers, vector } => Amounts { gangs, workers, vector, ..Amounts::default() },
        }
    }
}

/// All that viewers are told of an operation, by the names of `acc_prof.h` where that has some, of `target` by those of `omp-tools.h`. `at`:
/// what its return address is called. What was not told is not there.
pub(crate) fn told<'a>(
    operation: &AccOperation,
    place: Option<&'a AccPlace>,
    at: Option<&'a str>,
) -> Vec<Argument<'a>> {
    let amounts = Amounts::from_detail(&operation.detail);
    let unsigned = |value: Option<u64>| value.map(Value::Unsigned);
    let signed = |value: Option<i64>| value.map(Value::Signed);
    let text = |of: fn(&AccPlace) -> &str| place.and_then(|place| known(of(place))).map(Value::Text);
    let named = match operation.detail {
        AccDetail::Launch { .. } => "kernel_name",
        _ => "var_name",
    };
    let is_target = is_of_target(operation.event);
    let device = if is_target { "device_num" } else { "device_number" };
    let line = place.map(|place| place.line.into()).filter(|line| *line != 0);
    let fields = [
        ("construct", operation.construct.map(|construct| Value::Text(construct_name(construct)))),
        ("implicit", unsigned(operation.implicit.map(u64::from))),
        ("device_type", signed(operation.device_type.map(i64::from))),
        (device, signed(operation.device.map(i64::from))),
        ("async", signed(operation.asynchronous)),
        ("async_queue", signed(operation.queue)),
        ("bytes", unsigned(amounts.bytes)),
        ("requested_num_teams", unsigned(amounts.teams)),
        ("at", at.filter(|_| is_target).map(Value::Text)),
        ("host_ptr", unsigned(amounts.host)),
        ("device_ptr", unsigned(amounts.device)),
        ("num_gangs", unsigned(amounts.gangs)),
        ("num_workers", unsigned(amounts.workers)),
        ("vector_length", unsigned(amounts.vector)),
        (named, text(|place| &place.name)),
        ("src_file", text(|place| &place.file)),
        ("line_no", unsigned(line)),
        ("func_name", text(|place| &place.function)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

pub(crate) fn rows(process: &Process<'_>, rows: &mut Rows, notices: &mut Notices) -> Result<(), Error> {
    let (mut open, mut sites) = (Operations::default(), Sites::default());
    process.part.for_each_while(|at, event| {
        notices.follow(event);
        sites.follow(event);
        open.follow(at, event, |done| rows.row(&OperationRow { process, sites: &sites, done }));
        !rows.has_failed()
    })?;
    notices.list.extend(Notice::of_part(process));
    open.finish(|done| rows.row(&OperationRow { process, sites: &sites, done }));
    Ok(())
}
