//! The tables: their columns, and a row of each. `docs/export.md` describes them.

use std::collections::BTreeMap;
use std::io;

use super::columns::{Cell, Column, Kind, Table, column};
use crate::openacc::AccPlace;
use crate::operations::{Done, OperationRow};
use crate::process::Process;
use crate::site::{Code, Site};
use crate::table::{LoopRow, Sums};
use crate::walk::Ended;

/// A row per chunk.
pub(super) const CHUNKS: &[Column] = &[
    column("part", Kind::Text),
    column("thread", Kind::U32),
    column("region", Kind::U64),
    column("loop", Kind::U32),
    column("execution", Kind::U32),
    column("lower", Kind::U64),
    column("iterations", Kind::U64),
    column("first", Kind::I64).optional(),
    column("last", Kind::I64).optional(),
    column("start_ns", Kind::I64),
    column("duration_ns", Kind::I64).optional(),
    column("duration_ticks", Kind::U64).optional(),
    column("create_duration_ns", Kind::I64).optional(),
];

/// A row per loop and part.
pub(super) const LOOPS: &[Column] = &[
    column("part", Kind::Text),
    column("loop", Kind::U32),
    column("name", Kind::Text),
    column("file", Kind::Text).optional(),
    column("line", Kind::U32).optional(),
    column("column", Kind::U32).optional(),
    column("function", Kind::Text).optional(),
    column("construct", Kind::Text).optional(),
    column("schedule", Kind::Text).optional(),
    column("instrumented", Kind::Bool),
    column("threads", Kind::U64),
    column("executions", Kind::U64),
    column("chunks", Kind::U64),
    column("iterations", Kind::U64),
    column("duration_ns", Kind::F64),
    column("duration_ticks", Kind::U64),
    column("shortest_ns", Kind::F64).optional(),
    column("longest_ns", Kind::F64).optional(),
    column("create_duration_ns", Kind::F64),
    column("aggregated_chunks", Kind::U64),
    column("lost_chunks", Kind::U64),
    column("ticks_per_second", Kind::F64),
];

/// A row per thread and loop.
pub(super) const THREADS: &[Column] = &[
    column("part", Kind::Text),
    column("host", Kind::Text),
    column("thread", Kind::U32),
    column("loop", Kind::U32),
    column("executions", Kind::U64),
    column("chunks", Kind::U64),
    column("iterations", Kind::U64),
    column("duration_ns", Kind::F64),
    column("duration_ticks", Kind::U64),
];

/// A row per parallel region.
pub(super) const REGIONS: &[Column] = &[
    column("part", Kind::Text),
    column("region", Kind::U64),
    column("requested", Kind::U32),
    column("threads", Kind::U32).optional(),
    column("at", Kind::Text).optional(),
    column("start_ns", Kind::I64),
    column("duration_ns", Kind::I64).optional(),
];

/// A row per operation of OpenACC.
pub(super) const OPENACC: &[Column] = &[
    column("part", Kind::Text),
    column("thread", Kind::U32),
    column("depth", Kind::U32),
    column("operation", Kind::Text),
    column("construct", Kind::Text).optional(),
    column("file", Kind::Text).optional(),
    column("line", Kind::U32).optional(),
    column("function", Kind::Text).optional(),
    column("name", Kind::Text).optional(),
    column("start_ns", Kind::I64),
    column("duration_ns", Kind::I64).optional(),
    column("duration_ticks", Kind::U64).optional(),
    column("async", Kind::I64).optional(),
    column("async_queue", Kind::I64).optional(),
    column("implicit", Kind::Bool).optional(),
    column("device_type", Kind::I64).optional(),
    column("device_number", Kind::I64).optional(),
    column("bytes", Kind::U64).optional(),
    column("host_ptr", Kind::U64).optional(),
    column("device_ptr", Kind::U64).optional(),
    column("num_gangs", Kind::U64).optional(),
    column("num_workers", Kind::U64).optional(),
    column("vector_length", Kind::U64).optional(),
    column("ticks_per_second", Kind::F64),
];

/// Nothing is nothing, and no empty text.
pub(super) fn text(table: &mut Table, text: Option<&str>) -> Cell {
    match text.filter(|it| !it.is_empty()) {
        Some(text) => table.text(text),
        None => Cell::NOTHING,
    }
}

/// `None`: a signed number of 64 bits does not hold it.
fn signed(value: Option<i128>) -> Cell {
    value.and_then(|it| i64::try_from(it).ok()).into()
}

/// Of millions of rows, whole nanoseconds take a third of the room; ticks are exact.
pub(super) fn whole(ns: f64) -> i64 {
    // None is negative.
    (ns + 0.5) as i64
}

pub(super) fn chunk(
    table: &mut Table,
    (process, part): (&Process<'_>, Cell),
    site: Option<&Site>,
    it: &Ended<'_>,
) -> io::Result<()> {
    let execution = it.execution;
    let variable = site.and_then(|site| site.variable(&execution.begin));
    let range = variable.map(|it_is| it_is.range(it.chunk.lower, it.chunk.iterations));
    let create = it.chunk.create_duration;
    let ns = |ticks: u64| whole(process.duration(ticks));
    let cells = [
        part,
        execution.thread.into(),
        execution.region.into(),
        execution.begin.the_loop.into(),
        execution.number.into(),
        it.chunk.lower.into(),
        it.chunk.iterations.into(),
        signed(range.map(|it| it.0)),
        signed(range.map(|it| it.1)),
        whole(process.ns(it.begin)).into(),
        it.duration.map(ns).into(),
        it.duration.into(),
        (create != 0).then(|| ns(create)).into(),
    ];
    table.row(cells)
}

/// `site`: where it is; `ticks` in its chunks.
pub(super) fn a_loop(
    table: &mut Table,
    process: &Process<'_>,
    site: Option<&Site>,
    row: &LoopRow<'_>,
    ticks: u64,
) -> io::Result<()> {
    let cells = [
        table.text(row.part),
        row.the_loop.into(),
        table.text(site.map_or("?", |it| &it.short)),
        text(table, Some(row.file)),
        row.line.into(),
        row.column.into(),
        text(table, Some(row.function)),
        text(table, Some(row.construct)),
        text(table, Some(row.schedule)),
        row.instrumented.into(),
        (row.threads as u64).into(),
        row.executions.into(),
        row.chunks.into(),
        row.iterations.into(),
        process.duration(ticks).into(),
        ticks.into(),
        row.shortest_ns.into(),
        row.longest_ns.into(),
        row.create_duration_ns.into(),
        row.aggregated_chunks.into(),
        row.lost_chunks.into(),
        process.part.clock().hertz.into(),
    ];
    table.row(cells)
}

/// What each thread did in each loop, all executions added up.
#[derive(Debug, Default)]
pub(super) struct InLoops {
    all: Vec<Sums>,
    places: BTreeMap<(u32, u32), usize>,
    /// A chunk is of the same thread and loop as the one before, as a rule.
    last: Option<((u32, u32), usize)>,
}

impl InLoops {
    /// Of a thread and a loop.
    #[inline]
    pub(super) fn of(&mut self, thread: u32, the_loop: u32) -> &mut Sums {
        let key = (thread, the_loop);
        let place = match self.last.filter(|it| it.0 == key) {
            Some((_, place)) => place,
            None => {
                let next = self.all.len();
                let place = *self.places.entry(key).or_insert(next);
                if place == next {
                    self.all.push(Sums::default());
                }
                self.last = Some((key, place));
                place
            }
        };
        &mut self.all[place]
    }

    /// In the order of threads.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), &Sums)> {
        self.places.iter().map(|(key, at)| (*key, &self.all[*at]))
    }
}

pub(super) fn thread(
    table: &mut Table,
    process: &Process<'_>,
    (thread, the_loop): (u32, u32),
    it: &Sums,
) -> io::Result<()> {
    let cells = [
        table.text(&process.name),
        table.text(&process.part.meta().host),
        thread.into(),
        the_loop.into(),
        it.executions.into(),
        it.chunks.into(),
        it.iterations.into(),
        process.duration(it.ticks).into(),
        it.ticks.into(),
    ];
    table.row(cells)
}

/// A region that has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) begin: u64,
    pub(super) requested: u32,
    pub(super) code: u64,
    pub(super) team: Option<u32>,
}

pub(super) fn region(
    table: &mut Table,
    process: &Process<'_>,
    code: Option<&Code>,
    (number, it): (u64, &Region),
    end: Option<u64>,
) -> io::Result<()> {
    let took = end.map(|end| whole(process.duration(end.saturating_sub(it.begin))));
    let cells = [
        table.text(&process.name),
        number.into(),
        it.requested.into(),
        it.team.into(),
        text(table, code.map(|it| &*it.label)),
        whole(process.ns(it.begin)).into(),
        took.into(),
    ];
    table.row(cells)
}

pub(super) fn operation(
    table: &mut Table,
    process: &Process<'_>,
    place: Option<&AccPlace>,
    it: &Done,
) -> io::Result<()> {
    let row = OperationRow::of(process, place, it);
    let cells = [
        table.text(row.part),
        row.thread.into(),
        row.depth.into(),
        table.text(row.operation),
        text(table, row.construct),
        text(table, row.file),
        row.line.into(),
        text(table, row.function),
        text(table, row.name),
        whole(process.ns(it.begin)).into(),
        it.duration.map(|it| whole(process.duration(it))).into(),
        it.duration.into(),
        row.asynchronous.into(),
        row.async_queue.into(),
        row.implicit.into(),
        row.device_type.map(i64::from).into(),
        row.device_number.map(i64::from).into(),
        row.bytes.into(),
        row.host_ptr.into(),
        row.device_ptr.into(),
        row.num_gangs.into(),
        row.num_workers.into(),
        row.vector_length.into(),
        process.part.clock().hertz.into(),
    ];
    table.row(cells)
}
